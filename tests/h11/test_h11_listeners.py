"""Where a server listens."""

import contextlib
import errno
import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from sansmcp_h11 import _listeners
from sansmcp_h11._listeners import Listener, bind


@contextlib.contextmanager
def bound(host: str, port: int = 0) -> Iterator[list[Listener]]:
    listeners = bind(host, port)
    try:
        yield listeners
    finally:
        for listener in listeners:
            listener.sock.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_a_loopback_host_means_both_addresses_on_one_port(host: str) -> None:
    with bound(host) as listeners:
        assert [listener.host for listener in listeners] == ["127.0.0.1", "::1"]
        ports = {listener.port for listener in listeners}
        assert len(ports) == 1
        assert 0 not in ports
        for listener in listeners:
            with socket.create_connection((listener.host, listener.port), timeout=10):
                pass


def test_another_host_is_bound_as_it_is_given() -> None:
    with bound("0.0.0.0") as listeners:
        assert [listener.host for listener in listeners] == ["0.0.0.0"]


def test_a_given_port_is_taken_or_refused() -> None:
    with bound("127.0.0.1") as listeners:
        port = listeners[0].port
        with pytest.raises(OSError, match=f"at 127.0.0.1 port {port}: .*another port") as caught:
            bind("127.0.0.1", port)
        assert caught.value.errno == errno.EADDRINUSE
    with bound("127.0.0.1", port) as listeners:
        assert listeners[0].port == port


def test_a_port_that_is_taken_at_the_second_address_only_is_refused_and_frees_the_first() -> None:
    with socket.socket(socket.AF_INET6) as taken:
        taken.bind(("::1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=rf"at \[::1\] port {port}"):
            bind("127.0.0.1", port)
    with bound("127.0.0.1", port):
        pass


def replace_listen(monkeypatch: pytest.MonkeyPatch, fail: Any) -> list[tuple[str, int]]:
    asked: list[tuple[str, int]] = []
    listen = _listeners._listen

    def wrapped(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
        asked.append((address, port))
        number = fail(address, len(asked))
        if number:
            raise OSError(number, os.strerror(number))
        return listen(family, address, port)

    monkeypatch.setattr(_listeners, "_listen", wrapped)
    return asked


def test_a_free_port_is_looked_for_until_it_is_free_at_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = replace_listen(
        monkeypatch, lambda address, times: errno.EADDRINUSE if times in (2, 4) else 0
    )
    with bound("localhost") as listeners:
        assert len({listener.port for listener in listeners}) == 1
    assert len(asked) == 6


@pytest.mark.parametrize("number", [errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT])
def test_without_ipv6_the_other_address_does(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    replace_listen(monkeypatch, lambda address, times: number if address == "::1" else 0)
    with bound("localhost") as listeners:
        assert [listener.host for listener in listeners] == ["127.0.0.1"]


def test_a_host_that_is_not_this_machines_is_refused() -> None:
    with pytest.raises(OSError, match=r"cannot listen at 192\.0\.2\.1 port 0"):
        bind("192.0.2.1", 0)
