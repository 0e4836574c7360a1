"""Which of several alternatives a value was meant for, by how far it gets in each."""

from typing import Any

__all__ = ["furthest"]

Path = tuple[str | int, ...]


def furthest(value: Any, path: Path, places: list[list[Path]]) -> list[int]:
    """The alternatives that an array or object gets furthest in, by their index.

    That is where the least is wrong with the value itself, then where the least is wrong in it,
    then where the first wrong part comes last.

    Args:
        value: The array or object.
        path: The way to it.
        places: For each alternative, the paths of all that is wrong.

    Returns:
        Several, where none gets further than the others.
    """
    scores = [_score(value, path, wrong) for wrong in places]
    best = min(scores)
    return [index for index, score in enumerate(scores) if score == best]


def _score(value: Any, path: Path, wrong: list[Path]) -> tuple[int, int, list[int]]:
    itself = sum(place == path for place in wrong)
    # One place an alternative, so that the work stays that of the check itself.
    inside = next((place[len(path) :] for place in wrong if place != path), ())
    # The further a part is from the beginning, and the deeper, the better.
    return itself, len(wrong), [*(-step for step in _position(value, inside)), 1]


def _position(value: Any, steps: Path) -> list[int]:
    """Where a part stands in a value: at each level, how many parts come before it."""
    position: list[int] = []
    for step in steps:
        if isinstance(value, dict) and step in value:
            position.append(list(value).index(step))
        elif isinstance(value, list | tuple) and isinstance(step, int) and 0 <= step < len(value):
            position.append(step)
        else:
            break
        value = value[step]
    return position
