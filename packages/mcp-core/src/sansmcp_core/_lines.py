"""Bytes in any segmentation in, whole lines out: linear in time, bounded in memory."""

from collections.abc import Sequence
from typing import Final, final

__all__ = ["TOO_LONG", "LineBuffer", "TooLong"]


@final
class TooLong:
    """Stands for a line that exceeded the limit; its bytes were thrown away."""

    __slots__ = ()


TOO_LONG: Final = TooLong()

# A buffer that grew beyond this is let go after use, so that one long line costs no memory later.
_KEPT_BYTES = 256 * 1024


class LineBuffer:
    """Cuts a byte stream at its newlines.

    Args:
        max_line_bytes: Longest line that is kept, without its newline. Of a longer one only
            the fact is told, as soon as it is known, and the rest is skipped to its newline.
    """

    __slots__ = ("_max_line_bytes", "_partial", "_skipping")

    def __init__(self, max_line_bytes: int) -> None:
        self._max_line_bytes = max_line_bytes
        self._partial = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> Sequence[bytes | TooLong]:
        """Return the lines that ``data`` ends, in order, without their newlines."""
        pieces = data.split(b"\n")
        rest = pieces.pop()
        if self._partial or self._skipping or len(data) > self._max_line_bytes:
            return self._joined(list(pieces), rest)
        if rest:
            self._partial += rest
        return pieces

    def _joined(self, lines: list[bytes | TooLong], rest: bytes) -> list[bytes | TooLong]:
        """Put lines together with what came before, and leave out what is too long."""
        lines = [self._checked(line) for line in lines]
        if lines and self._skipping:
            # The line was told to be too long when that became known; this is its end.
            self._skipping = False
            del lines[0]
        elif lines and self._partial:
            lines[0] = self._completed(lines[0])
        if rest and not self._skipping:
            self._keep(rest, lines)
        return lines

    def end(self) -> bytes:
        """Return the line that the end of the stream left without a newline; empty for none."""
        line = bytes(self._partial)
        self._partial = bytearray()
        return line

    def _checked(self, piece: bytes | TooLong) -> bytes | TooLong:
        too_long = isinstance(piece, bytes) and len(piece) > self._max_line_bytes
        return TOO_LONG if too_long else piece

    def _completed(self, piece: bytes | TooLong) -> bytes | TooLong:
        if isinstance(piece, bytes):
            self._partial += piece
        line = self._checked(bytes(self._partial)) if isinstance(piece, bytes) else piece
        if len(self._partial) > _KEPT_BYTES:
            self._partial = bytearray()
        else:
            self._partial.clear()
        return line

    def _keep(self, rest: bytes, lines: list[bytes | TooLong]) -> None:
        if len(self._partial) + len(rest) > self._max_line_bytes:
            self._partial = bytearray()
            self._skipping = True
            lines.append(TOO_LONG)
        else:
            self._partial += rest
