"""The revisions of the protocol, and a value as one of them can say it.

The Structs of this package hold every field that any revision has. ``for_revision`` takes out what
one revision lacks, by tables that tests compare with the official schemas.
"""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from msgspec import UNSET, Struct

from ._lacks import (
    BLOCKS_SINCE,
    FIELDS_SINCE,
    FIELDS_UNTIL,
    NESTED_FIELDS,
    lacking_fields,
)

if TYPE_CHECKING:
    from ._rewrites import legacy_output_schema, wraps_output

__all__ = [
    "BLOCKS_SINCE",
    "DEFAULT_HEADERLESS",
    "FIELDS_SINCE",
    "FIELDS_UNTIL",
    "LATEST_LEGACY",
    "LATEST_MODERN",
    "LEGACY_REVISIONS",
    "MODERN_REVISIONS",
    "NESTED_FIELDS",
    "REVISIONS",
    "for_revision",
    "lacking_fields",
    "legacy_output_schema",
    "wraps_output",
]

LEGACY_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions that begin with ``initialize``, oldest first."""
MODERN_REVISIONS = ("2026-07-28",)
"""Revisions whose requests stand alone, oldest first."""
REVISIONS = LEGACY_REVISIONS + MODERN_REVISIONS

LATEST_LEGACY = LEGACY_REVISIONS[-1]
LATEST_MODERN = MODERN_REVISIONS[-1]

DEFAULT_HEADERLESS = "2025-03-26"
"""What a legacy HTTP request without a version header and without a session speaks.

Source: 2025-11-25, transports, Protocol Version Header.
"""

_Value = TypeVar("_Value", bound=Struct)
_Rewrite: TypeAlias = Callable[[Any, str], Any]
_Plan: TypeAlias = tuple[tuple[str, ...], tuple[str, ...], _Rewrite | None]

# Struct -> first and last revision that need another form, and what gives it (in ``_rewrites``,
# which is loaded with the first client of a legacy revision).
_REWRITES: dict[str, tuple[str, str, str]] = {
    "CallToolResult": ("2025-06-18", LATEST_LEGACY, "wrap_structured_content"),
    "CreateMessageRequestParams": ("2024-11-05", "2025-06-18", "one_block_per_message"),
    "ElicitRequestFormParams": ("2025-06-18", "2025-06-18", "simplify_form"),
    "ElicitRequestParams": ("2025-06-18", "2025-06-18", "simplify_form"),
    "Tool": ("2025-06-18", LATEST_LEGACY, "wrap_output_schema"),
    "ToolResultContent": ("2025-11-25", LATEST_LEGACY, "wrap_structured_content"),
}

_NOTHING: _Plan = ((), (), None)
_KNOWN = {*FIELDS_SINCE, *FIELDS_UNTIL, *NESTED_FIELDS, *BLOCKS_SINCE, *_REWRITES}

_plans: dict[str, dict[type, _Plan]] = {revision: {} for revision in REVISIONS}


def for_revision(value: _Value, revision: str) -> _Value:
    """Return ``value`` as ``revision`` can say it; ``value`` itself where it already does.

    Fields that the revision lacks are left out, at any depth, and a content block that it lacks
    becomes a text block that names it. ``value`` is never changed.

    Structured content that is no object is wrapped as ``{"result": ...}`` for revisions that want
    an object, and so is the output schema of a tool that does not promise one. What only happens
    to be an object is not wrapped: whoever knows the schema asks ``wraps_output`` and does it.

    Args:
        value: A result, notification or request of this package, or a part of one.
        revision: One of ``REVISIONS``.

    Raises:
        ValueError: ``revision`` is no revision of the protocol.
    """
    plans = _plans.get(revision)
    if plans is None:
        known = ", ".join(REVISIONS)
        raise ValueError(f"no such protocol revision: {revision!r}; expected one of {known}")
    plan = plans.get(type(value)) or _plan(type(value), revision)
    if plan is _NOTHING:
        return value
    reduced: _Value = _carry_out(plan, value, revision)
    return reduced


def _carry_out(plan: _Plan, value: Any, revision: str) -> Any:
    lacking, nested, rewrite = plan
    result = value
    for name in lacking:
        if getattr(value, name) is not UNSET:
            result = value.__copy__() if result is value else result
            setattr(result, name, UNSET)
    for name in nested:
        inner = getattr(value, name)
        if inner is UNSET:
            continue
        reduced = _reduce(inner, revision)
        if reduced is not inner:
            result = value.__copy__() if result is value else result
            setattr(result, name, reduced)
    return result if rewrite is None else rewrite(result, revision)


def _reduce(inner: Any, revision: str) -> Any:
    """Reduce a Struct, or a list or dict of Structs; the same object where nothing changes."""
    if isinstance(inner, list):
        return _reduce_entries(inner, enumerate(inner), revision)
    if isinstance(inner, dict):
        return _reduce_entries(inner, inner.items(), revision)
    plan = _plans[revision].get(type(inner)) or _plan(type(inner), revision)
    return inner if plan is _NOTHING else _carry_out(plan, inner, revision)


def _reduce_entries(holder: Any, entries: Iterable[tuple[Any, Any]], revision: str) -> Any:
    plans = _plans[revision]
    result = holder
    for key, entry in entries:
        plan = plans.get(type(entry)) or _plan(type(entry), revision)
        if plan is _NOTHING:
            continue
        reduced = _carry_out(plan, entry, revision)
        if reduced is not entry:
            result = holder.copy() if result is holder else result
            result[key] = reduced
    return result


def _plan(cls: type, revision: str) -> _Plan:
    """Make, and keep, what has to be done with values of a class; its bases' names count too."""
    names = (base.__name__ for base in cls.__mro__)
    plans = (_plan_by_name(name, revision) for name in names if name in _KNOWN)
    plan = _plans[revision][cls] = next(plans, _NOTHING)
    return plan


def _plan_by_name(name: str, revision: str) -> _Plan:
    if revision < BLOCKS_SINCE.get(name, revision):
        return (), (), _replace_block
    first, last, rewrite = _REWRITES.get(name, ("", "", ""))
    nested = NESTED_FIELDS.get(name, {})
    lacking = lacking_fields(name, revision)
    plan: _Plan = (
        lacking,
        tuple(
            field
            for field, inner in nested.items()
            if field not in lacking
            and any(_plan_by_name(struct, revision) is not _NOTHING for struct in inner)
        ),
        _rewriting(rewrite) if first <= revision <= last else None,
    )
    return _NOTHING if plan == _NOTHING else plan


def _replace_block(block: Any, revision: str) -> Any:
    return _reduce(_rewriting("block_as_text")(block, revision), revision)


def _rewriting(name: str) -> _Rewrite:
    rewrite: _Rewrite = getattr(import_module("._rewrites", __package__), name)
    return rewrite


def __getattr__(name: str) -> Any:
    if name not in ("legacy_output_schema", "wraps_output"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = _rewriting(name)
    return value
