"""Arrays and maps: lists, sets, tuples, dicts and their abstract kin."""

import collections
import collections.abc
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ._errors import Mismatch
from ._keys import is_text, key_names, read_key
from ._numbers import to_float, to_int
from ._shape import NOTHING, Part, Parts, Shape, read_each, read_item

if TYPE_CHECKING:
    from ._build import ShapeBuilder

__all__ = ["container_shape", "is_container"]

# Python origin -> what makes it from a list; None where the list itself is it.
_ARRAYS: dict[Any, Callable[[list[Any]], Any] | None] = {
    list: None,
    collections.abc.Sequence: None,
    collections.abc.MutableSequence: None,
    collections.abc.Collection: None,
    collections.abc.Iterable: None,
    set: set,
    frozenset: frozenset,
    collections.abc.Set: set,
    collections.abc.MutableSet: set,
    collections.deque: collections.deque,
    tuple: tuple,
}
_MAPS: dict[Any, Callable[[dict[Any, Any]], Any] | None] = {
    dict: None,
    collections.abc.Mapping: None,
    collections.abc.MutableMapping: None,
    collections.OrderedDict: collections.OrderedDict,
}
_BY_MSGSPEC: dict[Any, Any] = {
    list: list,
    collections.abc.Sequence: list,
    collections.abc.MutableSequence: list,
    collections.abc.Collection: list,
    collections.abc.Iterable: list,
    set: set,
    collections.abc.Set: set,
    collections.abc.MutableSet: set,
    frozenset: frozenset,
}
_SETS = {set, frozenset, collections.abc.Set, collections.abc.MutableSet}


def is_container(origin: Any) -> bool:
    """Whether a type without its arguments is one that this module knows."""
    return origin in _ARRAYS or origin in _MAPS


def container_shape(
    builder: "ShapeBuilder", origin: Any, arguments: tuple[Any, ...], where: str
) -> Shape:
    """The shape of a container.

    Args:
        builder: Makes the shapes of what it holds.
        origin: The type without its arguments, such as ``dict``.
        arguments: Its arguments, such as ``(str, int)``; empty for one of anything.
        where: For messages.
    """
    if origin in _MAPS:
        key, value = arguments or (str, Any)
        return _map(origin, builder.shape(key, where), builder.shape(value, where))
    if origin is tuple and arguments and arguments[-1] is not Ellipsis:
        return _tuple([builder.shape(part, where) for part in arguments if part != ()])
    return _array(origin, builder.shape(arguments[0] if arguments else Any, where))


def _array(origin: Any, item: Shape) -> Shape:
    """Any array whose items are all of one type; a set may be given repeated items."""
    make = _ARRAYS[origin]
    schema: dict[str, Any] = {"type": "array"}
    if item.schema:
        schema["items"] = item.schema
    outer: Callable[..., Any] | None = None
    if origin is tuple:
        outer = _tuple_of_any_length
    elif origin in _BY_MSGSPEC:
        outer = _BY_MSGSPEC[origin].__class_getitem__
    shape = Shape(
        schema=schema,
        read=_array_reader(make, item),
        parts=_items(lambda index: item) if _may_fail(item) else None,
        named=getattr(origin, "__name__", str(origin)),
        unordered=origin in _SETS,
    )
    return _with_types(shape, outer, [item])


def _tuple_of_any_length(inner: Any) -> Any:
    return types.GenericAlias(tuple, (inner, Ellipsis))


def _array_reader(make: Callable[[list[Any]], Any] | None, item: Shape) -> Any:
    read_one = item.read
    if make is None:
        return None if read_one is None else lambda value: read_each(read_one, value)

    def read(value: list[Any]) -> Any:
        items = read_each(read_one, value)
        try:
            return make(items)
        except TypeError:
            raise Mismatch("items that can be in a set", value) from None

    return read


def _may_fail(shape: Shape) -> bool:
    """Whether reading may find a mismatch, so that each of many items is worth a look."""
    return shape.parts is not None or shape.read not in (None, to_int, to_float)


def _items(shape_at: Callable[[int], Shape | None]) -> Parts:
    """The items of an array, as far as they have shapes."""

    def parts(value: Any) -> Iterator[Part]:
        for index, part in enumerate(value) if isinstance(value, list) else ():
            shape = shape_at(index)
            if shape is not None:
                yield Part(index, shape, part)

    return parts


def _tuple(items: list[Shape], make: Callable[[list[Any]], Any] = tuple) -> Shape:
    """An array of exactly these items, in this order."""
    schema: dict[str, Any] = {"type": "array", "minItems": len(items), "maxItems": len(items)}
    if items:
        schema["prefixItems"] = [item.schema for item in items]

    def read(value: list[Any]) -> Any:
        parts = [
            part if shape.read is None else read_item(shape.read, index, part)
            for index, (shape, part) in enumerate(zip(items, value, strict=True))
        ]
        return make(parts)

    parts = _items(lambda index: items[index] if index < len(items) else None)
    shape = Shape(schema=schema, read=read, parts=parts, named="tuple")
    return _with_types(shape, lambda *inner: types.GenericAlias(tuple, inner), items)


def _map(origin: Any, key: Shape, value: Shape) -> Shape:
    """An object with any keys; keys that are no text are read from their text."""
    make = _MAPS[origin]
    schema: dict[str, Any] = {"type": "object"}
    if value.schema:
        schema["additionalProperties"] = value.schema
    plain_key = key.schema == {"type": "string"} and key.read is None
    names = key_names(key.schema)
    if names:
        schema["propertyNames"] = names

    def parts(given: Any) -> Iterator[Part]:
        for name, part in given.items() if isinstance(given, dict) else ():
            yield Part(name, value, part)

    shape = Shape(
        schema=schema,
        read=_map_reader(make, key, value),
        parts=parts if _may_fail(value) else None,
        named="dict",
    )
    if origin not in (dict, collections.abc.Mapping, collections.abc.MutableMapping):
        return shape
    if plain_key:
        return _with_types(shape, lambda inner: types.GenericAlias(dict, (str, inner)), [value])
    return shape


def _map_reader(make: Callable[[dict[Any, Any]], Any] | None, key: Shape, value: Shape) -> Any:
    if make is None and is_text(key) and key.read is None and value.read is None:
        return None

    def read(given: dict[str, Any]) -> Any:
        items = {
            read_key(key, name): part if value.read is None else read_item(value.read, name, part)
            for name, part in given.items()
        }
        return items if make is None else make(items)

    return read


def _with_types(shape: Shape, outer: Callable[..., Any] | None, inner: list[Shape]) -> Shape:
    """Adds the msgspec types, where each of the ``inner`` shapes has one."""
    if outer is None:
        return shape
    if all(item.gate is not NOTHING for item in inner):
        shape.gate = outer(*[item.gate for item in inner])
    if all(item.native is not NOTHING for item in inner):
        shape.native = outer(*[item.native for item in inner])
    shape.direct = shape.gate is not NOTHING and all(item.direct for item in inner)
    shape.sound = all(item.sound for item in inner)
    return shape
