"""What one message costs in things that can be counted, and so are the same on every machine."""

import gc
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import BuiltinFunctionType, FrameType
from typing import Any, TypeAlias

__all__ = [
    "blocks_at_peak",
    "blocks_left",
    "builtin_calls",
    "lines_run",
    "python_calls",
    "tracked_objects",
    "unreachable_objects",
]

Step: TypeAlias = Callable[[], object]
"""Serves one message."""

Hook: TypeAlias = Callable[[FrameType, str, Any], None]

WARM_UP = 20
"""Messages before anything is counted: caches fill, and what is loaded late is loaded."""

TRIES = 3
"""How often blocks are counted: another thread may allocate some, and the least is right."""


def python_calls(step: Step) -> Counter[str]:
    """The calls of functions of ours in one message, by full name; steps of generators count."""
    calls: Counter[str] = Counter()

    def hook(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and _is_ours(frame):
            calls[f"{frame.f_globals['__name__']}.{frame.f_code.co_qualname}"] += 1

    _warm_up(step)
    _profiled(step, hook)
    return calls


def builtin_calls(step: Step) -> Counter[str]:
    """The calls of built-in functions and methods by ours, by name; classes are not among them."""
    calls: Counter[str] = Counter()

    def hook(frame: FrameType, event: str, argument: Any) -> None:
        if event == "c_call" and _is_ours(frame):
            calls[argument.__qualname__] += 1

    _warm_up(step)
    _profiled(step, hook)
    return calls


def lines_run(step: Step) -> Counter[str]:
    """The lines of ours that one message runs, each as often as it runs, by their functions.

    A loop without a call in it shows here only. Versions of Python count differently.
    """
    lines: Counter[str] = Counter()

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if not _is_ours(frame):
            return None
        if event == "line":
            lines[f"{frame.f_globals['__name__']}.{frame.f_code.co_qualname}"] += 1
        return trace

    _warm_up(step)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        step()
    finally:
        sys.settrace(before)
    return lines


def tracked_objects(step: Step) -> Counter[str]:
    """The objects made by one message that the collector tracks, by the names of their types.

    They are looked for at each call and return, so what lives for less than that is not seen.
    """
    seen: dict[int, object] = {}

    def hook(frame: FrameType, event: str, argument: Any) -> None:
        if event in ("call", "return"):
            for found in gc.get_objects():
                seen.setdefault(id(found), found)  # kept, so that no id comes twice

    _warm_up(step)
    with _only_new_objects():
        _profiled(step, hook)
    # The hook has frames made that would not be there without it, and methods on their way.
    extra = (FrameType, BuiltinFunctionType)
    return Counter(_name_of(found) for found in seen.values() if not isinstance(found, extra))


def blocks_at_peak(step: Step) -> int:
    """The blocks of memory that one message holds at most, at any call or return."""
    return max(0, min(_peak(step) - _peak(bytes) for _ in range(TRIES)))


def blocks_left(step: Step, messages: int = 1000) -> int:
    """The blocks of memory that so many messages leave for ever."""

    def more() -> int:
        before = sys.getallocatedblocks()
        for _ in range(messages):
            step()
        gc.collect()
        return sys.getallocatedblocks() - before

    gc.collect()
    more()
    return min(more() for _ in range(TRIES))


def unreachable_objects(step: Step, messages: int = 1000) -> Counter[str]:
    """The objects that so many messages leave for the collector, by the names of their types."""
    _warm_up(step)
    with _no_collection():
        for _ in range(messages):
            step()
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            gc.collect()
            return Counter(_name_of(found) for found in gc.garbage)
        finally:
            gc.set_debug(0)
            gc.garbage.clear()


# -- inside ---------------------------------------------------------------------------------------


def _is_ours(frame: FrameType) -> bool:
    name: str = frame.f_globals.get("__name__", "")
    return name.startswith("sansmcp_")


def _name_of(found: object) -> str:
    kind = type(found)
    return f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")


def _warm_up(step: Step) -> None:
    for _ in range(WARM_UP):
        step()


def _profiled(step: Step, hook: Hook) -> None:
    before = sys.getprofile()
    sys.setprofile(hook)
    try:
        step()
    finally:
        sys.setprofile(before)


def _peak(step: Step) -> int:
    peak = depth = start = 0

    def hook(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal peak, depth
        if event == "call":
            depth += 1  # a frame is made for the hook: one block
        elif event != "return":
            return
        peak = max(peak, sys.getallocatedblocks() - start - depth)
        if event == "return":
            depth -= 1

    _warm_up(step)
    with _no_collection():
        start = sys.getallocatedblocks()
        _profiled(step, hook)
    return peak


@contextmanager
def _no_collection() -> Iterator[None]:
    gc.collect()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def _only_new_objects() -> Iterator[None]:
    """Let ``gc.get_objects`` return nothing older than the block."""
    with _no_collection():
        was_frozen = gc.get_freeze_count() > 0
        gc.freeze()
        try:
            yield
        finally:
            if not was_frozen:
                gc.unfreeze()
