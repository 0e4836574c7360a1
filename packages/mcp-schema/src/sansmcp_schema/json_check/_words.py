"""The words of violations: what was expected, and what may be shown of what arrived."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from msgspec.json import encode

from ._kinds import kinds_of
from ._nodes import Node
from ._values import json_type
from ._violation import quote

__all__ = [
    "counted",
    "expectation",
    "expected_by_leaf",
    "is_secret_name",
    "quoted_list",
    "show",
]

_SHOWN_CHARACTERS = 40
_SHOWN_CHOICES = 20
_SHOWN_OPTIONS = 8
_SHOWN_PATTERN = 200
_SHOWN_BITS = 3 * _SHOWN_CHARACTERS
# A capital after a small letter starts a word, and so does the last of several capitals before one.
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W_A-Z\d]+|\d+")


def is_secret_name(name: str, words: Iterable[str]) -> bool:
    """Tell whether one of ``words`` is a word of a property name, alone or in the plural.

    Words end at anything but a letter and at a change to capitals: ``apiKey``, ``api_keys`` and
    ``API-KEY`` hold ``key``, ``monkey`` does not. A secret word of five letters or more also
    counts at the end of a longer word: ``accesstoken``.
    """
    own = [word.lower() for word in _WORD.findall(name[:200])]
    for secret in map(str.lower, words):
        for word in own:
            if word.removesuffix("s") == secret.removesuffix("s"):
                return True
            if len(secret) >= 5 and word.removesuffix("s").endswith(secret):
                return True
    return False


def show(value: Any, *, secret: bool) -> str:
    """Return a scalar as JSON, cut to 40 characters; of anything else, or a secret, its type."""
    if secret or isinstance(value, dict | list | tuple):
        return json_type(value)
    if isinstance(value, str):
        return quote(value)
    if value is None or isinstance(value, bool):
        return encode(value).decode()
    if isinstance(value, int):
        if value.bit_length() > _SHOWN_BITS:
            return f"integer of {value.bit_length()} bits"
        return str(int(value))
    return repr(float(value)) if json_type(value) in ("integer", "number") else json_type(value)


def quoted_list(names: Iterable[str], shown: int = _SHOWN_CHOICES) -> str:
    """Return names quoted and parted by commas, at most 20 of them."""
    every = list(names)
    listed = [quote(name) for name in every[:shown]]
    if len(every) > shown:
        listed.append(f"... ({len(every) - shown} more)")
    return ", ".join(listed)


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 item``, ``2 items``."""
    return f"{count} {noun}" if count == 1 else f"{count} {plural or noun + 's'}"


def expectation(node: Node) -> str:
    """Return what a node accepts in a few words: ``integer or null``, ``object with "id"``."""
    if isinstance(node.schema, bool):
        return "any value" if node.schema else "no value"
    if "const" in node.keywords:
        return _choice(node.keywords["const"])
    if "enum" in node.keywords:
        return _choices(node.keywords["enum"])
    if "type" in node.keywords:
        named = node.keywords["type"]
        names = named if isinstance(named, list) else [named]
        return " or ".join(_with_names(name, node) for name in names)
    target = node.one("$ref")
    if target is not None:
        return expectation(target)
    for keyword in ("anyOf", "oneOf"):
        if options := node.several(keyword):
            return alternatives(expectation(option) for option in options)
    for one in node.several("allOf"):
        if (text := expectation(one)) != _ANOTHER:
            return text
    return _with_names("object", node) if "required" in node.keywords else _ANOTHER


_ANOTHER = "another value"


def alternatives(texts: Iterable[str]) -> str:
    """Return different texts joined by ``or``, at most eight of them."""
    different = list(dict.fromkeys(texts))
    if len(different) > _SHOWN_OPTIONS:
        more = len(different) - _SHOWN_OPTIONS
        different = [*different[:_SHOWN_OPTIONS], f"... ({more} more)"]
    return " or ".join(different)


def _with_names(name: str, node: Node) -> str:
    required = node.keywords.get("required")
    return f"object with {quoted_list(required)}" if name == "object" and required else name


def _choice(choice: Any) -> str:
    if isinstance(choice, dict | list):
        text = encode(choice).decode()
        return text if len(text) <= 2 * _SHOWN_CHARACTERS else f"a certain {json_type(choice)}"
    return show(choice, secret=False)


def _choices(choices: list[Any]) -> str:
    if len(choices) == 1:
        return _choice(choices[0])
    listed = [_choice(choice) for choice in choices[:_SHOWN_CHOICES]]
    if len(choices) > _SHOWN_CHOICES:
        listed.append(f"... ({len(choices) - _SHOWN_CHOICES} more)")
    return "one of " + ", ".join(listed)


def expected_by_leaf(keyword: str, node: Node) -> str:
    """Return what a leaf keyword of a node expects: ``integer >= 1``."""
    argument = node.keywords[keyword]
    if keyword in _COMPARED:
        noun = "integer" if "number" not in kinds_of(node) else "number"
        return f"{noun} {_COMPARED[keyword]} {show(argument, secret=False)}"
    if keyword in _COUNTED:
        noun, bound, unit, units = _COUNTED[keyword]
        return f"{noun} of {bound} {counted(int(argument), unit, units)}"
    return _OTHERS[keyword](argument)


_COMPARED = {
    "minimum": ">=",
    "exclusiveMinimum": ">",
    "maximum": "<=",
    "exclusiveMaximum": "<",
    "multipleOf": "that is a multiple of",
}
_COUNTED = {
    "minLength": ("string", "at least", "character", "characters"),
    "maxLength": ("string", "at most", "character", "characters"),
    "minItems": ("array", "at least", "item", "items"),
    "maxItems": ("array", "at most", "item", "items"),
    "minProperties": ("object", "at least", "property", "properties"),
    "maxProperties": ("object", "at most", "property", "properties"),
}
_OTHERS: dict[str, Callable[[Any], str]] = {
    "enum": _choices,
    "const": _choice,
    "pattern": lambda pattern: f"string that matches {quote(pattern, _SHOWN_PATTERN)}",
    "uniqueItems": lambda _: "array without equal items",
}
