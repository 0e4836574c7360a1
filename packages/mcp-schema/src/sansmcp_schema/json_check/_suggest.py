"""The known name that comes closest to one that is not."""

from collections.abc import Iterable

__all__ = ["closest", "edit_distance"]

_MAX_CHARACTERS = 64
_MAX_CANDIDATES = 200


def edit_distance(first: str, second: str) -> int:
    """Return how many insertions, deletions, changes and swaps of neighbours part two names."""
    before_last: list[int] = []
    last = list(range(len(second) + 1))
    for row, left in enumerate(first, 1):
        current = [row]
        for column, right in enumerate(second, 1):
            cost = min(
                last[column] + 1, current[column - 1] + 1, last[column - 1] + (left != right)
            )
            swapped = (
                row > 1 and column > 1 and left == second[column - 2] and first[row - 2] == right
            )
            current.append(min(cost, before_last[column - 2] + 1) if swapped else cost)
        before_last, last = last, current
    return last[-1]


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that ``name`` is probably meant to be, or None.

    Letter case does not count; one letter in three may differ. Long names and more than
    200 candidates are not compared, so that the cost stays bounded.
    """
    if len(name) > _MAX_CHARACTERS:
        return None
    best, best_distance = None, len(name) // 3 + 1
    for _, candidate in zip(range(_MAX_CANDIDATES), known, strict=False):
        if abs(len(candidate) - len(name)) >= best_distance:
            continue
        distance = edit_distance(name.lower(), candidate.lower())
        if distance < best_distance:
            best, best_distance = candidate, distance
    return best
