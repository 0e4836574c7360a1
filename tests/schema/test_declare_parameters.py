"""Parameters that cannot be what they were meant to be are refused, with what to write instead."""

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, NewType, TypedDict

import pydantic
import pytest
from msgspec import Struct
from sansmcp_schema.declare import (
    DeclarationError,
    InputOptions,
    InputReader,
    ObjectSchema,
    Parameter,
    input_from_schema,
    input_from_signature,
    input_from_struct,
    output_from_return,
)


class Context:
    """Stands for the context of a call."""


OPTIONS = InputOptions(tool_name="t", context_type=Context)


class Model(pydantic.BaseModel):
    a: int


class A(Struct):
    a: int


class B(Struct):
    b: int


class Keys(TypedDict):
    a: int


@dataclasses.dataclass
class Base:
    a: int


@dataclasses.dataclass
class Child(Base):
    b: int = 0


def refused(make: Callable[[], Any]) -> str:
    with pytest.raises(DeclarationError) as caught:
        make()
    return str(caught.value)


class Methods:
    def method(self, q: str) -> None: ...

    def of_class(cls, q: str) -> None: ...  # noqa: N805


@pytest.mark.parametrize("function", [Methods.method, Methods.of_class])
def test_a_method_without_its_object_is_refused(function: Callable[..., Any]) -> None:
    for make in (
        lambda: input_from_signature(function, OPTIONS),
        lambda: input_from_schema(ObjectSchema().string("q"), function, OPTIONS),
        lambda: input_from_struct(A, function, OPTIONS),
    ):
        text = refused(make)
        assert "mark.tool" in text
        assert "server.register(" in text


def test_a_bound_method_is_taken() -> None:
    reader = input_from_signature(Methods().method, OPTIONS)
    assert isinstance(reader, InputReader)
    assert list(reader.schema["properties"]) == ["q"]


def bare_ctx(ctx, q: str) -> None: ...  # type: ignore[no-untyped-def]
def bare_context(context, q: str) -> None: ...  # type: ignore[no-untyped-def]
def late_ctx(q: str, ctx=None) -> None: ...  # type: ignore[no-untyped-def]


@pytest.mark.parametrize("function", [bare_ctx, bare_context, late_ctx])
def test_a_context_without_annotation_is_refused(function: Callable[..., Any]) -> None:
    text = refused(lambda: input_from_signature(function, OPTIONS))
    assert "ctx: Context" in text or "context: Context" in text


def meant(context: str, q: str) -> None: ...
def named(context) -> None: ...  # type: ignore[no-untyped-def]


def test_an_argument_may_be_called_context_where_it_says_so() -> None:
    input_from_signature(meant, OPTIONS)
    input_from_schema(ObjectSchema().string("context"), named, OPTIONS)
    parameters = {"context": Parameter(description="Where")}
    input_from_signature(named, InputOptions(context_type=Context, parameters=parameters))
    input_from_signature(named, InputOptions())


def text_only(q: str) -> None: ...
def number_only(q: int | None) -> None: ...
def struct_only(q: A) -> None: ...


SCHEMA = ObjectSchema().string("query")


@pytest.mark.parametrize("function", [text_only, number_only, struct_only])
def test_a_lone_parameter_that_is_no_property_takes_a_mapping_or_is_refused(
    function: Callable[..., Any],
) -> None:
    text = refused(lambda: input_from_schema(SCHEMA, function, OPTIONS))
    assert "'q'" in text
    assert "query" in text
    assert "dict" in text


Arguments = NewType("Arguments", dict[str, Any])


@pytest.mark.parametrize(
    "annotation",
    [
        Any,
        object,
        dict,
        dict[str, Any],
        Mapping[str, Any],
        dict[str, Any] | None,
        Annotated[dict[str, Any], "all"],
        Keys,
        Arguments,
    ],
    ids=str,
)
def test_a_lone_parameter_for_a_mapping_is_taken(annotation: Any) -> None:
    def f(arguments: Any) -> None: ...

    f.__annotations__["arguments"] = annotation
    reader = input_from_schema(SCHEMA, f, OPTIONS)
    assert reader.read(b'{"query":"x"}').args == ({"query": "x"},)  # type: ignore[union-attr]


def test_a_required_name_that_is_no_property_is_taken_by_name() -> None:
    reader = input_from_schema({"type": "object", "required": ["q"]}, text_only, OPTIONS)
    assert reader.read(b'{"q":"x"}').args == ("x",)  # type: ignore[union-attr]


@pytest.mark.parametrize("annotation", [int, B, str | None, list[A], Mapping[str, Any]], ids=str)
def test_a_handler_of_a_class_whose_parameter_is_another_type_is_refused(annotation: Any) -> None:
    def f(a: Any) -> None: ...

    f.__annotations__["a"] = annotation
    text = refused(lambda: input_from_struct(A, f, OPTIONS))
    assert "'a'" in text
    assert "a: A" in text


@pytest.mark.parametrize(
    ("python", "annotation"),
    [
        (A, Any), (A, object), (A, A), (A, A | None), (A, Annotated[A, "x"]), (Child, Base),
        (Keys, dict[str, Any]), (Keys, Mapping[str, Any]), (Keys, Keys),
    ],
    ids=str,
)  # fmt: skip
def test_a_handler_of_a_class_may_annotate_it_or_a_base_of_it(python: Any, annotation: Any) -> None:
    def f(a: Any) -> None: ...

    f.__annotations__["a"] = annotation
    input_from_struct(python, f, OPTIONS)


def of_model(m: Model) -> None: ...
def of_path(p: Path) -> None: ...
def of_any_number(*args: Any, **kwargs: Any) -> None: ...


def test_a_pydantic_model_is_named_with_the_ways_out() -> None:
    for make in (
        lambda: input_from_signature(of_model, OPTIONS),
        lambda: input_from_struct(Model, text_only, OPTIONS),
    ):
        text = refused(make)
        assert "Pydantic model" in text
        assert "arguments=Model.model_json_schema()" in text
        assert "dataclass" in text


def test_a_path_is_refused_with_the_line_that_works() -> None:
    text = refused(lambda: input_from_signature(of_path, OPTIONS))
    line = 'Annotated[Path, Parameter(advertised={"type": "string"}, convert=Path)]'
    assert line in text

    def f(p: Annotated[Path, Parameter(advertised={"type": "string"}, convert=Path)]) -> None: ...

    input_from_signature(f, OPTIONS)


def test_a_wrapper_that_hides_its_parameters_is_pointed_to_functools_wraps() -> None:
    assert "functools.wraps" in refused(lambda: input_from_signature(of_any_number, OPTIONS))


def to_path() -> Path: ...  # type: ignore[empty-body]


def test_a_path_and_a_subclass_of_a_scalar_are_results() -> None:
    class Name(str):
        __slots__ = ()

    def to_name() -> list[Name]: ...  # type: ignore[empty-body]

    def schema(function: Callable[..., Any]) -> Any:
        return output_from_return(function).schema  # type: ignore[union-attr]

    assert schema(to_path) == {"type": "string"}
    assert schema(to_name) == {"type": "array", "items": {"type": "string"}}
