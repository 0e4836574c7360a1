"""A server in a thread of its own."""

import ssl
from threading import Event, Lock, Thread, current_thread
from types import TracebackType
from typing import Self

from sansmcp_core import Server
from sansmcp_core.http import HttpSettings
from sansmcp_runtime.pool import DEFAULT_MAX_THREADS

from ._limits import DEFAULT_CONNECTION_LIMITS, ConnectionLimits
from ._listeners import Listener, bind
from ._parser import ParserName
from ._run import Backend, Stopper, check_backend, run_loop
from ._serve import Address, Options, check

__all__ = ["BackgroundServer"]


class BackgroundServer:
    """A server that runs beside the program; a context manager, or ``start`` and ``stop``.

    The thread is a daemon, so a program that forgets to stop it ends all the same.

    Args:
        server: What is served.
        host: As in ``serve``.
        port: The port; 0 for any that is free.
        backend: The event loop in that thread.
        settings: The switches of the endpoint.
        limits: The bounds of connections.
        ssl_context: A certificate, for TLS.
        parser: ``h11`` or ``httptools``.
        max_threads: The most blocking calls that run at once.
        drain_s: Seconds that calls are given to end.

    Raises:
        ImportError: The parser's package is not installed.
        TypeError: ``server`` is no Server.
        ValueError: There is no such parser or backend.
    """

    def __init__(
        self,
        server: Server,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        backend: Backend = "trio",
        settings: HttpSettings | None = None,
        limits: ConnectionLimits = DEFAULT_CONNECTION_LIMITS,
        ssl_context: ssl.SSLContext | None = None,
        parser: ParserName = "h11",
        max_threads: int = DEFAULT_MAX_THREADS,
        drain_s: float = 5.0,
    ) -> None:
        self._server = server
        self._host = host
        self._port = port
        self._backend = backend
        self._options = Options(
            settings or HttpSettings(), limits, ssl_context, parser, max_threads, drain_s
        )
        check(server, self._options)
        check_backend(backend)
        self._stopper = Stopper()
        self._thread: Thread | None = None
        self._address: Address | None = None
        self._settled = Event()
        self._lock = Lock()
        self._failure: BaseException | None = None

    @property
    def bound_port(self) -> int:
        """The port it listens at.

        Raises:
            RuntimeError: It was not started.
        """
        return self._started_address.port

    @property
    def url(self) -> str:
        """The URL of its endpoint; otherwise as ``bound_port``."""
        return self._started_address.url

    def start(self) -> Self:
        """Serve from now on; returns once connections are accepted.

        Raises:
            OSError: The host has no address here, or the port is taken.
            RuntimeError: It was started before.
        """
        with self._lock:
            if self._thread is not None:
                raise RuntimeError("this BackgroundServer was started before; make another one")
            listeners = bind(self._host, self._port)
            name = f"sansmcp-h11-{listeners[0].port}"
            self._thread = Thread(target=self._run, args=(listeners,), name=name, daemon=True)
            self._thread.start()
        self._settled.wait()
        self._raise_failure()
        return self

    def stop(self) -> None:
        """End the server as ``serve`` ends, and wait for that; from any thread, and repeatedly.

        Raises:
            Exception: What ended it before it was asked to; only once.
        """
        self._stopper.stop()
        thread = self._thread
        if thread is not None and thread is not current_thread():
            thread.join()
            self._raise_failure()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        exception: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def _started_address(self) -> Address:
        if self._address is None:
            raise RuntimeError("this BackgroundServer was not started; use it in a with statement")
        return self._address

    def _run(self, listeners: list[Listener]) -> None:
        try:
            run_loop(
                listeners,
                self._server,
                self._options,
                self._backend,
                self._stopper,
                self._note_started,
                is_own_process=False,
            )
        except BaseException as failure:  # noqa: BLE001 - for the thread that starts or stops it
            self._failure = failure
        finally:
            self._settled.set()

    def _note_started(self, address: Address) -> None:
        self._address = address
        self._settled.set()

    def _raise_failure(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure
