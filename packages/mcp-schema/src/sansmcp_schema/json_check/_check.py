"""A schema -> the one compiled check of the values it describes."""

from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeVar

from ._compile import compile_nodes
from ._defaults import mark_seeds, seed_defaults
from ._errors import WAYS_OUT, SchemaError
from ._explain import explain
from ._limits import DEFAULT_LIMITS, DEFAULT_SECRET_WORDS, SchemaLimits
from ._memory import Memory
from ._nodes import Document
from ._read import read_schema
from ._repair import repair
from ._violation import Violation

__all__ = ["Check", "Engine", "compile_check"]

Result = TypeVar("Result")
Engine = Literal["auto", "own", "jsonschema"]

_TOO_DEEP = Violation((), "", "nested too deeply to be checked")


def compile_check(
    schema: dict[str, Any] | bool,
    *,
    limits: SchemaLimits = DEFAULT_LIMITS,
    secret_words: Iterable[str] = DEFAULT_SECRET_WORDS,
    engine: Engine = "auto",
    validated_by_application: bool = False,
) -> "Check":
    """Return the check that a JSON Schema means, for any number of values and threads.

    Args:
        schema: A schema in 2020-12 or, where ``$schema`` says so, draft-07. Not copied; it must
            not change afterwards.
        limits: Bounds on the schema and on the work of a check.
        secret_words: Words in the name of a property that keep its value out of violations.
        engine: ``own`` is the subset of ``keyword_table()``. ``jsonschema`` is jsonschema-rs from
            the ``[jsonschema]`` extra, which enforces both dialects whole. ``auto``, the default,
            is the own engine, and the other one for a schema that the subset cannot enforce where
            the extra is installed.
        validated_by_application: The check accepts everything, because the application checks for
            itself. The schema must be well-formed all the same.

    Raises:
        SchemaError: The schema is malformed, out of bounds, not complete in itself, or holds a
            keyword that the engine cannot enforce (``UnenforceableKeyword``).
        ImportError: ``engine="jsonschema"`` without the extra.

    Source: JSON Schema 2020-12 Core and Validation; draft-07; MCP 2026-07-28, JSON Schema Usage.
    """
    document = read_schema(schema, limits)
    memory = compile_nodes(document)
    mark_seeds(document)
    own = Check(document, memory, tuple(secret_words))
    if validated_by_application:
        return own._judged_by(lambda _: True, lambda _: [], repairs=False)
    if engine == "own" or (engine == "auto" and not document.unenforceable):
        if document.unenforceable:
            raise _with_ways_out(document.unenforceable[0])
        return own
    try:
        from . import _jsonschema_rs as other  # noqa: PLC0415 - the extra
    except ImportError:
        if engine == "jsonschema":
            raise
        raise _with_ways_out(document.unenforceable[0]) from None
    judge = other.compile_judge(document)
    return own._judged_by(
        judge.is_valid,
        lambda value: judge.violations(value, own.violations(value), own.secret_words),
    )


def _with_ways_out(error: SchemaError) -> SchemaError:
    return type(error)(error.keyword, error.path, f"{error.problem}; or {WAYS_OUT}")


class Check:
    """The compiled check of one schema; made by ``compile_check``.

    No method raises for any value, however deep. What JSON does not have (a ``datetime``, NaN) fits
    no ``type``; jsonschema-rs, though, takes NaN for null.
    """

    __slots__ = ("_document", "_list", "_memory", "_repairs", "_valid", "secret_words")

    def __init__(
        self, document: Document, memory: Memory | None, secret_words: tuple[str, ...]
    ) -> None:
        self._document = document
        self._memory = memory
        self.secret_words = secret_words
        self._repairs = True
        self._valid: Callable[[Any], bool] = document.root.check
        self._list: Callable[[Any], list[Violation]] = self._own_violations

    @property
    def schema(self) -> dict[str, Any] | bool:
        """The schema that was compiled."""
        return self._document.root.schema

    def is_valid(self, value: Any) -> bool:
        """Return whether a JSON value is what the schema says."""
        try:
            if self._memory is None:
                return self._valid(value)
            return self._remembering(self._valid, value)
        except RecursionError:
            return False

    def violations(self, value: Any) -> list[Violation]:
        """Return everything that is wrong with a value, an empty list where nothing is.

        Keywords come in the order of the table, items and properties in that of the value. At most
        ``SchemaLimits.max_violations`` are listed; one more says that there are others.
        """
        if self.is_valid(value):
            return []
        try:
            return self._list(value) or [_TOO_DEEP]
        except RecursionError:
            return [_TOO_DEEP]

    def repair(self, value: Any) -> Any:
        """Return the value with string-encoded JSON decoded where a string breaks its type.

        ``"42"`` for an integer becomes 42, ``"false"`` for a boolean ``False``, ``"[1,2]"`` for an
        array ``[1, 2]``, nested ones too. Where nothing is repaired the value itself comes back.
        """
        if not self._repairs:
            return value
        try:
            return self._remembering(lambda one: repair(self._document, one), value)
        except RecursionError:
            return value

    def seed_defaults(self, value: Any) -> Any:
        """Return a copy with the defaults of absent properties filled in, nested ones too.

        Every default is a fresh copy. Where nothing is to be filled in the value itself comes back.
        """
        if not self._document.root.seeds:
            return value
        try:
            return self._remembering(lambda one: seed_defaults(self._document, one), value)
        except RecursionError:
            return value

    def _own_violations(self, value: Any) -> list[Violation]:
        return self._remembering(lambda one: explain(self._document, self.secret_words, one), value)

    def _remembering(self, step: Callable[[Any], Result], value: Any) -> Result:
        """Run a step in which no pair of subschema and value is looked at twice."""
        memory = self._memory
        if memory is None or memory.found is not None:
            return step(value)
        memory.found = {}
        try:
            return step(value)
        finally:
            memory.found = None

    def _judged_by(
        self,
        valid: Callable[[Any], bool],
        listed: Callable[[Any], list[Violation]],
        *,
        repairs: bool = True,
    ) -> "Check":
        """Return a check whose verdict comes from elsewhere; repair and defaults stay."""
        other = Check(self._document, self._memory, self.secret_words)
        other._valid, other._list, other._repairs = valid, listed, repairs
        return other
