"""A handler's value -> the text and the structured content of a result."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from .. import json_check
from ._errors import ResultError
from ._json_value import to_json

if TYPE_CHECKING:
    from ..json_check import Check

__all__ = ["OutputWriter", "Written"]

_RESULT = "result"


class Written(msgspec.Struct, frozen=True, gc=False):
    """One result, ready to be sent.

    Attributes:
        text: For the text block: a text as it stands, else the JSON of the value; None where the
            content is empty.
        structured: The JSON for ``structuredContent``; UNSET without an output schema.
    """

    text: str | None
    structured: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class OutputWriter:
    """Writes the results of one tool; made once per declaration.

    Attributes:
        schema: The output schema, any JSON type at its root; None without one.
        legacy_schema: The one for revisions that want an object: ``schema`` itself if it is one,
            else an object that holds the value as ``result``.
        wrapped: ``legacy_schema`` is such an object; see ``legacy_structured``.
    """

    __slots__ = ("_check", "_compiled", "_convert", "_gate", "legacy_schema", "schema", "wrapped")

    def __init__(
        self,
        schema: dict[str, Any] | None,
        compiled: "Callable[[], Check] | None" = None,
        *,
        gate: Callable[[bytes], Any] | None = None,
        convert: Callable[[Any], Any] | None = None,
    ) -> None:
        self.schema = schema
        self.wrapped = schema is not None and schema.get("type") != "object"
        self.legacy_schema = _wrapped_schema(schema) if schema and self.wrapped else schema
        if schema is not None and not schema:
            self.legacy_schema = _wrapped_schema(schema)
        self._compiled = compiled
        self._check: Check | None = None
        self._gate = gate
        self._convert = convert

    def write(self, value: Any) -> Written:
        """The value as text and, with an output schema, as structured content.

        Args:
            value: What the handler returned, or what was made of it.

        Raises:
            ResultError: It breaks the schema, or JSON has no form for it. The handler's fault.
        """
        if self._convert is not None:
            value = self._converted(value)
        if self.schema is None:
            if value is None:
                return Written(None)
            if isinstance(value, str):
                return Written(_plain_text(value))
            return Written(to_json(value).decode())
        data = self._valid_json(value)
        text = _plain_text(value) if isinstance(value, str) else data.decode()
        return Written(text, msgspec.Raw(data))

    def structured(self, value: Any) -> msgspec.Raw:
        """The value as structured content alone, for one that comes with texts of its own.

        Args:
            value: What the handler returned as structured content.

        Raises:
            ResultError: It breaks the schema, or JSON has no form for it. The handler's fault.
        """
        if self._convert is not None:
            value = self._converted(value)
        return msgspec.Raw(to_json(value) if self.schema is None else self._valid_json(value))

    def legacy_structured(
        self, structured: msgspec.Raw | msgspec.UnsetType
    ) -> msgspec.Raw | msgspec.UnsetType:
        """``structuredContent`` for revisions that want an object there."""
        if not self.wrapped or isinstance(structured, msgspec.UnsetType):
            return structured
        return msgspec.Raw(b'{"result":' + bytes(structured) + b"}")

    def _converted(self, value: Any) -> Any:
        try:
            return self._convert(value)  # type: ignore[misc]
        except Exception as error:
            raise ResultError(f"the result could not be converted: {error}") from error

    def _valid_json(self, value: Any) -> bytes:
        """The JSON of a value that satisfies the schema."""
        data = to_json(value)
        if self._gate is not None:
            try:
                self._gate(data)
            except Exception:  # noqa: BLE001 - what the gate does not take, the check may
                self._require_valid(data)
        else:
            self._require_valid(data)
        return data

    def _require_valid(self, data: bytes) -> None:
        check = self._check
        if check is None:
            assert self._compiled is not None, "a schema comes with its check"
            check = self._check = self._compiled()
        violations = check.violations(msgspec.json.decode(data))
        if violations:
            lines = "; ".join(_in_result(json_check.render(violation)) for violation in violations)
            raise ResultError(f"the result breaks the declared output schema: {lines}")


def _in_result(line: str) -> str:
    return "result" + line.removeprefix("arguments") if line.startswith("arguments") else line


def _plain_text(value: str) -> str:
    """A text as it stands; of an enum member, its value.

    Raises:
        ResultError: It holds an unpaired surrogate.
    """
    text = str.__str__(value)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ResultError("a text in the value holds an unpaired surrogate") from None
    return text


def _wrapped_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """An object schema whose property ``result`` is the schema; references follow it there."""
    moved = {name: part for name, part in schema.items() if name not in ("$defs", "$schema")}
    wrapped: dict[str, Any] = {
        "type": "object",
        "properties": {_RESULT: _moved(moved)},
        "required": [_RESULT],
    }
    for name in ("$defs", "$schema"):
        if name in schema:
            wrapped[name] = _moved(schema[name])
    return wrapped


def _moved(part: Any) -> Any:
    """A part of a schema, local references rewritten for its place under ``result``."""
    if isinstance(part, list):
        return [_moved(item) for item in part]
    if not isinstance(part, dict):
        return part
    return {
        name: _moved_reference(value)
        if name == "$ref" and isinstance(value, str)
        else value
        if name in ("enum", "const", "default", "examples")
        else _moved(value)
        for name, value in part.items()
    }


def _moved_reference(reference: str) -> str:
    if reference == "#" or (reference.startswith("#/") and not reference.startswith("#/$defs/")):
        return f"#/properties/{_RESULT}{reference[1:]}"
    return reference
