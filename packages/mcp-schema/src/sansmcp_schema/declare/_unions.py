"""Unions, those that msgspec refuses included."""

from collections.abc import Iterable
from typing import Any, Union

import msgspec

from .. import json_check
from ._errors import Mismatch
from ._shape import NOTHING, Parts, Reader, Shape

__all__ = ["union_of", "union_shape"]


def union_shape(branches: list[Shape], definitions: dict[str, Any]) -> Shape:
    """A value of any of the branches; the most specific one that takes it makes the value.

    Args:
        branches: Their shapes, in the order of the annotation.
        definitions: The ``$defs`` that the branches' references point into.
    """
    shape = Shape(
        schema={"anyOf": [branch.schema for branch in branches]},
        read=_reader(branches, definitions),
        parts=_parts(branches),
        named=" | ".join(branch.named for branch in branches),
        rank=min(branch.rank for branch in branches),
    )
    gates = [branch.gate for branch in branches]
    natives = [branch.native for branch in branches]
    if NOTHING not in gates and _known(gates):
        shape.gate = union_of(gates)
    if NOTHING not in natives and _known(natives):
        shape.native = union_of(natives)
        shape.sound = all(branch.sound for branch in branches)
    shape.direct = shape.gate is not NOTHING and all(branch.direct for branch in branches)
    return shape


def union_of(types: Iterable[Any]) -> Any:
    """The union of types that are known only at run time."""
    return Union[tuple(types)]  # noqa: UP007 - there is no other spelling for a sequence


def _known(types: list[Any]) -> bool:
    """Whether msgspec takes the union of these types."""
    try:
        msgspec.json.Decoder(union_of(types))
    except Exception:  # noqa: BLE001 - classes of the author are inspected, which may run his code
        return False
    return True


def _parts(branches: list[Shape]) -> Parts | None:
    """Those of the only branch that has any: with several, only reading tells which is meant."""
    found = [branch for branch in branches if branch.parts is not None]
    others = [branch for branch in branches if branch.parts is None and branch.schema != _NULL]
    return found[0].parts if len(found) == 1 and not others else None


_NULL = {"type": "null"}


def _reader(branches: list[Shape], definitions: dict[str, Any]) -> Reader | None:
    if all(branch.read is None for branch in branches):
        return None
    ordered = sorted(branches, key=lambda branch: branch.rank)
    checks: list[Any] = []

    def read(value: Any) -> Any:
        if not checks:
            # Not at declaration: most unions are read by msgspec and never come here.
            checks[:] = [
                json_check.compile_check({**b.schema, "$defs": definitions}) for b in ordered
            ]
        mismatch = None
        for branch, check in zip(ordered, checks, strict=True):
            if not check.is_valid(value):
                continue
            try:
                return value if branch.read is None else branch.read(value)
            except Mismatch as found:
                mismatch = mismatch or found
        raise mismatch or Mismatch(shape_names(branches), value)

    return read


def shape_names(branches: list[Shape]) -> str:
    """The branches in words: ``int or str``."""
    return " or ".join(branch.named or "another type" for branch in branches)
