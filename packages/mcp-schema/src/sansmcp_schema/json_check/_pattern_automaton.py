"""A tree -> an automaton with one state for each place where a code point is read.

Source: Glushkov, The abstract theory of automata (1961).
"""

from ._pattern_parse import Choice, Look, One, Repeat, Sequence, Tree
from ._pattern_sets import CodePoints
from ._pattern_text import UntranslatablePattern

__all__ = ["FEW_COPIES", "Automaton", "Part"]

_MAX_COPIED = 200
FEW_COPIES = 8
_MAX_STATES = 3000


class Part:
    """A piece of the automaton: its entries, its exits, and in how many ways it reads nothing.

    All three count up to two, which is as bad as more; two entries may be the same state.
    """

    __slots__ = ("entries", "exits", "nothing")

    def __init__(self, entries: list[int], exits: list[int], nothing: int) -> None:
        self.entries = _at_most_twice(entries)
        self.exits = _at_most_twice(exits)
        self.nothing = min(nothing, 2)


def _at_most_twice(states: list[int]) -> list[int]:
    return states if len(states) < 3 else [*dict.fromkeys(states), *_repeated(states)]


def _repeated(states: list[int]) -> list[int]:
    seen: set[int] = set()
    twice: set[int] = set()
    for state in states:
        (twice if state in seen else seen).add(state)
    return sorted(twice)


class Automaton:
    """The states of a pattern: what each reads, and which come after it.

    Args:
        is_exact: Whether each repetition is copied as often as it says. Where not, many copies
            become a loop, which tells enough about the time that a search takes.
    """

    def __init__(self, *, is_exact: bool) -> None:
        self._is_exact = is_exact
        self.looks: list[Tree] = []
        self.often: list[Tree] = []  # copied many times: as dangerous as a loop
        self.points: list[CodePoints] = []
        self.edges: list[list[int]] = []  # a state twice in a row: two ways to go there

    def state(self, points: CodePoints) -> int:
        if len(self.points) >= _MAX_STATES:
            raise UntranslatablePattern("too large to bound the time that it takes")
        self.points.append(points)
        self.edges.append([])
        return len(self.points) - 1

    def connect(self, exits: list[int], entries: list[int]) -> None:
        for state in exits:
            self.edges[state].extend(entries)

    def build(self, tree: Tree) -> Part:
        if isinstance(tree, One):
            state = [self.state(tree.points)]
            return Part(state, state, 0)
        if isinstance(tree, Sequence):
            return self._sequence([self.build(part) for part in tree.parts])
        if isinstance(tree, Choice):
            options = [self.build(option) for option in tree.options]
            return Part(
                [state for option in options for state in option.entries],
                [state for option in options for state in option.exits],
                sum(option.nothing for option in options),
            )
        if isinstance(tree, Repeat):
            return self._repeat(tree)
        if isinstance(tree, Look):
            self.looks.append(tree.part)
        return Part([], [], 1)

    def _sequence(self, parts: list[Part]) -> Part:
        whole = Part([], [], 1)
        for part in parts:
            self.connect(whole.exits, part.entries)
            whole = Part(
                whole.entries + part.entries * whole.nothing,
                whole.exits * part.nothing + part.exits,
                whole.nothing * part.nothing,
            )
        return whole

    def _repeat(self, tree: Repeat) -> Part:
        """Copy the part as often as it must come; where that is too much, make it a loop."""
        copies = tree.high if tree.high is not None else max(tree.low, 1)
        is_wide = isinstance(tree.part, One) and copies - tree.low > FEW_COPIES
        is_large = is_wide or _size(tree.part) * copies > _MAX_COPIED
        if is_large and not self._is_exact:
            part = self.build(tree.part)
            self.connect(part.exits, part.entries)
            return Part(part.entries, part.exits, int(tree.low == 0))
        if copies > FEW_COPIES and not isinstance(tree.part, One):
            self.often.append(tree.part)
        whole = Part([], [], 1)
        for at in reversed(range(copies)):  # each optional copy is inside of the one before
            part = self.build(tree.part)
            if tree.high is None and at == copies - 1:
                self.connect(part.exits, part.entries)
            whole = self._sequence([part, whole])
            if at >= tree.low:
                whole = Part(whole.entries, whole.exits, 1)
        return whole


def _size(tree: Tree) -> int:
    """Return how many states a tree becomes, repetitions copied."""
    if isinstance(tree, One):
        return 1
    if isinstance(tree, Repeat):
        copies = tree.high if tree.high is not None else max(tree.low, 1)
        size = _size(tree.part)
        return size if size * copies > _MAX_COPIED else size * copies
    if isinstance(tree, Sequence):
        return sum(_size(part) for part in tree.parts)
    if isinstance(tree, Choice):
        return sum(_size(option) for option in tree.options)
    return 0
