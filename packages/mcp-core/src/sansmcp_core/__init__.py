"""A Model Context Protocol server that does no I/O.

Declare a ``Server`` and hand it to an adapter (``sansmcp_stdio``, ``sansmcp_asgi``,
``sansmcp_h11``), or serve it yourself through a ``Connection``. Each name is loaded when it is
first used.
"""

from importlib import import_module

# Type checkers take it for true, and `typing` is not loaded for it.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from sansmcp_schema.declare import ObjectSchema as ObjectSchema
    from sansmcp_schema.declare import Parameter as Parameter

    from . import mark as mark
    from ._call import Call as Call
    from ._completions import Completion as Completion
    from ._connection import Connection as Connection
    from ._content import annotations as annotations
    from ._content import audio as audio
    from ._content import blob_contents as blob_contents
    from ._content import embedded_blob as embedded_blob
    from ._content import embedded_text as embedded_text
    from ._content import error_result as error_result
    from ._content import image as image
    from ._content import resource_link as resource_link
    from ._content import text as text
    from ._content import text_contents as text_contents
    from ._context import Context as Context
    from ._effects import Cancel as Cancel
    from ._effects import Close as Close
    from ._effects import Data as Data
    from ._effects import Effect as Effect
    from ._effects import EndOfMessage as EndOfMessage
    from ._effects import Report as Report
    from ._effects import Respond as Respond
    from ._effects import Response as Response
    from ._effects import Run as Run
    from ._effects import Send as Send
    from ._era import Era as Era
    from ._errors import LocalProtocolError as LocalProtocolError
    from ._errors import RegistrationError as RegistrationError
    from ._errors import RequestError as RequestError
    from ._errors import ResourceNotFound as ResourceNotFound
    from ._errors import SansMCPError as SansMCPError
    from ._errors import ToolError as ToolError
    from ._input_required import InputRequired as InputRequired
    from ._limits import Limits as Limits
    from ._operation import Mode as Mode
    from ._prompts import assistant as assistant
    from ._prompts import user as user
    from ._questions import Elicit as Elicit
    from ._questions import Elicitation as Elicitation
    from ._questions import ElicitUrl as ElicitUrl
    from ._questions import ListRoots as ListRoots
    from ._questions import Sample as Sample
    from ._safe_join import safe_join as safe_join
    from ._server import Server as Server
    from ._settings import CacheHint as CacheHint
    from ._settings import Settings as Settings
    from ._signals import CallCancelled as CallCancelled
    from ._uri_template import UriTemplate as UriTemplate

_NAMES = {
    "._call": ("Call",),
    "._completions": ("Completion",),
    "._connection": ("Connection",),
    "._content": (
        "annotations",
        "audio",
        "blob_contents",
        "embedded_blob",
        "embedded_text",
        "error_result",
        "image",
        "resource_link",
        "text",
        "text_contents",
    ),
    "._context": ("Context",),
    "._effects": (
        "Cancel",
        "Close",
        "Data",
        "Effect",
        "EndOfMessage",
        "Report",
        "Respond",
        "Response",
        "Run",
        "Send",
    ),
    "._era": ("Era",),
    "._errors": (
        "LocalProtocolError",
        "RegistrationError",
        "RequestError",
        "ResourceNotFound",
        "SansMCPError",
        "ToolError",
    ),
    "._input_required": ("InputRequired",),
    "._limits": ("Limits",),
    "._operation": ("Mode",),
    "._prompts": ("assistant", "user"),
    "._questions": ("Elicit", "ElicitUrl", "Elicitation", "ListRoots", "Sample"),
    "._safe_join": ("safe_join",),
    "._server": ("Server",),
    "._settings": ("CacheHint", "Settings"),
    "._signals": ("CallCancelled",),
    "._uri_template": ("UriTemplate",),
    "sansmcp_schema.declare": ("ObjectSchema", "Parameter"),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "CacheHint",
    "Call",
    "CallCancelled",
    "Cancel",
    "Close",
    "Completion",
    "Connection",
    "Context",
    "Data",
    "Effect",
    "Elicit",
    "ElicitUrl",
    "Elicitation",
    "EndOfMessage",
    "Era",
    "InputRequired",
    "Limits",
    "ListRoots",
    "LocalProtocolError",
    "Mode",
    "ObjectSchema",
    "Parameter",
    "RegistrationError",
    "Report",
    "RequestError",
    "ResourceNotFound",
    "Respond",
    "Response",
    "Run",
    "Sample",
    "SansMCPError",
    "Send",
    "Server",
    "Settings",
    "ToolError",
    "UriTemplate",
    "annotations",
    "assistant",
    "audio",
    "blob_contents",
    "embedded_blob",
    "embedded_text",
    "error_result",
    "image",
    "mark",
    "resource_link",
    "safe_join",
    "text",
    "text_contents",
    "user",
]


def __getattr__(name: str) -> object:
    """Load the module that holds ``name``, once."""
    if name == "mark":
        return import_module(".mark", __name__)
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(home, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
