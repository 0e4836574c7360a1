"""The exceptions of the library, and who is to blame for each.

SansMCPError
├── LocalProtocolError   the embedding program broke the core's contract
├── RegistrationError    a declaration cannot be served (raised where it is declared)
├── ToolError            a handler tells the model, in its own words, what went wrong
├── RequestError         a handler chooses the JSON-RPC error the client gets
└── ResourceNotFound     a handler says that the item behind a URI does not exist
"""

from typing import Any

__all__ = [
    "LocalProtocolError",
    "RegistrationError",
    "RequestError",
    "ResourceNotFound",
    "SansMCPError",
    "ToolError",
]


class SansMCPError(Exception):
    """Root of all exceptions that the library raises on purpose."""


class LocalProtocolError(SansMCPError):
    """The embedding program called the core in a way its contract forbids.

    Nothing that a peer sends leads here.
    """


class RegistrationError(SansMCPError):
    """A declaration that cannot be served; the message names it and the way out."""


class ToolError(SansMCPError):
    """Raise it in a tool to give the model a text of your own; becomes a result with ``isError``.

    In prompts, resources and completions, which have no ``isError``, it becomes ``-32603`` with
    the same text.
    """


class RequestError(SansMCPError):
    """Raise it in any handler to answer the request with a JSON-RPC error of your choice.

    Args:
        code: The error code, an integer.
        message: One sentence for the client.
        data: Any JSON value with details; left out by default.
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class ResourceNotFound(SansMCPError):
    """Raise it in a resource handler where the item behind the URI does not exist.

    Modern clients get ``-32602`` with ``data.uri``, legacy clients ``-32002``.
    """
