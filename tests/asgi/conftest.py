"""What the tests of the ASGI app share."""

import pytest


@pytest.fixture(params=["trio", "asyncio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Both loops."""
    name: str = request.param
    return name
