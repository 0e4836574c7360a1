"""TLS between a connection and its socket: the same for trio and asyncio."""

import contextlib
import math
import ssl

import anyio

from ._transport import CHUNK_BYTES, SocketTransport

__all__ = ["TlsTransport"]


class TlsTransport:
    """A client that speaks TLS.

    Args:
        raw: Its socket.
        context: The certificate, and what is accepted.
    """

    def __init__(self, raw: SocketTransport, context: ssl.SSLContext) -> None:
        self._raw = raw
        self._received = ssl.MemoryBIO()
        self._to_send = ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._received, self._to_send, server_side=True)
        self._sending = anyio.Lock()

    async def shake_hands(self, until: float) -> bool:
        """Agree on everything; return whether that has succeeded by then."""
        while True:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                if not await self._exchange(until):
                    return False
            except ssl.SSLError:
                await self._flush_quietly()  # the alert that says why
                return False
            else:
                return await self._flush_quietly()

    async def receive(self, until: float = math.inf) -> bytes:
        """The next bytes; empty where there will be none."""
        while True:
            try:
                return self._tls.read(CHUNK_BYTES)
            except ssl.SSLWantReadError:
                if not await self._exchange(until):
                    return b""
            except ssl.SSLError:  # its end, or nothing that can be read
                return b""

    async def send(self, data: bytes) -> None:
        """Write all of ``data``."""
        try:
            self._tls.write(data)
        except ssl.SSLError as error:
            raise BrokenPipeError(str(error)) from error
        await self._flush()

    async def shut_down(self) -> None:
        """Say the end, as TLS does and as TCP does."""
        with contextlib.suppress(ssl.SSLError):  # the other side has not said it yet
            self._tls.unwrap()
        if await self._flush_quietly():
            await self._raw.shut_down()

    async def _exchange(self, until: float) -> bool:
        """Send what TLS has to say of itself, then receive; return whether anything came."""
        if not await self._flush_quietly():
            return False
        data = await self._raw.receive(until)
        if data:
            self._received.write(data)
        else:
            self._received.write_eof()
        return bool(data)

    async def _flush_quietly(self) -> bool:
        try:
            await self._flush()
        except OSError:
            return False
        return True

    async def _flush(self) -> None:
        # What was encrypted first must be sent first, whoever sends.
        if self._sending.locked() or self._to_send.pending:
            async with self._sending:
                if self._to_send.pending:
                    await self._raw.send(self._to_send.read())
