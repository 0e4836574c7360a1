"""What a client can read, and what it says its body is.

Source: RFC 9110 sections 8.3, 8.4 and 12.5.1.
"""

import re

from ._names import APPLICATION_JSON, TEXT_EVENT_STREAM

__all__ = ["accepted_types", "is_plain", "is_utf8_json"]

_ZERO_WEIGHT = re.compile(rb"0(\.0*)?")
_CHARSET = re.compile(rb';[ \t]*charset[ \t]*=[ \t]*"?([^";]*)')
# Java's own HTTP client writes a single star.
_EVERYTHING = (b"*/*", b"*")


def accepted_types(accept: bytes | None) -> tuple[bool, bool]:
    """Return whether ``Accept`` takes JSON, and whether it takes an event stream.

    An absent or empty field takes both. Of the ranges that cover a type the most specific decides,
    and a weight of 0 excludes; other weights and all other parameters make no difference.
    """
    ranges = _media_ranges(accept) if accept else {}
    if not ranges:
        return True, True
    return _takes(ranges, APPLICATION_JSON), _takes(ranges, TEXT_EVENT_STREAM)


def is_utf8_json(content_type: bytes) -> bool:
    """Return whether ``Content-Type`` is ``application/json`` and names no charset but UTF-8.

    Source: RFC 8259 section 8.1.
    """
    media_type, separator, parameters = content_type.lower().partition(b";")
    if media_type.strip(b" \t") != APPLICATION_JSON:
        return False
    charsets: list[bytes] = _CHARSET.findall(separator + parameters)
    return all(charset.strip(b" \t") in (b"utf-8", b"utf8") for charset in charsets)


def is_plain(content_encoding: bytes) -> bool:
    """Return whether ``Content-Encoding`` leaves the body as it is."""
    return content_encoding.strip(b" \t").lower() in (b"", b"identity")


def _media_ranges(accept: bytes) -> dict[bytes, bool]:
    """Return range -> accepted; a range that stands there twice is accepted if one of them is."""
    if b'"' in accept:
        # Quoted text decides nothing here, but may hold commas.
        accept = b"".join(accept.split(b'"')[::2])
    ranges: dict[bytes, bool] = {}
    for element in accept.lower().split(b","):
        name, *parameters = (part.strip(b" \t") for part in element.split(b";"))
        if name:
            ranges[name] = ranges.get(name, False) or not _excludes(parameters)
    return ranges


def _excludes(parameters: list[bytes]) -> bool:
    for parameter in parameters:
        name, _, value = parameter.partition(b"=")
        if name.rstrip(b" \t") == b"q":
            return _ZERO_WEIGHT.fullmatch(value.strip(b" \t")) is not None
    return False


def _takes(ranges: dict[bytes, bool], media_type: bytes) -> bool:
    subtypes = media_type.partition(b"/")[0] + b"/*"
    for name in (media_type, subtypes, *_EVERYTHING):
        if name in ranges:
            return ranges[name]
    return False
