"""Where the names in postponed annotations are looked up."""

import functools
import sys
import types
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from inspect import unwrap
from typing import Any, get_type_hints

import msgspec

from ._errors import DeclarationError, UndefinedNameError

__all__ = ["FrameLocals", "Scope", "caller_locals", "scope_of", "underlying"]


class FrameLocals(Mapping[str, Any]):
    """The local variables of a frame as they are when they are asked for, read only."""

    def __init__(self, frame: types.FrameType) -> None:
        self._frame = frame

    def __getitem__(self, name: str) -> Any:
        return self._frame.f_locals[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._frame.f_locals)

    def __len__(self) -> int:
        return len(self._frame.f_locals)


def caller_locals(depth: int = 1) -> Mapping[str, Any] | None:
    """Local variables around a call, for postponed annotations of functions declared there.

    Args:
        depth: How many frames up the declaring code is; 1 is the caller of the function that calls
            this one.

    Returns:
        The locals of that frame and of the functions of the same module around it; None at module
        level, where the function's globals say it all. It keeps the frames alive.
    """
    frame: types.FrameType | None = sys._getframe(depth + 1)
    found: list[Any] = []
    module = frame.f_globals if frame is not None else None
    while frame is not None and frame.f_globals is module and frame.f_locals is not module:
        found.append(FrameLocals(frame))
        frame = frame.f_back
    return ChainMap(*found) if found else None


class Scope(msgspec.Struct):
    """Names that annotations of one declaration may use.

    Args:
        module: The globals of the module that declares it.
        local: Names around it: closure, class and caller's locals; they win.
        fallback: Names that count only where nothing else defines them.
    """

    module: dict[str, Any]
    local: Mapping[str, Any]
    fallback: dict[str, Any] = {}

    def resolve(self, annotation: Any, where: str) -> Any:
        """An annotation -> itself with every postponed name in it evaluated.

        Raises:
            UndefinedNameError: A name is not defined.
            DeclarationError: The text is no annotation.
        """
        if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
            return annotation

        def carrier() -> None: ...

        carrier.__annotations__ = {"it": annotation}
        module = {**self.fallback, **self.module} if self.fallback else self.module
        try:
            return get_type_hints(carrier, module, self.local, include_extras=True)["it"]
        except NameError as error:
            raise UndefinedNameError(where, error.name or str(error)) from None
        except Exception as error:  # noqa: BLE001 - the annotation is the author's code
            raise DeclarationError(f"{where}: {annotation!r} is no type: {error}") from None

    def class_hints(self, python: type, where: str) -> dict[str, Any]:
        """The annotations of a class with every postponed name in them evaluated."""
        local = ChainMap({python.__name__: python}, dict(vars(python)), self.local)  # type: ignore[arg-type]
        try:
            return get_type_hints(python, None, local, include_extras=True)
        except NameError as error:
            raise UndefinedNameError(where, error.name or str(error)) from None
        except Exception as error:  # noqa: BLE001 - the annotation is the author's code
            raise DeclarationError(f"{where}: {python!r} has a wrong annotation: {error}") from None


def underlying(function: Callable[..., Any]) -> Any:
    """The function whose annotations a callable has: behind partial, method, object, class."""
    found: Any = function
    while True:
        found = unwrap(found)
        if isinstance(found, functools.partial):
            found = found.func
        elif isinstance(found, types.MethodType):
            found = found.__func__
        elif isinstance(found, type):
            return vars(found).get("__init__", found)
        elif hasattr(found, "__code__") or isinstance(found, types.BuiltinFunctionType):
            return found
        else:
            call = vars(type(found)).get("__call__") or getattr(type(found), "__call__", None)  # noqa: B004
            if not hasattr(call, "__code__"):
                return found
            found = call


def scope_of(
    function: Callable[..., Any],
    local: Mapping[str, Any] | None,
    fallback: dict[str, Any],
) -> Scope:
    """The scope of a callable: its module, its closure, its class, and the caller's locals."""
    plain = underlying(function)
    closure: dict[str, Any] = {}
    code = getattr(plain, "__code__", None)
    for name, cell in zip(
        getattr(code, "co_freevars", ()), getattr(plain, "__closure__", None) or (), strict=False
    ):
        try:
            closure[name] = cell.cell_contents
        except ValueError:
            continue
    module = getattr(plain, "__globals__", None)
    if module is None:
        module = vars(sys.modules.get(getattr(plain, "__module__", None) or "") or types)
    maps: list[Any] = [closure]
    if local is not None:
        maps.append(local)
    owner = _owner(function)
    if owner is not None:
        maps.extend(dict(vars(base)) for base in owner.__mro__[:-1])
    # A type parameter of ``def f[T](x: T)`` is a name like any other.
    maps.append({t.__name__: t for t in getattr(plain, "__type_params__", ())})
    return Scope(module=module, local=ChainMap(*maps), fallback=fallback)


def _owner(function: Any) -> type | None:
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, types.MethodType):
        owner = function.__self__
        return owner if isinstance(owner, type) else type(owner)
    if isinstance(function, type):
        return function
    if hasattr(function, "__code__") or isinstance(function, types.BuiltinFunctionType):
        return None
    return type(function)
