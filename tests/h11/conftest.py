"""Certificates for the tests of this folder, and a log that has to stay empty."""

import logging
import ssl
from collections.abc import Iterator

import pytest
import trustme


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="session")
def server_tls(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1", "::1", "localhost").configure_cert(context)
    return context


@pytest.fixture(scope="session")
def client_tls(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


@pytest.fixture(autouse=True)
def log_without_complaints(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nothing that a client does is an error, let alone worth a traceback."""
    yield
    records = caplog.get_records("call")
    assert [r for r in records if r.levelno >= logging.ERROR or r.exc_info] == []
