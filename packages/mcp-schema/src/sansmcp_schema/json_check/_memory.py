"""What one check of a schema that contains itself has found out so far.

Such a schema may look at the same inner value along many paths, twice as many at each level. Here
each pair of subschema and value is looked at once per check.
"""

from _thread import _local  # threading itself costs import time
from collections.abc import Callable
from typing import Any

__all__ = ["Memory", "checked_once"]

Predicate = Callable[[Any], bool]


class Memory(_local):
    """Per thread: the results of the running check, None where none runs.

    A value is kept beside its result, so that its id stays taken.
    """

    found: dict[tuple[int, int], tuple[Any, bool]] | None = None


def checked_once(check: Predicate, memory: Memory) -> Predicate:
    """Return a predicate that asks ``check`` once for each array or object of a running check."""
    own = id(check)

    def remembered(value: Any) -> bool:
        found = memory.found
        if found is None or not isinstance(value, dict | list):
            return check(value)
        key = (own, id(value))
        if key in found:
            return found[key][1]
        holds = check(value)
        found[key] = (value, holds)
        return holds

    return remembered
