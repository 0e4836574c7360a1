"""How a handler is run, and what it is called, is read from the handler itself."""

import functools
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from sansmcp_core._errors import RegistrationError
from sansmcp_core._handlers import description_of, mode_of, name_of
from sansmcp_core._operation import Mode


def plain(x: int = 0) -> int:
    """Add nothing.

    A second paragraph.

    Args:
        x: What nothing is added to.

    Returns:
        It.
    """
    return x


async def waits(x: int = 0) -> int:
    return x


async def streams() -> AsyncIterator[int]:
    yield 1


@functools.wraps(plain)
async def waits_in_disguise(x: int = 0) -> int:
    return x


class Plain:
    """A class."""

    def __call__(self, x: int = 0) -> int:
        """A call."""
        return x

    def method(self) -> None: ...

    async def waits(self) -> None: ...

    @classmethod
    async def waits_for_class(cls) -> None: ...

    @staticmethod
    async def waits_alone() -> None: ...


class Waits:
    async def __call__(self) -> None: ...


class Streams:
    async def __call__(self) -> AsyncIterator[int]:
        yield 1


MODES: list[tuple[str, Callable[..., Any], Mode]] = [
    ("function", plain, Mode.BLOCKING),
    ("lambda", lambda: 1, Mode.BLOCKING),
    ("builtin", len, Mode.BLOCKING),
    ("bound method", Plain().method, Mode.BLOCKING),
    ("callable object", Plain(), Mode.BLOCKING),
    ("partial", functools.partial(plain, 1), Mode.BLOCKING),
    ("partial of callable object", functools.partial(Plain(), 1), Mode.BLOCKING),
    ("coroutine function", waits, Mode.ASYNC),
    ("coroutine method", Plain().waits, Mode.ASYNC),
    ("coroutine classmethod", Plain.waits_for_class, Mode.ASYNC),
    ("coroutine staticmethod", Plain.waits_alone, Mode.ASYNC),
    ("async callable object", Waits(), Mode.ASYNC),
    ("partial of coroutine function", functools.partial(waits, 1), Mode.ASYNC),
    ("partial of a partial", functools.partial(functools.partial(waits), x=1), Mode.ASYNC),
    ("partial of async callable object", functools.partial(Waits()), Mode.ASYNC),
    ("wrapped coroutine function", waits_in_disguise, Mode.ASYNC),
]


@pytest.mark.parametrize(("handler", "mode"), [pytest.param(h, m, id=i) for i, h, m in MODES])
def test_the_mode_is_that_of_the_function_that_runs(
    handler: Callable[..., Any], mode: Mode
) -> None:
    assert mode_of(handler) is mode


def test_a_plain_function_can_ask_to_run_inline() -> None:
    assert mode_of(plain, inline=True) is Mode.INLINE


@pytest.mark.parametrize("handler", [waits, Waits(), functools.partial(waits)])
def test_an_async_handler_cannot_run_inline(handler: Callable[..., Any]) -> None:
    with pytest.raises(RegistrationError, match="is async, so it cannot run inline"):
        mode_of(handler, inline=True)


@pytest.mark.parametrize("handler", [streams, Streams(), functools.partial(streams)])
def test_an_async_generator_is_refused_and_told_what_to_do(handler: Callable[..., Any]) -> None:
    with pytest.raises(RegistrationError, match=r"async generator.*collect the pieces and return"):
        mode_of(handler, noun="tool")


@pytest.mark.parametrize("handler", [None, 5, "add", {}])
def test_what_cannot_be_called_is_refused(handler: Any) -> None:
    with pytest.raises(RegistrationError, match="a tool needs something to call"):
        mode_of(handler, noun="tool")


def test_the_name_is_that_of_the_function() -> None:
    assert name_of(plain, "tool") == "plain"
    assert name_of(functools.partial(plain, 1), "tool") == "plain"
    assert name_of(Plain().method, "tool") == "method"


@pytest.mark.parametrize("handler", [lambda: 1, Plain(), functools.partial(Plain())])
def test_a_handler_without_a_name_needs_one(handler: Callable[..., Any]) -> None:
    with pytest.raises(RegistrationError, match=r'has no name to use for the tool; .*name="..."'):
        name_of(handler, "tool")


@pytest.mark.parametrize(
    "handler", [plain, functools.partial(plain, 1)], ids=["function", "partial"]
)
def test_the_description_is_the_docstring_without_its_sections(
    handler: Callable[..., Any],
) -> None:
    assert description_of(handler) == "Add nothing.\n\nA second paragraph."


def test_a_callable_object_is_described_by_its_call_and_else_by_its_class() -> None:
    class Quiet:
        """A quiet class."""

        def __call__(self) -> None: ...

    assert description_of(Plain()) == "A call."
    assert description_of(Quiet()) == "A quiet class."


def test_no_docstring_is_no_description() -> None:
    assert description_of(waits) is None
    assert description_of(Waits()) is None
