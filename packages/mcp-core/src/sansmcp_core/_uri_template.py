"""URI templates: the part of RFC 6570 that can be read backwards without guessing.

Variables never hold ``?`` or ``#``, and single segments hold no ``/``; there is at most one
``{+variable}``. So the number of those characters before each piece of literal text is fixed, and
taking the first place where the text fits finds a match wherever there is one: linear time.
"""

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

from ._errors import RegistrationError

__all__ = ["UriTemplate", "decode_once"]

_Kind: TypeAlias = Literal["segment", "reserved"]

_EXPRESSION = re.compile(r"\{([^{}]*)\}")
_NAME = re.compile(r"[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*", re.ASCII)
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})", re.ASCII)
_BAD_LITERAL = re.compile(r'[\x00-\x20\x7f"<>\\^`|{}\ud800-\udfff]')
_ENDS_VARIABLE = {"segment": re.compile(r"[/?#]"), "reserved": re.compile(r"[?#]")}
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_KEPT_IN_RESERVED = _UNRESERVED | frozenset(b":/[]@!$&'()*+,;=")
_FORMS = (
    "use {name}, {+name} (may hold slashes), {/name} (a slash, then a segment) or, at the end, "
    "{?first,second}"
)


class _Variable(NamedTuple):
    name: str
    kind: _Kind


class _Run(NamedTuple):
    """Literal text and single segments by turns: ``len(literals) == len(names) + 1``."""

    literals: tuple[str, ...]
    names: tuple[str, ...]


class UriTemplate:
    """A URI template that tells which of its variables a URI holds.

    Supported are ``{name}`` and ``{/name}`` (one segment: no slash, backslash or dot segment, not
    even percent-encoded), ``{+name}`` (any path, at most once) and, at the end, ``{?first,second}``
    (query keys: absent, some, or all, in any order; any text). Everything else is literal text.

    Args:
        text: The template as it is listed, such as ``logs://{level}{?limit}``.

    Raises:
        RegistrationError: The template is malformed, ambiguous, or uses another form.

    Source: RFC 6570 sections 2 and 3.2; MCP server/resources, Security Considerations 1 and 5.
    """

    __slots__ = ("_after", "_before", "_middle", "query", "text", "variables")

    def __init__(self, text: str) -> None:
        self.text = text
        parts, self.query = _parse(text)
        self._before, self._middle, self._after = _split(parts)
        names = [part.name for part in parts if isinstance(part, _Variable)]
        self.variables: tuple[str, ...] = (*names, *self.query)
        for index, name in enumerate(self.variables):
            if name in self.variables[:index]:
                raise _refusal(text, f"the variable {name!r} appears twice; give each its own name")

    def __repr__(self) -> str:
        return f"UriTemplate({self.text!r})"

    def match(self, uri: str) -> dict[str, str] | None:
        """Give the decoded variables of ``uri``, or ``None`` where it does not fit.

        Values are percent-decoded once, as strict UTF-8; a broken escape, an empty variable of
        the path, a NUL, an unknown or repeated query key are no match. A ``+`` is a plus sign.
        Query variables that the URI leaves out are absent.

        Args:
            uri: Any text; non-ASCII characters count as their percent-encoded form.
        """
        if not uri.isascii():
            encoded = _encode(uri, None)
            if encoded is None:
                return None
            uri = encoded
        pairs: dict[str, str] | None = {}
        if self.query:
            uri, mark, query = uri.partition("?")
            if mark:
                pairs = self._match_query(query)
        values = self._match_path(uri)
        if values is None or pairs is None:
            return None
        values.update(pairs)
        return values

    def expand(self, variables: Mapping[str, str]) -> str:
        """Give the URI that :meth:`match` reads back as exactly these variables.

        In ``{+name}`` the characters ``%``, ``?`` and ``#`` are encoded, too, which RFC 6570 would
        pass through: they could not be read back.

        Args:
            variables: Name to text; query variables may be left out.

        Raises:
            ValueError: No URI of this template stands for them.
        """

        def encoded(name: str, kept: frozenset[int] = _UNRESERVED) -> str:
            return _encode(variables.get(name, ""), kept) or ""

        parts = _expand_run(self._before, encoded)
        if self._middle is not None:
            name, kind = self._middle
            parts.append(encoded(name, _KEPT_IN_RESERVED if kind == "reserved" else _UNRESERVED))
        parts += _expand_run(self._after, encoded)
        pairs = [f"{name}={encoded(name)}" for name in self.query if name in variables]
        uri = "".join(parts) + ("?" + "&".join(pairs) if pairs else "")
        if self.match(uri) != dict(variables):
            raise ValueError(
                f"{self.text} has no URI for {dict(variables)!r}; give text for each of "
                f"{', '.join(self.variables)}, without a slash or dot segment in single segments"
            )
        return uri

    def _match_path(self, uri: str) -> dict[str, str] | None:
        if self._middle is None:
            return {} if uri == self._before.literals[0] else None
        raw: dict[str, str] = {}
        start = _match_forward(self._before, uri, raw)
        if start is None:
            return None
        name, kind = self._middle
        raw[name] = ""  # holds the place: variables come in the order of the template
        end = _match_backward(self._after, uri, start + 1, raw)
        if end is None or _ENDS_VARIABLE[kind].search(uri, start, end):
            return None
        raw[name] = uri[start:end]
        return _decode_all(raw, self._middle)

    def _match_query(self, query: str) -> dict[str, str] | None:
        values: dict[str, str] = {}
        if "#" in query:
            return None
        for pair in query.split("&") if query else ():
            raw_name, _, raw_value = pair.partition("=")
            name, value = decode_once(raw_name), decode_once(raw_value)
            if name not in self.query or name in values or value is None or "\0" in value:
                return None
            values[name] = value
        return values


def decode_once(text: str) -> str | None:
    """Percent-decode ``text`` once, as UTF-8; ``None`` where an escape is broken.

    Source: RFC 3986 section 2.1.
    """
    if "%" not in text:
        return text
    if _BAD_ESCAPE.search(text):
        return None
    head, *escapes = text.split("%")
    try:
        decoded = [head.encode()]
        for escape in escapes:
            decoded += (bytes.fromhex(escape[:2]), escape[2:].encode())
        return b"".join(decoded).decode()
    except UnicodeError:
        return None


def _parse(text: str) -> tuple[list[str | _Variable], tuple[str, ...]]:
    """Cut a template into literal texts and variables of the path, and its query keys."""
    parts: list[str | _Variable] = []
    query: tuple[str, ...] = ()
    position = 0
    for found in _EXPRESSION.finditer(text):
        parts.append(_literal(text, text[position : found.start()]))
        position = found.end()
        if query:
            raise _refusal(text, f"nothing may follow {{?{','.join(query)}}}; move it to the end")
        if "?" in text[: found.start()]:
            raise _refusal(text, f"{found[0]} follows a literal '?'; write {{?name}} instead")
        operator, names = _expression(text, found[1])
        if operator == "?":
            query = names
            continue
        for name in names:
            if operator == "/":
                parts.append("/")
            parts.append(_Variable(name, "reserved" if operator == "+" else "segment"))
    rest = _literal(text, text[position:])
    if query and rest:
        raise _refusal(text, f"{rest!r} follows {{?{','.join(query)}}}, which must come last")
    parts.append(rest)
    _check_apart(text, parts)
    return parts, query


def _expression(text: str, body: str) -> tuple[str, tuple[str, ...]]:
    operator = body[:1] if body[:1] in ("+", "/", "?") else ""
    names = tuple(body[len(operator) :].split(","))
    for name in names:
        if not _NAME.fullmatch(name):
            raise _refusal(text, f"{{{body}}} is not supported; {_FORMS}")
    if len(names) > 1 and operator in ("", "+"):
        apart = ",".join(f"{{{operator}{name}}}" for name in names)
        raise _refusal(text, f"{{{body}}} holds several variables; write {apart}")
    return operator, names


def _literal(text: str, literal: str) -> str:
    if bad := _BAD_LITERAL.search(literal):
        if bad[0] in "{}":
            raise _refusal(text, f"a {bad[0]!r} has no counterpart; {_FORMS}")
        raise _refusal(text, f"{bad[0]!r} cannot stand in a URI; write it percent-encoded")
    if _BAD_ESCAPE.search(literal):
        raise _refusal(text, f"{literal!r} has a '%' without two hexadecimal digits; write '%25'")
    return _encode(literal, None) or ""


def _check_apart(text: str, parts: list[str | _Variable]) -> None:
    """Refuse what could be read in more than one way."""
    reserved = [
        part.name for part in parts if isinstance(part, _Variable) and part.kind != "segment"
    ]
    if len(reserved) > 1:
        raise _refusal(text, f"{{+{reserved[0]}}} and {{+{reserved[1]}}} are ambiguous; keep one")
    for first, second in pairwise(part for part in parts if part):
        if isinstance(first, _Variable) and isinstance(second, _Variable):
            raise _refusal(
                text,
                f"nothing separates the variables {first.name!r} and {second.name!r}; "
                "put literal text between them",
            )


def _split(parts: list[str | _Variable]) -> tuple[_Run, _Variable | None, _Run]:
    """Arrange the parts around ``{+name}``, or around the last variable where there is none."""
    variables = [part for part in parts if isinstance(part, _Variable)]
    middle = next((part for part in variables if part.kind == "reserved"), None)
    if middle is None and variables:
        middle = variables[-1]
    runs: list[tuple[list[str], list[str]]] = [([""], [])]
    for part in parts:
        literals, names = runs[-1]
        if isinstance(part, str):
            literals[-1] += part
        elif part is middle:
            runs.append(([""], []))
        else:
            names.append(part.name)
            literals.append("")
    before, *after = [_Run(tuple(literals), tuple(names)) for literals, names in runs]
    return before, middle, after[0] if after else _Run(("",), ())


def _match_forward(run: _Run, uri: str, raw: dict[str, str]) -> int | None:
    """Match ``run`` from the beginning; the index after it, as small as it can be."""
    if not uri.startswith(run.literals[0]):
        return None
    start = len(run.literals[0])
    for name, literal in zip(run.names, run.literals[1:], strict=True):
        end = uri.find(literal, start + 1)
        if end < 0 or _ENDS_VARIABLE["segment"].search(uri, start, end):
            return None
        raw[name] = uri[start:end]
        start = end + len(literal)
    return start


def _match_backward(run: _Run, uri: str, lowest: int, raw: dict[str, str]) -> int | None:
    """Match ``run`` up to the end; the index before it, as large as it can be."""
    end = len(uri) - len(run.literals[-1])
    if end < lowest or not uri.endswith(run.literals[-1]):
        return None
    for name, literal in zip(reversed(run.names), reversed(run.literals[:-1]), strict=True):
        found = uri.rfind(literal, lowest, end - 1)
        start = found + len(literal)
        if found < 0 or _ENDS_VARIABLE["segment"].search(uri, start, end):
            return None
        raw[name] = uri[start:end]
        end = found
    return end


def _decode_all(raw: dict[str, str], middle: _Variable) -> dict[str, str] | None:
    values: dict[str, str] = {}
    for name, text in raw.items():
        value = decode_once(text)
        if value is None or "\0" in value:
            return None
        may_be_path = name == middle.name and middle.kind == "reserved"
        if not may_be_path and (value in (".", "..") or "/" in value or "\\" in value):
            return None
        values[name] = value
    return values


def _expand_run(run: _Run, encoded: Callable[[str], str]) -> list[str]:
    parts = [run.literals[0]]
    for name, literal in zip(run.names, run.literals[1:], strict=True):
        parts += (encoded(name), literal)
    return parts


def _encode(text: str, kept: frozenset[int] | None) -> str | None:
    """Percent-encode all bytes but ``kept`` (``None``: all ASCII); ``None`` for no Unicode."""
    if kept is None and text.isascii():
        return text
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return None
    if kept is None:
        return "".join(chr(byte) if byte < 128 else f"%{byte:02X}" for byte in data)
    return "".join(chr(byte) if byte in kept else f"%{byte:02X}" for byte in data)


def _refusal(text: str, problem: str) -> RegistrationError:
    return RegistrationError(f"URI template {text!r}: {problem}")
