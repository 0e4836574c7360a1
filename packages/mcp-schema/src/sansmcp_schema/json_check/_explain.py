"""An invalid value -> every violation in it, worded. Taken only after a check has failed."""

from typing import Any, NamedTuple

from ._furthest import furthest
from ._kinds import kinds_of
from ._nodes import Document, Leaf, Node
from ._reach import dependent_names, dependent_nodes, item_nodes, known_names, property_nodes
from ._suggest import closest
from ._values import json_key, json_type
from ._violation import Violation, quote
from ._words import (
    alternatives,
    counted,
    expectation,
    expected_by_leaf,
    is_secret_name,
    quoted_list,
    show,
)

__all__ = ["explain"]

_MAX_STEPS = 20_000
_SIZED = {"minItems", "maxItems", "minProperties", "maxProperties"}

Path = tuple[str | int, ...]
_NAME = -1  # ends the path of a name itself, which no index does


class _Finding(NamedTuple):
    """A violation in the making; ``expected`` is the part of it that alternatives can share."""

    path: Path
    keyword: str
    message: str
    expected: str = ""


class _Enough(Exception):
    """The bound on violations or on steps is reached."""


def explain(document: Document, secret_words: tuple[str, ...], value: Any) -> list[Violation]:
    """Return all violations, in the order of the schema's keywords and the value's items."""
    explainer = _Explainer(document, secret_words)
    try:
        explainer.visit(document.root, value, (), False)
    except _Enough:
        rest = "more is wrong than is listed here"
        explainer.found[document.limits.max_violations :] = [_Finding((), "", rest)]
    return [Violation(one.path, one.keyword, one.message) for one in explainer.found]


class _Explainer:
    """Collects findings in ``found``; each method looks at one group of keywords."""

    def __init__(self, document: Document, secret_words: tuple[str, ...]) -> None:
        self.found: list[_Finding] = []
        self._document = document
        self._secret_words = secret_words
        self._marked: dict[Node, bool] = {}
        self._seen: set[tuple[Path, str]] = set()
        self._visited: set[tuple[Node, Path]] = set()
        self._found_apart: dict[tuple[Node, Path, bool], list[_Finding]] = {}
        self._steps = 0

    def visit(self, node: Node, value: Any, path: Path, secret: bool) -> None:
        """Add what is wrong with a value, if anything is."""
        if node.check(value) or (node, path) in self._visited:
            return
        self._visited.add((node, path))
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise _Enough
        secret = secret or self._is_marked(node)
        if isinstance(node.schema, bool):
            self._expected(path, "", "no value", value, secret)
            return
        kind = json_type(value)
        broken = [leaf for leaf in node.leaves if _breaks(leaf, kind, value)]
        if "type" in node.keywords and kind not in _own_kinds(node):
            choosy = next((leaf for leaf in broken if leaf.keyword in ("enum", "const")), None)
            if choosy is None:
                self._expected(path, "type", _own_type(node), value, secret)
            else:
                self._leaf(choosy, node, value, path, secret)
            return
        for leaf in broken:
            self._leaf(leaf, node, value, path, secret)
        if isinstance(value, dict):
            self._object(node, value, path, secret)
        elif isinstance(value, list | tuple):
            self._array(node, value, path, secret)
        self._in_place(node, value, path, secret)

    def _is_marked(self, node: Node) -> bool:
        """Tell whether a node, or one that applies to the same value, is marked as secret."""
        if node not in self._marked:
            schema = node.schema
            self._marked[node] = (
                isinstance(schema, dict)
                and (schema.get("writeOnly") is True or schema.get("format") == "password")
            ) or any(self._is_marked(one) for one in node.in_place())
        return self._marked[node]

    def _inside(self, path: Path, step: str | int, secret: bool) -> tuple[Path, bool]:
        named = isinstance(step, str) and is_secret_name(step, self._secret_words)
        return (*path, step), secret or named

    def _add(self, finding: _Finding) -> None:
        if (finding.path, finding.message) in self._seen:
            return
        if len(self.found) >= self._document.limits.max_violations:
            raise _Enough
        self._seen.add((finding.path, finding.message))
        self.found.append(finding)

    def _expected(
        self, path: Path, keyword: str, expected: str, value: Any, secret: bool, got: str = ""
    ) -> None:
        message = f"expected {expected}, got {got or show(value, secret=secret)}"
        self._add(_Finding(path, keyword, message, expected))

    def _leaf(self, leaf: Leaf, node: Node, value: Any, path: Path, secret: bool) -> None:
        expected, got = expected_by_leaf(leaf.keyword, node), ""
        if leaf.keyword in _SIZED:
            got = str(len(value))
        elif leaf.keyword in ("minLength", "maxLength") and not secret:
            got = f"{show(value, secret=secret)} ({counted(len(value), 'character')})"
        elif leaf.keyword == "uniqueItems":
            got = "array whose items {} and {} are equal".format(*_equal_items(value))
        elif leaf.keyword == "pattern":
            bound = self._document.patterns[node.keywords["pattern"]].max_characters
            if bound is not None and len(value) > bound:
                got = f"{counted(len(value), 'character')}; at most {bound} are searched"
        self._expected(path, leaf.keyword, expected, value, secret, got)

    def _array(self, node: Node, value: Any, path: Path, secret: bool) -> None:
        first, rest = item_nodes(node)
        for at, item in enumerate(value):
            inner = first[at] if at < len(first) else rest
            if inner is not None:
                self.visit(inner, item, *self._inside(path, at, secret))
        if (wanted := node.one("contains")) is None:
            return
        least = int(node.keywords.get("minContains", 1))
        most = node.keywords.get("maxContains")
        found = sum(wanted.check(item) for item in value)
        few = found < least
        if few or (most is not None and found > most):
            count = least if few else int(most or 0)
            noun = "item that is" if count == 1 else "items that are"
            bound = "at least" if few else "at most"
            expected = f"array with {bound} {count} {noun} {expectation(wanted)}"
            keyword = "contains" if most is None and "minContains" not in node.keywords else ""
            keyword = keyword or ("minContains" if few else "maxContains")
            self._expected(path, keyword, expected, value, secret, str(found))

    def _object(self, node: Node, value: dict[str, Any], path: Path, secret: bool) -> None:
        self._missing(node, value, path, secret)
        for name, item in value.items():
            for keyword, inner in property_nodes(node, name, self._document):
                if keyword == "additionalProperties" and inner.schema is False:
                    self._unknown(node, name, value, path, secret)
                else:
                    self.visit(inner, item, *self._inside(path, name, secret))
        if (rule := node.one("propertyNames")) is not None:
            for name in value:
                for finding in self._apart(rule, name, (*path, name, _NAME), secret):
                    text = finding.message if secret else f"key {quote(name)}: {finding.message}"
                    self._add(_Finding(path, "propertyNames", text))
        for name, inner in dependent_nodes(node).items():
            if name in value:
                self.visit(inner, value, path, secret)

    def _missing(self, node: Node, value: dict[str, Any], path: Path, secret: bool) -> None:
        received = "" if secret else f"received {quoted_list(value) or 'no keys'}; "
        names = known_names(node)
        missing = [name for name in node.keywords.get("required", ()) if name not in value]
        if missing:
            text = f"missing {quoted_list(missing)}: {received}expected {quoted_list(names)}"
            self._add(_Finding(path, "required", text))
        for name, needed in dependent_names(node).items():
            lacking = [one for one in needed if one not in value] if name in value else []
            if lacking:
                text = f"missing {quoted_list(lacking)}, which {quote(name)} needs beside it"
                keyword = "dependentRequired"
                if keyword not in node.keywords:
                    keyword = "dependencies"
                self._add(_Finding(path, keyword, text))

    def _unknown(
        self, node: Node, name: str, value: dict[str, Any], path: Path, secret: bool
    ) -> None:
        names = known_names(node)
        patterns = [f"names that match {quote(one)}" for one in node.named("patternProperties")]
        expected = " or ".join([*([quoted_list(names)] if names else []), *patterns])
        text = "unknown key" if secret else f"unknown key {quote(name)}"
        text += f": expected {expected}" if expected else ": no keys are expected"
        meant = closest(name, [one for one in names if one not in value])
        if meant is not None and len(names) > 1 and not secret:
            text += f"; did you mean {quote(meant)}?"
        self._add(_Finding(path, "additionalProperties", text))

    def _in_place(self, node: Node, value: Any, path: Path, secret: bool) -> None:
        if (target := node.one("$ref")) is not None:
            self.visit(target, value, path, secret)
        for one in node.several("allOf"):
            self.visit(one, value, path, secret)
        if (options := node.several("anyOf")) and not any(one.check(value) for one in options):
            self._alternatives("anyOf", options, value, path, secret)
        if options := node.several("oneOf"):
            held = [one for one in options if one.check(value)]
            if len(held) > 1:
                which = alternatives(expectation(one) for one in held)
                expected = f"exactly one of {len(options)} alternatives to hold"
                got = f"{show(value, secret=secret)}, for which {len(held)} hold: {which}"
                self._expected(path, "oneOf", expected, value, secret, got)
            elif not held:
                self._alternatives("oneOf", options, value, path, secret)
        if (barred := node.one("not")) is not None and barred.check(value):
            expected = f"anything but {expectation(barred)}"
            self._expected(path, "not", expected, value, secret)
        if (condition := node.one("if")) is not None:
            branch = node.one("then" if condition.check(value) else "else")
            if branch is not None:
                self.visit(branch, value, path, secret)

    def _apart(self, node: Node, value: Any, path: Path, secret: bool) -> list[_Finding]:
        """Return what is wrong with a value without adding it."""
        key = (node, path, secret)
        if key not in self._found_apart:
            outside = self.found, self._seen, self._visited
            self.found, self._seen, self._visited = [], set(), set()
            try:
                self.visit(node, value, path, secret)
                self._found_apart[key] = self.found
            finally:
                self.found, self._seen, self._visited = outside
        return self._found_apart[key]

    def _alternatives(
        self, keyword: str, options: list[Node], value: Any, path: Path, secret: bool
    ) -> None:
        """Add what is wrong with the one option that is meant, or what all of them expect."""
        kind = json_type(value)
        meant = {
            option: self._apart(option, value, path, secret)
            for option in options
            if kind in kinds_of(option)
        }
        if len(meant) > 1 and isinstance(value, dict):
            # A property with a fixed value (a tag) tells which option is meant.
            tagged = {
                option: findings
                for option, findings in meant.items()
                if not any(_is_tag(finding, path) for finding in findings)
            }
            if not tagged and self._wrong_tag(keyword, list(meant.values()), value, path, secret):
                return
            meant = tagged or meant
        if explained := _of_one_option(list(meant.values()), value, path):
            for finding in explained:
                self._add(finding)
            return
        texts = []
        for option in options:
            at_once = [one.expected for one in meant.get(option, ()) if one.path == path]
            narrow = at_once[0] if at_once and not isinstance(value, dict) else ""
            texts.append(narrow or expectation(option))
        self._expected(path, keyword, alternatives(texts), value, secret)

    def _wrong_tag(
        self,
        keyword: str,
        findings: list[list[_Finding]],
        value: dict[str, Any],
        path: Path,
        secret: bool,
    ) -> bool:
        """Add that a tag is none of those there are, if it is one property that tells them all."""
        tags = [[one for one in each if _is_tag(one, path)] for each in findings]
        places = {one.path for each in tags for one in each}
        if len(places) != 1 or not all(tags):
            return False
        (place,) = places
        name = place[-1]
        if not isinstance(name, str):
            return False
        inside, secret = self._inside(path, name, secret)
        expected = alternatives(one.expected for each in tags for one in each)
        self._expected(inside, keyword, expected, value[name], secret)
        return True


def _of_one_option(findings: list[list[_Finding]], value: Any, path: Path) -> list[_Finding]:
    """What is wrong with the option that is meant; nothing where no option is more so than others.

    Args:
        findings: For each option that a value of this kind may be meant for, what is wrong.
        value: The value.
        path: The way to it.
    """
    if len(findings) == 1:
        return findings[0]
    if not findings or not all(findings) or not isinstance(value, dict | list | tuple):
        return []
    best = furthest(value, path, [[one.path for one in each] for each in findings])
    if len(best) == 1:
        return findings[best[0]]
    several = [findings[index] for index in best]
    if any(len(each) > 1 or each[0].path == path for each in several):
        return []
    return [_either([each[0] for each in several])]


def _either(findings: list[_Finding]) -> _Finding:
    """One finding for several about the same value, which differ in what they expect."""
    first = findings[0]
    expected = alternatives(one.expected for one in findings if one.expected)
    got = first.message.removeprefix(f"expected {first.expected}")
    if not first.expected or any(one.path != first.path for one in findings):
        return first
    return _Finding(first.path, first.keyword, f"expected {expected}{got}", expected)


def _breaks(leaf: Leaf, kind: str, value: Any) -> bool:
    concerned = "number" if kind == "integer" else kind
    return leaf.kind in ("any", concerned) and not leaf.holds(value)


def _own_kinds(node: Node) -> set[str]:
    named = node.keywords["type"]
    names = set(named) if isinstance(named, list) else {named}
    return names | {"integer"} if "number" in names else names


def _own_type(node: Node) -> str:
    named = node.keywords["type"]
    return " or ".join(named if isinstance(named, list) else [named])


def _is_tag(finding: _Finding, path: Path) -> bool:
    return finding.keyword in ("const", "enum") and len(finding.path) == len(path) + 1


def _equal_items(items: Any) -> tuple[int, int]:
    first: dict[Any, int] = {}
    for at, item in enumerate(items):
        if first.setdefault(json_key(item), at) != at:
            return first[json_key(item)], at
    raise AssertionError("no items are equal")  # pragma: no cover - asked only where some are
