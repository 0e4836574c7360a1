"""A docstring -> its summary and the description of each parameter."""

import re
from inspect import cleandoc

import msgspec

__all__ = ["Docstring", "parse_docstring"]

_ARGUMENT_SECTIONS = {"args", "arguments", "parameters", "params", "keyword args"}
_SECTIONS = _ARGUMENT_SECTIONS | {
    "attributes", "example", "examples", "keyword arguments", "note", "notes", "other parameters",
    "raises", "references", "return", "returns", "see also", "todo", "warning", "warnings", "warns",
    "yield", "yields",
}  # fmt: skip
# Texts, compiled by ``re`` when a docstring needs them: import time counts.
_GOOGLE_ENTRY = r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)"
_NUMPY_ENTRY = r"(\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?$"
_FIELD = r":(param|parameter|arg|argument|key|keyword)\s+(?:[^:]*\s)?\*{0,2}(\w+)\s*:\s*(.*)"
_OTHER_FIELD = r":(returns?|rtype|raises?|type|meta|ivar|var)\b[^:]*:"
_UNDERLINE = r"-{3,}\s*$"


class Docstring(msgspec.Struct, frozen=True):
    """What a docstring says.

    Args:
        summary: All of it but the sections (Args, Returns, Raises, ...) and fields.
        parameters: Description per parameter name.
    """

    summary: str
    parameters: dict[str, str]


def parse_docstring(text: str | None) -> Docstring:
    """Google (``Args:``), NumPy (``Parameters`` underlined) and ``:param x:`` docstrings are read.

    Args:
        text: A docstring as it stands in ``__doc__``, or None.

    Returns:
        The summary, and the descriptions by parameter name; both may be empty.
    """
    if text is None or not (":" in text or "---" in text):
        return Docstring(cleandoc(text or "").strip(), {})
    lines = cleandoc(text).splitlines()
    summary: list[str] = []
    parameters: dict[str, str] = {}
    index = 0
    while index < len(lines):
        line = lines[index]
        section = _section_at(lines, index)
        if section is not None:
            name, start, numpy = section
            end = _section_end(lines, start, numpy)
            if name in _ARGUMENT_SECTIONS:
                read = _read_numpy if numpy else _read_google
                parameters.update(read(lines[start:end]))
            index = end
        elif field := re.match(_FIELD, line):
            index, rest = _continued(lines, index + 1)
            parameters[field[2]] = _joined([field[3], *rest])
        elif re.match(_OTHER_FIELD, line):
            index, _ = _continued(lines, index + 1)
        else:
            summary.append(line)
            index += 1
    return Docstring("\n".join(summary).strip(), {k: v for k, v in parameters.items() if v})


def _section_at(lines: list[str], index: int) -> tuple[str, int, bool] | None:
    """The section that starts at ``index``: its name, its first line, and whether it is NumPy's."""
    line = lines[index]
    name = line.rstrip(" :").lower()
    if name not in _SECTIONS:
        return None
    if line.rstrip().endswith(":"):
        following = lines[index + 1 : index + 2]
        if following and following[0].strip() and not following[0].startswith((" ", "\t")):
            return None
        return name, index + 1, False
    if index + 1 < len(lines) and re.match(_UNDERLINE, lines[index + 1]):
        return name, index + 2, True
    return None


def _section_end(lines: list[str], start: int, numpy: bool) -> int:
    for index in range(start, len(lines)):
        if numpy:
            if _section_at(lines, index) is not None:
                return index
        elif lines[index].strip() and not lines[index].startswith((" ", "\t")):
            return index
    return len(lines)


def _continued(lines: list[str], index: int) -> tuple[int, list[str]]:
    start = index
    while index < len(lines) and lines[index].startswith((" ", "\t")):
        index += 1
    return index, lines[start:index]


def _read_google(lines: list[str]) -> dict[str, str]:
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    margin = min(indents, default=0)
    found: dict[str, list[str]] = {}
    entry: list[str] = []
    for line in lines:
        head = re.match(_GOOGLE_ENTRY, line[margin:])
        if head is not None and not line[margin : margin + 1].isspace():
            entry = found.setdefault(head[1], [])
            entry.append(head[2])
        else:
            entry.append(line)
    return {name: _joined(parts) for name, parts in found.items()}


def _read_numpy(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    names: list[str] = []
    parts: list[str] = []
    for line in [*lines, "end"]:
        if line.strip() and not line.startswith((" ", "\t")):
            found.update(dict.fromkeys(names, _joined(parts)))
            head = re.match(_NUMPY_ENTRY, line)
            names = [name.strip(" *") for name in head[1].split(",")] if head else []
            parts = []
        else:
            parts.append(line)
    return found


def _joined(parts: list[str]) -> str:
    return " ".join(word for part in parts for word in part.split())
