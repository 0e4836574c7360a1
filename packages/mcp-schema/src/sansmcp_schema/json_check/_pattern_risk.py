"""How the time of a backtracking search grows with the length of the string.

Two ways to read the same text around one loop of the automaton mean exponential time; loops that
follow each other and can read the same text mean one more power each.

Source: Weber and Seidl, On the degree of ambiguity of finite automata (1991).
"""

from ._pattern_automaton import FEW_COPIES, Automaton
from ._pattern_parse import Choice, Look, One, Repeat, Sequence, Tree
from ._pattern_sets import EVERYTHING, CodePoints
from ._pattern_text import UntranslatablePattern

__all__ = ["power_of_time"]

_MAX_STEPS = 400_000
_MAX_WAYS = 100_000


def power_of_time(tree: Tree) -> int:
    """Return the power of the length that bounds the time: 1 for linear, 2 for quadratic.

    Raises:
        UntranslatablePattern: The time may grow exponentially, or that cannot be told.
    """
    if _ways(tree) > _MAX_WAYS:
        raise UntranslatablePattern("there are too many ways to read the same text")
    automaton, power = _measured(tree, may_start_anywhere=not _anchored(tree))
    pending = list(dict.fromkeys(automaton.looks))
    often = list(automaton.often)
    for look in pending:  # grows while it is walked
        inner, own_power = _measured(look, may_start_anywhere=False)
        power += own_power
        pending.extend(one for one in dict.fromkeys(inner.looks) if one not in pending)
        often.extend(inner.often)
    for part in dict.fromkeys(often):
        _measured(Repeat(part, 0, None, False), may_start_anywhere=False)
    return max(1, power)


def _ways(tree: Tree) -> int:
    """Return a bound on the ways through a tree outside of its loops, which are measured apart."""
    if isinstance(tree, Sequence):
        ways = 1
        for part in tree.parts:
            ways = min(ways * _ways(part), _MAX_WAYS + 1)
        return ways
    if isinstance(tree, Choice):
        return sum(_ways(option) for option in tree.options)
    if isinstance(tree, Look):
        return _ways(tree.part)
    if not isinstance(tree, Repeat) or tree.high is None or tree.high > FEW_COPIES:
        return 1
    most = 1 if isinstance(tree.part, One) else _ways(tree.part) ** tree.high
    return min(most * (tree.high - tree.low + 1), _MAX_WAYS + 1)


def _measured(tree: Tree, *, may_start_anywhere: bool) -> tuple[Automaton, int]:
    automaton = Automaton(is_exact=False)
    part = automaton.build(tree)
    if may_start_anywhere:
        # As if the pattern began with a loop over anything.
        start = automaton.state(EVERYTHING)
        automaton.connect([start], [start, *part.entries])
    return automaton, _power(automaton.points, automaton.edges)


def _power(points: list[CodePoints], edges: list[list[int]]) -> int:
    """Return the longest chain of loops that can read the same text, one after another."""
    loops = _loops(edges)
    masks = _masks(points)
    for loop in loops:
        _check_loop(edges, loop, masks)
    alphabets = [_union(masks, loop) for loop in loops]
    best: dict[int, int] = {}
    # Loops come in an order in which each follows those it leads to.
    for at, loop in enumerate(loops):
        best[at] = 1 + max(
            (
                best[other]
                for other in range(at)
                if alphabets[at] & alphabets[other]
                and _leads(edges, loop, loops[other], masks, alphabets[at] & alphabets[other])
            ),
            default=0,
        )
    return max(best.values(), default=0)


def _leads(
    edges: list[list[int]], loop: set[int], other: set[int], masks: list[int], shared: int
) -> bool:
    """Tell whether text of shared code points leads from one loop into the other."""
    reached = set(loop)
    pending = list(loop)
    while pending:
        for state in edges[pending.pop()]:
            if state in other and masks[state] & shared:
                return True
            if state not in reached and masks[state] & shared:
                reached.add(state)
                pending.append(state)
    return False


def _check_loop(edges: list[list[int]], loop: set[int], masks: list[int]) -> None:
    """Refuse a loop that reads some text in two ways and comes back to the same state."""
    inside = {state: [one for one in edges[state] if one in loop] for state in loop}
    if any(len(set(following)) < len(following) for following in inside.values()):
        raise _exponential()
    forward: dict[tuple[int, int], list[tuple[int, int]]] = {}
    pending = [(state, state) for state in loop]
    steps = 0
    while pending:
        pair = pending.pop()
        if pair in forward:
            continue
        steps += len(inside[pair[0]]) * len(inside[pair[1]])
        if steps > _MAX_STEPS:
            raise UntranslatablePattern("too large to bound the time that it takes")
        forward[pair] = [
            (left, right)
            for left in inside[pair[0]]
            for right in inside[pair[1]]
            if masks[left] & masks[right]
        ]
        pending.extend(forward[pair])
    if _apart_returns(forward):
        raise _exponential()


def _apart_returns(forward: dict[tuple[int, int], list[tuple[int, int]]]) -> bool:
    """Tell whether two ways that parted meet again.

    All pairs here are reached from equal ones, and within one loop equal pairs reach each other,
    so ways that meet again lie on a way back to one and the same state.
    """
    return any(
        left != right and any(one == other for one, other in following)
        for (left, right), following in forward.items()
    )


def _exponential() -> UntranslatablePattern:
    return UntranslatablePattern(
        "the time may grow exponentially, because a repetition can read the same text in two ways"
    )


def _anchored(tree: Tree) -> bool:
    if isinstance(tree, Sequence):
        return bool(tree.parts) and _anchored(tree.parts[0])
    if isinstance(tree, Choice):
        return all(_anchored(option) for option in tree.options)
    if isinstance(tree, Repeat):
        return tree.low > 0 and _anchored(tree.part)
    return not isinstance(tree, One | Look) and tree.kind == "start"


def _masks(points: list[CodePoints]) -> list[int]:
    """Return each set as bits, one bit for code points that no set tells apart."""
    edges = {edge for ranges in points for first, last in ranges for edge in (first, last + 1)}
    borders = sorted(edges)
    place = {border: at for at, border in enumerate(borders)}
    masks = []
    for ranges in points:
        mask = 0
        for first, last in ranges:
            mask |= (1 << place[last + 1]) - (1 << place[first])
        masks.append(mask)
    return masks


def _union(masks: list[int], states: set[int]) -> int:
    union = 0
    for state in states:
        union |= masks[state]
    return union


def _loops(edges: list[list[int]]) -> list[set[int]]:
    """Return the strongly connected parts that hold an edge, those reached last first.

    Source: Tarjan, Depth-first search and linear graph algorithms (1972), without recursion.
    """
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    loops: list[set[int]] = []
    for start in range(len(edges)):
        if start in order:
            continue
        work = [(start, 0)]
        while work:
            state, at = work.pop()
            if at == 0:
                order[state] = low[state] = len(order)
                stack.append(state)
                on_stack.add(state)
            elif edges[state][at - 1] in on_stack:
                low[state] = min(low[state], low[edges[state][at - 1]])
            if at < len(edges[state]):
                work.append((state, at + 1))
                following = edges[state][at]
                if following not in order:
                    work.append((following, 0))
                continue
            if low[state] == order[state]:
                part = {state}
                while stack[-1] != state:
                    part.add(stack.pop())
                stack.pop()
                on_stack -= part
                if len(part) > 1 or state in edges[state]:
                    loops.append(part)
    return loops
