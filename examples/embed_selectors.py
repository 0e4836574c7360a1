"""The core in a plain loop: many TCP connections, no threads; each handler runs on the spot."""

import contextlib
import socket
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from time import time

from quickstart import server
from sansmcp_core import Connection, Run, Send


def turn(events: int, stream: socket.socket, core: Connection, unsent: bytearray) -> int:
    """Do what there is to do for one client; return what to wait for, 0 when it has gone."""
    data = stream.recv(65536) if events & EVENT_READ else None
    effects = core.receive(data or b"", time()) + core.tick(time())
    effects += [] if unsent else core.pending(time())
    for effect in effects:  # grows meanwhile: the end of a call has effects of its own
        if isinstance(effect, Send):
            unsent += effect.data
        elif isinstance(effect, Run):
            try:
                effects += effect.call.completed(effect.call.invoke(), time())
            except BaseException as exception:  # noqa: BLE001 - questions come this way, too
                effects += effect.call.failed(exception, time())
        else:
            print(effect)  # what the core has to say to the operator
    if events & EVENT_WRITE:
        core.sent(sent := stream.send(unsent))
        del unsent[:sent]
    return EVENT_READ * (data != b"" and not core.paused) | EVENT_WRITE * bool(unsent)


def ring() -> None:
    """Wake the loop: `pending` has something; the core calls this, from any thread."""
    with contextlib.suppress(BlockingIOError):  # full: it rings already
        bell.send(b"!")


socket.setdefaulttimeout(0)  # every socket here is non-blocking
selector, (alarm, bell) = DefaultSelector(), socket.socketpair()
listener = socket.create_server(("127.0.0.1", 0))
selector.register(listener, EVENT_READ)
selector.register(alarm, EVENT_READ)
print("serving on port", listener.getsockname()[1], flush=True)
while True:
    peers = [key.data for key in selector.get_map().values() if key.data]
    due = [at - time() for _, core, _ in peers if (at := core.deadline()) is not None]
    events = {key.fileobj: mask for key, mask in selector.select(min(due, default=None))}
    if alarm in events:
        alarm.recv(4096)
    if listener in events:
        core = Connection(server, wake=ring, async_handlers=False)
        selector.register(stream := listener.accept()[0], EVENT_READ, (stream, core, bytearray()))
    for peer in peers:
        try:
            selector.modify(peer[0], turn(events.get(peer[0], 0), *peer), peer)
        except (OSError, ValueError):  # broken, or nothing to wait for any more
            peer[1].close(time())
            selector.unregister(peer[0])
            peer[0].close()
