"""Patterns without assertions inside, run in linear time whatever the pattern and the text are.

Sets of states of the automaton are the states of the run, found as the text asks for them and kept.

Source: Thompson, Regular expression search algorithm (1968).
"""

from bisect import bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING

from ._pattern_automaton import Automaton
from ._pattern_parse import Assertion, Choice, Look, Repeat, Sequence, Tree
from ._pattern_text import UntranslatablePattern

if TYPE_CHECKING:
    from ._pattern_sets import CodePoints

__all__ = ["linear_search"]

_MAX_KEPT = 500
_MAX_MOVES = 300


def linear_search(tree: Tree) -> Callable[[str], bool] | None:
    """Return a linear search for a pattern, or None where it has assertions other than at its ends.

    Also None where the automaton would be too large.
    """
    options = [_without_ends(one) for one in (tree.options if isinstance(tree, Choice) else [tree])]
    if any(_has_assertion(core) for _, core, _ in options):
        return None
    try:
        return _Run(options).search
    except UntranslatablePattern:
        return None


def _without_ends(tree: Tree) -> tuple[bool, Tree, bool]:
    """Return whether a tree begins at the start, what it reads, and whether it ends at the end."""
    parts = list(tree.parts) if isinstance(tree, Sequence) else [tree]
    at_start = bool(parts) and parts[0] == Assertion("start")
    parts = parts[1:] if at_start else parts
    at_end = bool(parts) and parts[-1] == Assertion("end")
    parts = parts[:-1] if at_end else parts
    return at_start, Sequence(tuple(parts)), at_end


def _has_assertion(tree: Tree) -> bool:
    if isinstance(tree, Sequence):
        return any(_has_assertion(part) for part in tree.parts)
    if isinstance(tree, Choice):
        return any(_has_assertion(option) for option in tree.options)
    if isinstance(tree, Repeat):
        return _has_assertion(tree.part)
    return isinstance(tree, Assertion | Look)


class _State:
    """A set of states of the automaton, and where each code point leads from it."""

    __slots__ = ("is_final", "is_match", "members", "moves")

    def __init__(self, members: frozenset[int], is_match: bool, is_final: bool) -> None:
        self.members = members
        self.is_match = is_match
        self.is_final = is_final
        self.moves: dict[str, _State] = {}


class _Run:
    def __init__(self, options: list[tuple[bool, Tree, bool]]) -> None:
        automaton = Automaton(is_exact=True)
        self._entries: set[int] = set()
        self._everywhere: set[int] = set()  # entries of what may begin anywhere
        self._matches: set[int] = set()
        self._finals: set[int] = set()
        matches_nothing = is_final = self._ends_anywhere = False
        for at_start, tree, at_end in options:
            part = automaton.build(tree)
            (self._entries if at_start else self._everywhere).update(part.entries)
            (self._finals if at_end else self._matches).update(part.exits)
            matches_nothing = matches_nothing or (part.nothing > 0 and not at_end)
            is_final = is_final or (part.nothing > 0 and at_end)
            if part.nothing > 0 and at_end and not at_start:
                self._ends_anywhere = True
        self._edges = [set(following) for following in automaton.edges]
        self._starts = [[first for first, _ in points] for points in automaton.points]
        self._points: list[CodePoints] = automaton.points
        self._first = _State(frozenset(), matches_nothing, is_final)
        self._kept: dict[frozenset[int], _State] = {}

    def search(self, text: str) -> bool:
        """Tell whether the pattern matches anywhere in a text."""
        state = self._first
        for character in text:
            if state.is_match:
                return True
            state = state.moves.get(character) or self._move(state, character)
        return state.is_match or state.is_final

    def _move(self, state: _State, character: str) -> _State:
        point = ord(character)
        candidates = self._everywhere.union(*(self._edges[one] for one in state.members))
        if state is self._first:
            candidates |= self._entries
        members = frozenset(one for one in candidates if self._reads(one, point))
        following = self._kept.get(members)
        if following is None:
            if len(self._kept) >= _MAX_KEPT:
                self._kept = {}
                self._first.moves = {}
            is_final = self._ends_anywhere or not self._finals.isdisjoint(members)
            following = _State(members, not self._matches.isdisjoint(members), is_final)
            self._kept[members] = following
        if len(state.moves) >= _MAX_MOVES:
            state.moves = {}
        state.moves[character] = following
        return following

    def _reads(self, state: int, point: int) -> bool:
        at = bisect_right(self._starts[state], point) - 1
        return at >= 0 and point <= self._points[state][at][1]
