"""What a call is made of, one class for each method that runs a handler.

Each knows how its arguments are bound, how a value becomes its result, and what its failures look
like: a tool tells the model, the others tell the client.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

import msgspec
from sansmcp_schema.content import TextContent
from sansmcp_schema.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, RESOURCE_NOT_FOUND
from sansmcp_schema.results import CallToolResult, Result

from ._era import Era
from ._errors import RequestError
from ._operation import Bound, Refused
from ._settings import CacheHint

if TYPE_CHECKING:
    from ._completions import Completer
    from ._context import Context
    from ._prompts import Prompt
    from ._protocols import Operation
    from ._resources import Match
    from ._tools import Tool

__all__ = [
    "CompletionTarget",
    "Failure",
    "PromptTarget",
    "ResourceTarget",
    "Target",
    "ToolTarget",
    "not_found",
]

Failure: TypeAlias = Result | RequestError


class Target(Protocol):
    """The operation of a call, with what the request says about it."""

    @property
    def operation(self) -> "Operation":
        """The entry of the registry."""

    @property
    def label(self) -> str:
        """What reports and threads call it, such as ``tool add``."""

    @property
    def bound_to(self) -> tuple[str, bytes | None]:
        """The target and the raw arguments that request state is bound to."""

    @property
    def cache(self) -> CacheHint | None:
        """The hint of this entry; None for the server's own."""

    def bind(self, context: "Context | None") -> Bound | Refused:
        """Return the checked arguments for the handler."""

    def wrap(self, value: Any) -> Result:
        """Return a new result for what the handler returned; raises where that is its fault."""

    def refuse(self, violations: list[str]) -> Failure:
        """Return what the client gets for arguments that break the declaration."""

    def fail(self, text: str) -> Failure:
        """Return what the client gets for a handler that failed."""


class ToolTarget(msgspec.Struct, frozen=True):
    """``tools/call``."""

    cache: ClassVar[CacheHint | None] = None
    operation: "Tool"
    raw: bytes | None
    modern: bool

    @property
    def label(self) -> str:
        return f"tool {self.operation.name}"

    @property
    def bound_to(self) -> tuple[str, bytes | None]:
        return self.operation.name, self.raw

    def bind(self, context: "Context | None") -> Bound | Refused:
        return self.operation.bind(self.raw, context)

    def wrap(self, value: Any) -> Result:
        return self.operation.result(value, self.modern)

    def refuse(self, violations: list[str]) -> Failure:
        return self.fail("Invalid arguments:\n" + "\n".join(violations))

    def fail(self, text: str) -> Failure:
        return CallToolResult(content=[TextContent(text=text)], is_error=True)


class _ErrorTarget(msgspec.Struct, frozen=True):
    """A method whose results cannot say that something went wrong."""

    def refuse(self, violations: list[str]) -> Failure:
        return RequestError(INVALID_PARAMS, "Invalid arguments: " + "; ".join(violations))

    def fail(self, text: str) -> Failure:
        return RequestError(INTERNAL_ERROR, text)


class PromptTarget(_ErrorTarget, frozen=True):
    """``prompts/get``."""

    cache: ClassVar[CacheHint | None] = None
    operation: "Prompt"
    raw: bytes | None

    @property
    def label(self) -> str:
        return f"prompt {self.operation.name}"

    @property
    def bound_to(self) -> tuple[str, bytes | None]:
        return self.operation.name, self.raw

    def bind(self, context: "Context | None") -> Bound | Refused:
        return self.operation.bind(self.raw, context)

    def wrap(self, value: Any) -> Result:
        return self.operation.result(value)


class ResourceTarget(_ErrorTarget, frozen=True):
    """``resources/read``."""

    match: "Match"
    uri: str

    @property
    def operation(self) -> "Operation":
        return self.match.entry

    @property
    def label(self) -> str:
        return f"resource {self.uri}"

    @property
    def bound_to(self) -> tuple[str, bytes | None]:
        return self.uri, None

    @property
    def cache(self) -> CacheHint | None:
        return self.match.entry.cache

    def bind(self, context: "Context | None") -> Bound | Refused:
        return self.match.entry.bind(self.uri, self.match.variables, context)

    def wrap(self, value: Any) -> Result:
        return self.match.entry.result(value, self.uri)


class CompletionTarget(_ErrorTarget, frozen=True):
    """``completion/complete``."""

    cache: ClassVar[CacheHint | None] = None
    operation: "Completer"
    value: str
    filled: Mapping[str, str]

    @property
    def label(self) -> str:
        return "completion"

    @property
    def bound_to(self) -> tuple[str, bytes | None]:
        return "", None

    def bind(self, context: "Context | None") -> Bound | Refused:
        return self.operation.bind(self.value, self.filled, context)

    def wrap(self, value: Any) -> Result:
        return self.operation.result(value)


def not_found(uri: str, era: Era) -> RequestError:
    """Return the error for a URI behind which there is nothing, in the code of the era.

    Source: MCP 2026-07-28 server/resources, Error Handling.
    """
    code = INVALID_PARAMS if era is Era.MODERN else RESOURCE_NOT_FOUND
    return RequestError(code, f"Resource not found: {uri}", {"uri": uri})
