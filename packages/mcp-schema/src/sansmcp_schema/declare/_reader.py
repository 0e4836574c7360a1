"""The bytes of ``arguments`` -> what the handler is called with, or what is wrong with them."""

from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias, final

import msgspec

from .. import json_check
from ._errors import Mismatch
from ._numbers import decode_exactly
from ._shape import Part, Shape

if TYPE_CHECKING:
    from ..json_check import Check, Violation

__all__ = ["Bound", "Converted", "InputReader", "Refused", "mismatch_line"]


@final
class Bound(msgspec.Struct, frozen=True):
    """Arguments that fit: call ``handler(*args, **kwargs)``."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@final
class Refused(msgspec.Struct, frozen=True):
    """Arguments that do not fit: one line per violation, worded for a model."""

    violations: list[str]


Converted: TypeAlias = "tuple[tuple[Any, ...], list[tuple[str | None, Mismatch]]]"
"""The handler's values in order, and the mismatches by argument; None for the whole object."""

Binder = Callable[[tuple[Any, ...], Any], Bound]


class InputReader:
    """Reads the arguments of one tool or prompt; made once per declaration.

    Attributes:
        schema: The published input schema; an object at its root.
        is_secret: Tells whether messages must not show the value at a path.
        takes_context: Whether the handler has a parameter for the context.
    """

    __slots__ = (
        "_bind",
        "_check",
        "_compiled",
        "_convert",
        "_decode",
        "_fast",
        "_repair",
        "_shape",
        "is_secret",
        "schema",
        "takes_context",
    )

    def __init__(
        self,
        schema: dict[str, Any],
        compiled: "Callable[[], Check]",
        *,
        fast: Callable[[bytes], tuple[Any, ...]] | None,
        convert: Callable[[dict[str, Any]], Converted],
        bind: Binder,
        takes_context: bool,
        repair: bool,
        decode: Callable[[bytes | msgspec.Raw], Any] = decode_exactly,
        is_secret: Callable[[tuple[str | int, ...]], bool],
        shape: Shape | None = None,
    ) -> None:
        self.schema = schema
        self._compiled = compiled
        self._check: Check | None = None
        self._fast = fast
        self._convert = convert
        self._bind = bind
        self.takes_context = takes_context
        self._decode = decode
        self._repair = repair
        self.is_secret = is_secret
        self._shape = shape

    def read(self, raw: bytes | msgspec.Raw | None, context: object = None) -> Bound | Refused:
        """The JSON text of ``arguments`` -> the handler's arguments, or all that is wrong.

        Args:
            raw: The JSON text; None where the member is absent. ``null`` counts as ``{}``.
            context: What parameters of the context type get.
        """
        if raw is None:
            raw = b"{}"
        if self._fast is not None:
            try:
                values = self._fast(raw)
            except Exception:  # noqa: BLE001 - whatever it is, the slow way finds the words for it
                return self._read_slowly(raw, context)
            return self._bind(values, context)
        return self._read_slowly(raw, context)

    def _read_slowly(self, raw: bytes | msgspec.Raw, context: object) -> Bound | Refused:
        try:
            value = self._decode(raw)
        except RecursionError:
            return Refused(["arguments: nested too deeply"])
        except ValueError as error:
            return Refused([f"arguments: {_what_is_wrong(error)}"])
        return self.read_value({} if value is None else value, context)

    def read_value(self, value: Any, context: object = None) -> Bound | Refused:
        """Like ``read``, for arguments that are decoded already."""
        try:
            value, violations = self._checked(value)
            if violations:
                return Refused(self._lines(value, violations))
            values, wrong = self._convert(value)
            if wrong:
                return Refused(self._lines(value, []) or [self._line(*one) for one in wrong])
        except RecursionError:
            return Refused(["arguments: nested too deeply"])
        return self._bind(values, context)

    def _lines(self, value: Any, violations: "list[Violation]") -> list[str]:
        """All that is wrong: with the schema, and with the conversion of what satisfies it."""
        from ._mismatches import Broken, mismatches  # noqa: PLC0415 - after something failed

        lines = [json_check.render(violation) for violation in violations]
        if self._shape is None or any(not (one.path or one.keyword) for one in violations):
            # The list is not complete, so that nothing is known of what it does not name.
            return lines
        broken = Broken(one.path for one in violations)
        room = _MAX_LINES - len(lines)
        found = list(islice(mismatches(Part("", self._shape, value), broken), room + 1))
        lines += [mismatch_line(one, self.is_secret) for one in found[:room]]
        return lines if len(found) <= room else [*lines, _MORE]

    def _checked(self, value: Any) -> "tuple[Any, list[Violation]]":
        """The value, repaired if it has to be, and what is wrong with it after that."""
        check = self._check
        if check is None:
            check = self._check = self._compiled()
        if check.is_valid(value) and type(value) is dict:
            return value, []
        if type(value) is not dict:
            return value, check.violations(value) or [_no_object(value)]
        if not self._repair:
            return value, check.violations(value)
        repaired = check.repair(value)
        return repaired, check.violations(repaired)

    def _line(self, name: str | None, mismatch: Mismatch) -> str:
        return mismatch_line(mismatch if name is None else mismatch.under(name), self.is_secret)


def _what_is_wrong(error: ValueError) -> str:
    """Why a text could not be decoded, without msgspec's notation for the place."""
    if isinstance(error, msgspec.ValidationError):
        return "a number is out of range"
    return "not valid JSON"


def _no_object(value: Any) -> "Violation":
    shown = json_check.show(value, secret=False)
    return json_check.Violation((), "type", f"expected object, got {shown}")


def mismatch_line(mismatch: Mismatch, is_secret: Callable[[tuple[str | int, ...]], bool]) -> str:
    """A value that its type does not take, in the shape of every other violation.

    Args:
        mismatch: What the type wants and what arrived.
        is_secret: Tells whether the value at a path must not be shown.
    """
    secret = is_secret(mismatch.path)
    shown = json_check.show(mismatch.value, secret=secret)
    message = f"expected {mismatch.expected}, got {shown}"
    detail = mismatch.detail[:_SHOWN_DETAIL].replace("\n", " ")
    if detail and not secret:
        message += f" ({detail})"
    return json_check.render(json_check.Violation(mismatch.path, "type", message))


_SHOWN_DETAIL = 200
_MAX_LINES = 100
_MORE = "arguments: more is wrong than is listed here"
