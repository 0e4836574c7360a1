"""Values in parameter order -> the arguments of a call, the context put in its place."""

import inspect
from collections.abc import Callable
from typing import Any

import msgspec

from ._reader import Bound
from ._shape import NOTHING

__all__ = ["Slot", "binder"]


class Slot(msgspec.Struct, kw_only=True):
    """One parameter of a handler.

    Attributes:
        name: Its Python name.
        wire: Its name in JSON.
        kind: As ``inspect.Parameter`` has it.
        annotation: Its type, names resolved.
        default: Its default; ``NOTHING`` where it has none.
        is_context: It gets the context of the call.
        is_annotated: The author gave the type.
    """

    name: str
    wire: str
    kind: Any
    annotation: Any = Any
    default: Any = NOTHING
    is_context: bool = False
    is_annotated: bool = True

    @property
    def by_keyword(self) -> bool:
        return self.kind is inspect.Parameter.KEYWORD_ONLY

    @property
    def takes_extras(self) -> bool:
        return self.kind is inspect.Parameter.VAR_KEYWORD


def binder(slots: list[Slot]) -> Callable[[tuple[Any, ...], Any], Bound]:
    """How to call a handler with these parameters.

    Args:
        slots: All of them in order, context and ``**kwargs`` included.

    Returns:
        A function of the values (in order, no context among them, the extra keys' dict last if
        there is a ``**kwargs``) and the context.
    """
    positional = [slot for slot in slots if not slot.by_keyword and not slot.takes_extras]
    keyword = [slot for slot in slots if slot.by_keyword]
    contexts = [index for index, slot in enumerate(positional) if slot.is_context]
    extras = any(slot.takes_extras for slot in slots)
    if not keyword and not extras and not contexts:
        return lambda values, context: Bound(values, {})
    if not keyword and not extras and len(contexts) == 1:
        at = contexts[0]
        return lambda values, context: Bound((*values[:at], context, *values[at:]), {})
    count = len(positional) - len(contexts)
    names = [slot.name for slot in keyword if not slot.is_context]
    context_names = [slot.name for slot in keyword if slot.is_context]

    def bind(values: tuple[Any, ...], context: Any) -> Bound:
        args = list(values[:count])
        for at in contexts:
            args.insert(at, context)
        kwargs = dict(values[-1]) if extras else {}
        kwargs.update(zip(names, values[count:], strict=False))
        kwargs.update(dict.fromkeys(context_names, context))
        return Bound(tuple(args), kwargs)

    return bind
