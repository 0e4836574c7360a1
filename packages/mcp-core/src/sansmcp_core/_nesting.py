"""How deep a JSON text nests, told from its bytes before any object is built."""

import re

__all__ = ["nests_deeper"]

# Possessive, and satisfied by the end of the text too, so that no input makes it step back.
# A text: few messages nest so deep that it is needed, and only those have it compiled.
_STRING = rb'(?s:"(?:[^"\\]++|\\.)*+(?:"|\Z|\\\Z))'
_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_OPEN = b"[{"


def nests_deeper(data: bytes, max_nesting: int) -> bool:
    """Tell whether more than ``max_nesting`` brackets of ``data`` are open at once.

    Takes time linear in the size of ``data``, whatever its bytes are; for messages that have more
    opening brackets than that at all, in strings or not.
    """
    brackets = re.sub(_STRING, b"", data).translate(None, _NOT_BRACKETS)
    depth = 0
    for byte in brackets:
        if byte in _OPEN:
            depth += 1
            if depth > max_nesting:
                return True
        else:
            depth -= 1
    return False
