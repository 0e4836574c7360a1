"""What a declaration can be told beside its types."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from ..json_check import DEFAULT_LIMITS, DEFAULT_SECRET_WORDS, SchemaLimits

if TYPE_CHECKING:
    from ..json_check import Engine
    from ._parameter import Parameter

__all__ = ["InputOptions", "OutputOptions"]


class InputOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How the arguments of one tool or prompt are declared.

    Args:
        tool_name: How messages name the declaration: ``tool 'add'``; the function's name if empty.
        kind: What it is, for messages: ``tool``, ``prompt``.
        open: Unknown keys are accepted; the schema then says so too.
        repair: Values that were sent as text (``"42"``, ``"[1,2]"``) are decoded once where they
            break the schema.
        context_type: Parameters of this type get the call's context and are never in the schema.
        parameters: Options by Python name of the parameter; they win over those in ``Annotated``.
        local_names: Names for postponed annotations: see ``caller_locals``.
        limits: Bounds on schemas.
        secret_words: Parameters whose names hold one of these are never shown in messages.
        engine: What checks a raw schema; see ``compile_check``.
        validated_by_application: A raw schema is published and not enforced.
    """

    tool_name: str = ""
    kind: str = "tool"
    open: bool = False
    repair: bool = True
    context_type: Any = None
    parameters: "Mapping[str, Parameter]" = {}
    local_names: Mapping[str, Any] | None = None
    limits: SchemaLimits = DEFAULT_LIMITS
    secret_words: tuple[str, ...] = DEFAULT_SECRET_WORDS
    engine: "Engine" = "auto"
    validated_by_application: bool = False

    def where(self, function: Any = None) -> str:
        """The declaration as messages name it."""
        name = self.tool_name or getattr(function, "__name__", "") or "without a name"
        return f"{self.kind} {name!r}"


class OutputOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How the result of one tool is declared.

    Args:
        tool_name: How messages name the declaration; the function's name if empty.
        ready_made: Types that are results already (content blocks, whole results): no schema.
        no_results: Types that are returned in place of a result, such as a request for input: they
            say nothing of the schema.
        text_schema: Publish ``{"type": "string"}`` for ``-> str`` and send the text as structured
            content too; without it a text is only a text block.
        local_names: Names for postponed annotations: see ``caller_locals``.
        limits: Bounds on schemas.
        engine: What checks a raw schema; see ``compile_check``.
        validated_by_application: A raw schema is published and not enforced.
    """

    tool_name: str = ""
    ready_made: tuple[Any, ...] = ()
    no_results: tuple[type, ...] = ()
    text_schema: bool = False
    local_names: Mapping[str, Any] | None = None
    limits: SchemaLimits = DEFAULT_LIMITS
    engine: "Engine" = "auto"
    validated_by_application: bool = False

    def where(self, function: Any = None) -> str:
        """The declaration as messages name it."""
        name = self.tool_name or getattr(function, "__name__", "") or "without a name"
        return f"tool {name!r}"
