"""What the tests with the official client share."""

import pytest
from official_client import Link


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def link(connection: Link) -> Link:
    """The module's connection, which has heard nothing yet."""
    connection.reset()
    return connection
