"""Sets of code points as sorted, disjoint ranges, and the ones that ECMA-262 names."""

import re
from functools import cache

__all__ = [
    "DIGITS",
    "DOT",
    "EVERYTHING",
    "SPACES",
    "WORD",
    "CodePoints",
    "complement",
    "in_class",
    "normal",
    "property_set",
]

CodePoints = tuple[tuple[int, int], ...]

_LAST = 0x10FFFF

EVERYTHING: CodePoints = ((0, _LAST),)
DIGITS: CodePoints = ((0x30, 0x39),)
WORD: CodePoints = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
# ECMA-262, WhiteSpace and LineTerminator.
SPACES: CodePoints = (
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
)


def normal(ranges: list[tuple[int, int]]) -> CodePoints:
    """Return the same code points sorted, with touching ranges joined."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return tuple(joined)


def complement(points: CodePoints) -> CodePoints:
    """Return every code point that is not in the set."""
    rest: list[tuple[int, int]] = []
    following = 0
    for first, last in points:
        if first > following:
            rest.append((following, first - 1))
        following = last + 1
    if following <= _LAST:
        rest.append((following, _LAST))
    return tuple(rest)


DOT: CodePoints = complement(((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)))


def in_class(points: CodePoints) -> str:
    """Return Python regular expression text that matches one code point of the set."""
    if not points:
        return "(?!)"
    if points == EVERYTHING:
        return r"[\s\S]"
    if len(points) == 1 and points[0][0] == points[0][1]:
        return _character(points[0][0])
    rest = complement(points)
    if len(rest) < len(points):
        return f"[^{_ranges(rest)}]"
    return f"[{_ranges(points)}]"


def _ranges(points: CodePoints) -> str:
    return "".join(
        _character(first) if first == last else f"{_character(first)}-{_character(last)}"
        for first, last in points
    )


def _character(point: int) -> str:
    if 0x20 <= point < 0x7F:
        return re.escape(chr(point))
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"


_LONG_NAMES = {
    "Other": "C", "Control": "Cc", "cntrl": "Cc", "Format": "Cf", "Surrogate": "Cs",
    "Private_Use": "Co", "Unassigned": "Cn", "Letter": "L", "Cased_Letter": "LC",
    "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Titlecase_Letter": "Lt",
    "Modifier_Letter": "Lm", "Other_Letter": "Lo", "Mark": "M", "Combining_Mark": "M",
    "Nonspacing_Mark": "Mn", "Spacing_Mark": "Mc", "Enclosing_Mark": "Me", "Number": "N",
    "Decimal_Number": "Nd", "digit": "Nd", "Letter_Number": "Nl", "Other_Number": "No",
    "Punctuation": "P", "punct": "P", "Connector_Punctuation": "Pc", "Dash_Punctuation": "Pd",
    "Open_Punctuation": "Ps", "Close_Punctuation": "Pe", "Initial_Punctuation": "Pi",
    "Final_Punctuation": "Pf", "Other_Punctuation": "Po", "Symbol": "S", "Math_Symbol": "Sm",
    "Currency_Symbol": "Sc", "Modifier_Symbol": "Sk", "Other_Symbol": "So", "Separator": "Z",
    "Space_Separator": "Zs", "Line_Separator": "Zl", "Paragraph_Separator": "Zp",
}  # fmt: skip
_CATEGORIES = frozenset(_LONG_NAMES.values())
_BINARY: dict[str, CodePoints] = {
    "Any": EVERYTHING,
    "ASCII": ((0, 0x7F),),
    "ASCII_Hex_Digit": ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66)),
    "AHex": ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66)),
}


def property_set(name: str) -> CodePoints | None:
    """Return the code points with a Unicode property, or None for one that is not known here.

    Known are the general categories, short and long (``L``, ``Letter``, ``gc=L``), ``Any``,
    ``Assigned``, ``ASCII`` and ``ASCII_Hex_Digit``, all as this Python's Unicode version has them.
    """
    key, equals, value = name.partition("=")
    if equals and key not in ("General_Category", "gc"):
        return None
    name = value if equals else name
    if not equals and name in _BINARY:
        return _BINARY[name]
    if not equals and name == "Assigned":
        return complement(tuple(_categories()["Cn"]))
    name = _LONG_NAMES.get(name, name)
    if name not in _CATEGORIES:
        return None
    wanted = ("Lu", "Ll", "Lt") if name == "LC" else (name,)
    table = _categories()
    return normal(
        [one for category in table if category.startswith(wanted) for one in table[category]]
    )


@cache
def _categories() -> dict[str, list[tuple[int, int]]]:
    from unicodedata import category  # noqa: PLC0415 - only patterns with properties

    table: dict[str, list[tuple[int, int]]] = {}
    first, current = 0, category("\0")
    for point in range(1, _LAST + 2):
        following = category(chr(point)) if point <= _LAST else ""
        if following != current:
            table.setdefault(current, []).append((first, point - 1))
            first, current = point, following
    return table
