"""Postponed annotations: resolved where they are declared, or when serving starts."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Optional

import msgspec
import pytest
from msgspec import Struct
from sansmcp_schema.declare import (
    Bound,
    DeclarationError,
    Deferred,
    InputOptions,
    InputReader,
    OutputOptions,
    UndefinedNameError,
    caller_locals,
    input_from_signature,
    output_from_return,
)

if TYPE_CHECKING:
    import sansmcp_core as core
    from elsewhere import NeverThere  # type: ignore[import-not-found]


class Context:
    """Stands for the context of a call."""


class InModule(Struct):
    n: int


class Tools:
    class Inner(Struct):
        n: int

    def method(self, v: Inner) -> Inner:
        return v

    def __call__(self, v: Inner) -> None: ...


def declare(function: Callable[..., Any]) -> Any:
    """What a decorator of the core does: it looks around the code that called it."""
    options = InputOptions(context_type=Context, local_names=caller_locals())
    return input_from_signature(function, options)


def reader_of(function: Callable[..., Any]) -> InputReader:
    reader = input_from_signature(function, InputOptions(context_type=Context))
    assert isinstance(reader, InputReader)
    return reader


CALL = b'{"v":{"n":1}}'


def test_a_name_of_the_module_is_resolved() -> None:
    def tool(v: InModule, w: Optional[list[InModule]] = None) -> None: ...  # noqa: UP045

    assert reader_of(tool).read(CALL) == Bound((InModule(1), None), {})


def test_a_name_of_the_callers_locals_is_resolved() -> None:
    class Local(Struct):
        n: int

    def tool(v: Local) -> None: ...

    reader = declare(tool)
    assert isinstance(reader, InputReader)
    assert reader.read(CALL) == Bound((Local(1),), {})


def test_a_name_of_an_outer_function_is_resolved() -> None:
    class Local(Struct):
        n: int

    def build() -> Any:
        def tool(v: Local) -> None: ...

        return declare(tool)

    assert isinstance(build(), InputReader)


def test_a_name_that_the_body_closes_over_is_resolved_without_the_caller() -> None:
    class Local(Struct):
        n: int

    def tool(v: Local) -> Local:
        return Local(v.n)

    assert isinstance(input_from_signature(tool), InputReader)


def test_a_name_of_the_class_is_resolved() -> None:
    assert reader_of(Tools().method).read(CALL) == Bound((Tools.Inner(1),), {})
    assert reader_of(Tools()).read(CALL) == Bound((Tools.Inner(1),), {})
    assert reader_of(functools.partial(Tools().method)).read(CALL) == Bound((Tools.Inner(1),), {})


def test_a_local_recursive_class_is_resolved_though_msgspec_cannot() -> None:
    class Local(Struct):
        n: int
        kids: list[Local] = []

    def tool(v: Local) -> Local:
        return v

    reader = declare(tool)
    assert isinstance(reader, InputReader)
    assert reader.read(b'{"v":{"n":1,"kids":[{"n":2}]}}') == Bound((Local(1, [Local(2)]),), {})
    writer = output_from_return(tool, OutputOptions(local_names=caller_locals(0)))
    assert not isinstance(writer, Deferred)
    assert writer.write(Local(1, [Local(2)])).text == '{"n":1,"kids":[{"n":2,"kids":[]}]}'


def test_a_name_that_is_defined_later_is_tried_again() -> None:
    def tool(v: Later) -> Later: ...  # type: ignore[name-defined]  # noqa: F821

    names: dict[str, Any] = {}
    deferred = input_from_signature(tool, InputOptions(local_names=names))
    output = output_from_return(tool, OutputOptions(local_names=names))
    assert isinstance(deferred, Deferred)
    assert isinstance(output, Deferred)
    names["Later"] = InModule
    assert deferred.resolve().read(CALL) == Bound((InModule(1),), {})
    assert output.resolve().schema is not None


def test_a_local_that_is_defined_after_the_declaration_is_found() -> None:
    def tool(v: Later) -> None: ...

    deferred = declare(tool)

    class Later(Struct):
        n: int

    assert isinstance(deferred, Deferred)
    reader: InputReader = deferred.resolve()
    assert reader.read(CALL) == Bound((Later(1),), {})


def test_a_name_that_stays_undefined_is_an_error_that_names_it_and_the_parameter() -> None:
    def tool(ok: int, v: list[NeverThere]) -> None: ...

    deferred = input_from_signature(tool, InputOptions(tool_name="t"))
    assert isinstance(deferred, Deferred)
    with pytest.raises(UndefinedNameError, match=r"tool 't', parameter 'v'.*'NeverThere'"):
        deferred.resolve()
    assert issubclass(UndefinedNameError, DeclarationError)


def test_an_undefined_name_in_a_field_is_an_error_that_names_the_parameter() -> None:
    class Local(Struct):
        n: NeverThere

    def tool(v: Local) -> None: ...

    deferred = declare(tool)
    assert isinstance(deferred, Deferred)
    with pytest.raises(UndefinedNameError, match=r"parameter 'v'.*'NeverThere'"):
        deferred.resolve()


def test_a_context_that_only_the_type_checker_imports_is_still_a_context() -> None:
    def tool(v: InModule, ctx: core.Context) -> None: ...

    reader = reader_of(tool)
    assert reader.read(CALL, "the context") == Bound((InModule(1), "the context"), {})
    assert list(reader.schema["properties"]) == ["v"]


def test_the_callers_locals_at_module_level_are_its_globals() -> None:
    names: dict[str, Any] = {"__name__": "m", "caller_locals": caller_locals}
    exec("found = caller_locals(0)", names)
    assert names["found"] is None
    found = caller_locals(0)
    assert isinstance(found, Mapping)
    assert found["names"] is names


def test_a_struct_argument_class_with_local_names_is_resolved() -> None:
    class Inner(Struct):
        n: int

    class Local(Struct):
        inner: Inner

    from sansmcp_schema.declare import input_from_struct

    def handler(arguments: Local) -> None: ...

    reader = input_from_struct(Local, handler, InputOptions(local_names=caller_locals(0)))
    assert isinstance(reader, InputReader)
    assert reader.read(b'{"inner":{"n":1}}') == Bound((Local(Inner(1)),), {})
    assert msgspec.json.encode(reader.schema)
