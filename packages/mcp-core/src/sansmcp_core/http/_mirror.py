"""Headers that repeat what the body says, compared with it.

What lies between client and server routes by the headers, and the server acts on the body. Where
the two differ, one of them has been deceived.

Source: MCP 2026-07-28 basic/transports/streamable-http, Request Metadata and Server Validation.
"""

import re
from collections.abc import Callable
from decimal import Decimal

import msgspec

from .._header_table import HeaderRow, HeaderTable
from ._head import RequestHead
from ._header_values import (
    KNOWN,
    decode_header_value,
    looks_encoded,
    plain_header_value,
    remember_header_value,
)
from ._names import MCP_METHOD, MCP_NAME, MCP_PROTOCOL_VERSION

__all__ = ["Mirror", "mirror_of"]

_SHOWN_CHARS = 40
_MAX_NUMBER_CHARS = 40
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_DIGITS = b"-0123456789"
_MIRRORED = (MCP_PROTOCOL_VERSION, MCP_METHOD, MCP_NAME)

_decode_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_text = msgspec.json.Decoder(str).decode


class Mirror(msgspec.Struct, frozen=True, gc=False):
    """The headers of one request; each check gives the text of what is wrong, or None.

    A header that came more than once is wrong whatever its values are, since nobody knows which of
    them others have read.
    """

    version: str | None
    """``MCP-Protocol-Version``; None where it is absent, repeated or not ASCII."""
    method: str | None
    """``Mcp-Method``, where it is certain; otherwise ``check_method`` has to look."""
    name: str | None
    """``Mcp-Name``, where it is certain; otherwise ``check_name`` has to look."""
    _fields: dict[bytes, bytes]
    _repeated: frozenset[bytes]

    def wrong_version(self, body_version: str) -> str:
        """What is wrong with ``MCP-Protocol-Version``, which is not what ``_meta`` names."""
        header = "MCP-Protocol-Version"
        wrong = self._check(MCP_PROTOCOL_VERSION, header, body_version, plain_header_value)
        assert wrong is not None
        return wrong

    def check_method(self, method: str) -> str | None:
        """Compare ``Mcp-Method`` with the method of the body, letter by letter, never decoded."""
        return self._check(MCP_METHOD, "Mcp-Method", method, plain_header_value)

    def check_name(self, name: str) -> str | None:
        """Compare ``Mcp-Name``, decoded, with the name or URI in the body."""
        return self._check(MCP_NAME, "Mcp-Name", name, decode_header_value)

    def check_params(
        self, table: HeaderTable, raw_arguments: bytes | msgspec.Raw | None
    ) -> str | None:
        """Compare each ``Mcp-Param-*`` of a tool with the argument that it mirrors.

        Where the argument is absent or null the header must be absent too. Integers are compared as
        numbers, everything else as text: a value of another type than the declared one by its JSON
        text, for arguments that clients sent as text may be repaired. ``Mcp-Param-*`` headers that
        the tool does not declare are ignored.

        Args:
            table: The headers of the tool.
            raw_arguments: The JSON text of the arguments; None for none.
        """
        if not table:
            return None
        try:
            arguments = _members(b"{}" if raw_arguments is None else bytes(raw_arguments))
            values = [_value_at(arguments, row.path) for row in table]
        except ValueError:
            return (
                f"Header mismatch: the arguments cannot be read, so Mcp-Param-{table[0].name} "
                "cannot be compared with them; send valid JSON in UTF-8"
            )
        for row, value in zip(table, values, strict=True):
            wrong = self._check_param(row, value)
            if wrong is not None:
                return wrong
        return None

    def _check(
        self, field: bytes, header: str, value: str, decode: Callable[[bytes], str | None]
    ) -> str | None:
        raw = self._fields.get(field)
        if raw is None or field in self._repeated:
            return _not_once(header, raw, f"with the body value {_shown(value)}")
        text = decode(raw)
        if text == value:
            return None
        if text is None:
            return _unreadable(header, raw, may_be_encoded=decode is decode_header_value)
        return (
            f"Header mismatch: {header} header value {_shown(text)} does not match body value "
            f"{_shown(value)}"
        )

    def _check_param(self, row: HeaderRow, value: bytes | None) -> str | None:
        """Compare one header with the JSON text of the argument, None where there is no value."""
        header = f"Mcp-Param-{row.name}"
        raw = self._fields.get(row.field)
        if value is None:
            return None if raw is None else _nothing_mirrored(header, row, raw)
        if raw is None and value[:1] in (b"[", b"{"):
            # No header can say it, and the check of the arguments refuses it in better words.
            return None
        if raw is None or row.field in self._repeated:
            return _not_once(header, raw, f"with the value of the argument {_path(row)}")
        text = decode_header_value(raw)
        if text is None:
            return _unreadable(header, raw, may_be_encoded=True, secret=row.secret)
        if _equals(row.kind, text, value):
            return None
        if row.secret:
            return f"Header mismatch: {header} header value does not match body value"
        return (
            f"Header mismatch: {header} header value {_shown(text)} does not match body value "
            f"{_shown(_text_of(value))}"
        )


def mirror_of(head: RequestHead) -> Mirror:
    """Return what the head of a request says about its body."""
    fields, repeated = head.fields, head.repeated
    if repeated:
        raw = None if MCP_PROTOCOL_VERSION in repeated else fields.get(MCP_PROTOCOL_VERSION)
        said = None if raw is None else plain_header_value(raw)
        return Mirror(said, None, None, fields, repeated)
    version, method, name = map(KNOWN.get, map(fields.get, _MIRRORED))
    if version is None and MCP_PROTOCOL_VERSION in fields:
        # Never encoded, so what looks like it is the text as it stands.
        raw = fields[MCP_PROTOCOL_VERSION]
        version = remember_header_value(raw) or plain_header_value(raw)
    if method is None and MCP_METHOD in fields:
        method = remember_header_value(fields[MCP_METHOD])
    if name is None and MCP_NAME in fields:
        name = remember_header_value(fields[MCP_NAME])
    return Mirror(version, method, name, fields, repeated)


def _members(raw: bytes) -> dict[str, msgspec.Raw]:
    """Return the members of a JSON object; none of what is no object.

    Raises:
        ValueError: It cannot be read.
    """
    if raw.lstrip()[:1] != b"{":
        return {}
    try:
        return _decode_members(raw)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _members_in_text(raw: bytes) -> dict[str, msgspec.Raw]:
    """Return the members of an object sent as text, which may be repaired and then acted on."""
    text = _text_of(raw)
    try:
        return {} if text is None else _members(text.encode())
    except ValueError:
        # No JSON, so that nobody will take it for an object.
        return {}


def _value_at(arguments: dict[str, msgspec.Raw], path: tuple[str, ...]) -> bytes | None:
    """Return the JSON text of the value at a path, None where it is absent or null.

    Raises:
        ValueError: An object on the way cannot be read.
    """
    *parents, last = path
    members = arguments
    for name in parents:
        inner = bytes(members.get(name, b""))
        members = _members_in_text(inner) if inner[:1] == b'"' else _members(inner)
    value = bytes(members.get(last, b"null"))
    return None if value == b"null" else value


def _text_of(value: bytes) -> str | None:
    """Return a JSON value as a header says it, None where it has no such form."""
    if value[:1] in (b"[", b"{"):
        return None
    try:
        return _decode_text(value) if value[:1] == b'"' else value.decode()
    except ValueError:
        return None


def _equals(kind: str, text: str, value: bytes) -> bool:
    """Return whether the text of a header says what a JSON text says."""
    said = _text_of(value)
    if said is None or text == said:
        return said is not None
    return (kind == "integer" or value[0] in _DIGITS) and _same_number(text, said)


def _same_number(one: str, other: str) -> bool:
    """Return whether two texts write one number; long ones are not worth the time."""
    if max(len(one), len(other)) > _MAX_NUMBER_CHARS:
        return False
    if not (_NUMBER.fullmatch(one) and _NUMBER.fullmatch(other)):
        return False
    try:
        return Decimal(one) == Decimal(other)
    except ArithmeticError:
        # An exponent beyond all bounds.
        return False


def _not_once(header: str, raw: bytes | None, wanted: str) -> str:
    if raw is None:
        return f"Header mismatch: {header} header is missing; send it {wanted}"
    return f"Header mismatch: {header} header came more than once; send it once, {wanted}"


def _nothing_mirrored(header: str, row: HeaderRow, raw: bytes) -> str:
    value = "" if row.secret else f" value {_shown_bytes(raw)}"
    return (
        f"Header mismatch: {header} header{value} mirrors nothing: the body has no value at "
        f"{_path(row)}; leave the header out, or send the argument"
    )


def _unreadable(header: str, raw: bytes, *, may_be_encoded: bool, secret: bool = False) -> str:
    value = "value" if secret else f"value {_shown_bytes(raw)}"
    if may_be_encoded and raw.isascii() and looks_encoded(raw.decode("ascii").strip(" \t")):
        return (
            f"Header mismatch: {header} header {value} is malformed; between =?base64? and ?= "
            "belongs the padded Base64 of a UTF-8 text (RFC 4648 section 4)"
        )
    hint = "; encode other text as =?base64?...?=" if may_be_encoded else ""
    return (
        f"Header mismatch: {header} header {value} holds other characters than visible ASCII, "
        f"spaces and tabs{hint}"
    )


def _path(row: HeaderRow) -> str:
    return repr(".".join(row.path))


def _shown(text: str | None) -> str:
    """Return a text for a message: quoted, escaped and cut."""
    if text is None:
        return "that no header can say"
    return repr(text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "...")


def _shown_bytes(raw: bytes) -> str:
    text = raw.strip(b" \t").decode("latin-1")
    return ascii(text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "...")
