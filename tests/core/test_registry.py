"""A registry keeps named entries in order, changes from any thread, and says so once per change."""

import threading
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from sansmcp_core._errors import RegistrationError
from sansmcp_core._operation import Mode
from sansmcp_core._registry import Registry, describe_function


class Entry(msgspec.Struct, frozen=True):
    name: str
    mode: Mode = Mode.BLOCKING
    time_limit_s: float | None = None
    scopes: frozenset[str] = frozenset()
    function: Callable[..., Any] = print
    takes_context: bool = False


def handler() -> None: ...


@pytest.fixture
def changes() -> list[int]:
    return []


@pytest.fixture
def registry(changes: list[int]) -> Registry[Entry]:
    made: Registry[Entry] = Registry("tool", lambda: changes.append(made.version))
    for name in "abc":
        made.add(Entry(name, function=handler))
    changes.clear()
    return made


def names(registry: Registry[Entry]) -> str:
    return "".join(entry.name for entry in registry.entries())


def test_entries_stay_in_order_of_registration(registry: Registry[Entry]) -> None:
    registry.remove("a")
    registry.add(Entry("a"))
    assert names(registry) == "bca"


def test_a_disabled_entry_is_not_found_and_comes_back_in_its_place(
    registry: Registry[Entry],
) -> None:
    registry.disable("b")
    assert registry.find("b") is None
    assert names(registry) == "ac"
    assert len(registry) == 3
    registry.enable("b")
    assert registry.find("b") is not None
    assert names(registry) == "abc"


def test_serial_numbers_grow_and_are_never_used_again(registry: Registry[Entry]) -> None:
    registry.remove("c")
    registry.add(Entry("c"))
    assert [row.serial for row in registry.snapshot().rows] == [1, 2, 4]


def test_a_snapshot_is_one_object_until_something_changes(registry: Registry[Entry]) -> None:
    first = registry.snapshot()
    assert registry.snapshot() is first
    registry.disable("a")
    assert registry.snapshot() is not first
    assert len(first.rows) == 3


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param(lambda r: r.add(Entry("d")), 1, id="add"),
        pytest.param(lambda r: r.remove("a"), 1, id="remove"),
        pytest.param(lambda r: r.disable("a"), 1, id="disable"),
        pytest.param(lambda r: r.enable("a"), 0, id="enable what is enabled"),
        pytest.param(lambda r: (r.disable("a"), r.disable("a")), 1, id="disable twice"),
        pytest.param(lambda r: (r.disable("a"), r.enable("a")), 2, id="disable and enable"),
        pytest.param(lambda r: (r.disable("a"), r.remove("a")), 1, id="remove what is hidden"),
        pytest.param(lambda r: r.update("a", lambda entry: None), 1, id="update"),
        pytest.param(lambda r: r.freeze(), 0, id="freeze"),
    ],
)
def test_each_change_is_told_once(
    registry: Registry[Entry],
    changes: list[int],
    change: Callable[[Registry[Entry]], None],
    told: int,
) -> None:
    version = registry.version
    change(registry)
    assert len(changes) == told
    assert registry.version == version + told


def test_a_duplicate_is_refused_and_the_first_one_named(registry: Registry[Entry]) -> None:
    with pytest.raises(RegistrationError, match=r"tool 'a' is already registered.*\.handler"):
        registry.add(Entry("a"))
    assert names(registry) == "abc"


def test_the_name_of_a_disabled_entry_is_taken(registry: Registry[Entry]) -> None:
    registry.disable("a")
    with pytest.raises(RegistrationError, match="already registered"):
        registry.add(Entry("a"))


CHANGES: dict[str, Callable[[Registry[Entry], str], None]] = {
    "remove": lambda registry, name: registry.remove(name),
    "disable": lambda registry, name: registry.disable(name),
    "enable": lambda registry, name: registry.enable(name),
    "change": lambda registry, name: registry.update(name, lambda entry: None),
}


@pytest.mark.parametrize("change", CHANGES)
def test_an_unknown_name_is_an_error_that_lists_the_known_ones(
    registry: Registry[Entry], changes: list[int], change: str
) -> None:
    with pytest.raises(
        RegistrationError, match=r"no tool 'x' is registered; known: 'a', 'b', 'c'$"
    ):
        CHANGES[change](registry, "x")
    assert not changes


@pytest.mark.parametrize("change", [*CHANGES, "add"])
def test_a_frozen_registry_refuses_every_change(
    registry: Registry[Entry], changes: list[int], change: str
) -> None:
    def add(registry: Registry[Entry], name: str) -> None:
        registry.add(Entry(name))

    registry.freeze()
    act = add if change == "add" else CHANGES[change]
    with pytest.raises(RegistrationError, match=f"cannot {change} tool '.': the server is frozen"):
        act(registry, "a")
    assert names(registry) == "abc"
    assert not changes


def test_async_handlers_can_be_refused_before_and_after(registry: Registry[Entry]) -> None:
    registry.refuse_async()
    with pytest.raises(RegistrationError, match="'waits' is async"):
        registry.add(Entry("waits", mode=Mode.ASYNC))
    other: Registry[Entry] = Registry("tool", lambda: None)
    other.add(Entry("waits", mode=Mode.ASYNC))
    with pytest.raises(RegistrationError, match="'waits' is async"):
        other.refuse_async()
    other.add(Entry("waits too", mode=Mode.ASYNC))


def test_threads_that_register_at_once_lose_nothing(
    registry: Registry[Entry], changes: list[int]
) -> None:
    threads, each = 8, 100
    begin = threading.Barrier(threads, timeout=10)

    def register(number: int) -> None:
        begin.wait()
        for index in range(each):
            registry.add(Entry(f"{number}.{index}"))
            registry.disable(f"{number}.{index}")
            registry.enable(f"{number}.{index}")

    workers = [threading.Thread(target=register, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=30)
    assert len(registry.entries()) == 3 + threads * each
    assert len(changes) == 3 * threads * each
    serials = [row.serial for row in registry.snapshot().rows]
    assert serials == sorted(set(serials))


def test_a_handler_is_described_by_module_and_name() -> None:
    assert describe_function(handler).endswith("test_registry.handler")
    assert describe_function(None) == "NoneType"
