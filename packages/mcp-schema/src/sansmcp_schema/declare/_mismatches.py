"""A value -> everything in it that its Python type does not take; only after something failed."""

from collections.abc import Iterable, Iterator

from ._errors import Mismatch
from ._shape import Part

__all__ = ["Broken", "Path", "mismatches"]

Path = tuple[str | int, ...]


class Broken:
    """The places at which a value breaks its schema.

    Args:
        paths: The path to each.
    """

    def __init__(self, paths: Iterable[Path] = ()) -> None:
        self._at = set(paths)
        self._above = {path[:length] for path in self._at for length in range(len(path))}

    def holds(self, path: Path) -> bool:
        """Whether the value at ``path``, or something in it, breaks its schema."""
        return path in self._at or path in self._above


def mismatches(part: Part, broken: Broken, path: Path = ()) -> Iterator[Mismatch]:
    """Each value in a part that satisfies its schema and cannot be converted, innermost first.

    Nothing is converted that breaks its schema or holds something that does, so that the author's
    own code sees none of it.

    Args:
        part: A value and the shape it is read by.
        broken: Where the value breaks its schema.
        path: The way to the part; mismatches are told from its beginning.
    """
    if part.shape.read is None:
        return
    found = False
    if part.shape.parts is not None:
        for inner in part.shape.parts(part.value):
            for one in mismatches(inner, broken, (*path, inner.step)):
                found = True
                yield one
    if found or broken.holds(path):
        return
    try:
        part.shape.read(part.value)
    except Mismatch as mismatch:
        yield Mismatch(mismatch.expected, mismatch.value, (*path, *mismatch.path), mismatch.detail)
