"""Trees without repetitions of what may be empty, which read the same text in one way fewer.

Whether a pattern matches is all that is asked, so ``(a?)*`` may become ``a*``, ``(?:a|)+`` too, and
a repeated assertion becomes the assertion, or nothing where it need not hold.
"""

from ._pattern_parse import Assertion, Choice, Look, One, Repeat, Sequence, Tree
from ._pattern_text import UntranslatablePattern

__all__ = ["NOTHING", "simplify"]

NOTHING = Sequence(())


def simplify(tree: Tree) -> Tree:
    """Return an equal tree in which no repeated part can be empty.

    Raises:
        UntranslatablePattern: A repeated part is empty only where an assertion holds.
    """
    if isinstance(tree, Sequence):
        return _sequence([simplify(part) for part in tree.parts])
    if isinstance(tree, Choice):
        return Choice(tuple(dict.fromkeys(simplify(option) for option in tree.options)))
    if isinstance(tree, Look):
        return Look(simplify(tree.part), tree.opening)
    if isinstance(tree, Repeat):
        return _repeat(tree._replace(part=simplify(tree.part)))
    return tree


def _sequence(parts: list[Tree]) -> Tree:
    flat: list[Tree] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, Sequence) else [part])
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def _repeat(tree: Repeat) -> Tree:
    if tree.high == 0:
        return NOTHING
    if (tree.low, tree.high) == (1, 1):
        return tree.part
    if not _reads(tree.part):
        return tree.part if tree.low else NOTHING
    if _is_empty_somewhere(tree.part):
        if not _can_be_empty(tree.part):
            raise UntranslatablePattern("what is repeated is empty only where an assertion holds")
        return Repeat(_never_empty(tree.part), 0, tree.high, tree.lazy)
    return tree


def _reads(tree: Tree) -> bool:
    """Tell whether a tree can read a code point at all."""
    if isinstance(tree, Sequence):
        return any(_reads(part) for part in tree.parts)
    if isinstance(tree, Choice):
        return any(_reads(option) for option in tree.options)
    if isinstance(tree, Repeat):
        return _reads(tree.part)
    return isinstance(tree, One)


def _can_be_empty(tree: Tree) -> bool:
    """Tell whether a tree matches the empty text everywhere."""
    if isinstance(tree, Sequence):
        return all(_can_be_empty(part) for part in tree.parts)
    if isinstance(tree, Choice):
        return any(_can_be_empty(option) for option in tree.options)
    return isinstance(tree, Repeat) and tree.low == 0


def _is_empty_somewhere(tree: Tree) -> bool:
    """Tell whether a tree matches the empty text in some place."""
    if isinstance(tree, Sequence):
        return all(_is_empty_somewhere(part) for part in tree.parts)
    if isinstance(tree, Choice):
        return any(_is_empty_somewhere(option) for option in tree.options)
    return isinstance(tree, Assertion | Look) or (isinstance(tree, Repeat) and tree.low == 0)


def _never_empty(tree: Tree) -> Tree:
    """Return a tree for the same texts but the empty one; a repetition around it adds that."""
    if not _is_empty_somewhere(tree):
        return tree
    if isinstance(tree, Repeat):
        return Repeat(tree.part, 1, tree.high, tree.lazy)
    if isinstance(tree, Choice):
        options = [_never_empty(option) for option in tree.options if _reads(option)]
        return options[0] if len(options) == 1 else Choice(tuple(options))
    if not isinstance(tree, Sequence) or not all(_can_be_empty(part) for part in tree.parts):
        raise UntranslatablePattern("what is repeated is empty only where an assertion holds")
    # The first part that is not empty may be any of them.
    options = [
        _sequence([_never_empty(part), *tree.parts[at + 1 :]])
        for at, part in enumerate(tree.parts)
        if _reads(part)
    ]
    return options[0] if len(options) == 1 else Choice(tuple(options))
