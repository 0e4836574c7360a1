"""Signatures of any callable: what is published, how the handler is called, what is refused."""

import functools
import math
import socket
from collections.abc import Callable
from typing import Annotated, Any, Optional

import msgspec
import pytest
from msgspec import Meta, Struct
from sansmcp_schema.declare import (
    Bound,
    DeclarationError,
    InputOptions,
    InputReader,
    Parameter,
    Refused,
    input_from_signature,
    parse_docstring,
    schema_of_signature,
)


class Context:
    """Stands for the context of a call."""


class Special(Context):
    """A context of another kind."""


class Item(Struct):
    name: str = "n"


def read(function: Callable[..., Any], raw: bytes | None = None, **options: Any) -> Bound | Refused:
    reader = input_from_signature(function, InputOptions(context_type=Context, **options))
    assert isinstance(reader, InputReader)
    return reader.read(raw, "the context")


def lines(result: Bound | Refused) -> list[str]:
    assert isinstance(result, Refused), result
    return result.violations


def plain(a: int, b: str = "x") -> None: ...


async def coroutine(a: int, b: str = "x") -> None: ...


class Methods:
    def method(self, a: int, b: str = "x") -> None: ...

    @classmethod
    def of_class(cls, a: int, b: str = "x") -> None: ...

    @staticmethod
    def static(a: int, b: str = "x") -> None: ...

    def __call__(self, a: int, b: str = "x") -> None: ...


@functools.wraps(plain)
def wrapper(*args: Any, **kwargs: Any) -> None: ...


CALLABLES = [
    plain,
    coroutine,
    Methods().method,
    Methods.of_class,
    Methods.static,
    Methods(),
    wrapper,
    functools.partial(plain),
    functools.partial(Methods().method),
]


@pytest.mark.parametrize("function", CALLABLES, ids=range(len(CALLABLES)))
def test_any_callable_is_read_by_its_signature(function: Callable[..., Any]) -> None:
    assert schema_of_signature(function) == {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "string", "default": "x"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert read(function, b'{"a":1}') == Bound((1, "x"), {})


def test_a_callable_without_parameters_publishes_an_empty_closed_object() -> None:
    assert schema_of_signature(lambda: None) == {"type": "object", "additionalProperties": False}


ABSENT = [None, b"null", b"{}"]


@pytest.mark.parametrize("raw", ABSENT)
def test_absent_and_null_arguments_are_an_empty_object(raw: bytes | None) -> None:
    assert read(lambda: None, raw) == Bound((), {})
    assert read(lambda a=1: None, raw) == Bound((1,), {})
    assert lines(read(plain, raw)) == [
        'arguments: missing "a": received no keys; expected "a", "b"'
    ]


NO_OBJECTS = [b"[]", b'"x"', b"1", b"true"]


@pytest.mark.parametrize("raw", NO_OBJECTS)
def test_arguments_that_are_no_object_are_refused(raw: bytes) -> None:
    assert lines(read(plain, raw))[0].startswith("arguments: expected object, got ")


HOSTILE = [
    b"",
    b"{",
    b'{"a":' + b"1" * 5000 + b"}",
    b'{"a":1e400}',
    b'{"a":NaN}',
    b'{"a":"\xff"}',
    b'{"a":"\\ud800"}',
    b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
]


@pytest.mark.parametrize("raw", HOSTILE, ids=range(len(HOSTILE)))
def test_no_bytes_raise(raw: bytes) -> None:
    assert lines(read(plain, raw))
    assert lines(read(lambda a: None, raw))


def test_the_last_of_equal_keys_wins() -> None:
    assert read(plain, b'{"a":1,"a":2}') == Bound((2, "x"), {})


def test_all_that_is_wrong_is_told_at_once() -> None:
    def tool(n: int, flag: bool, limit: Annotated[int, Meta(le=10)] = 1) -> None: ...

    assert lines(read(tool, b'{"n":"soon","limit":11,"flg":true}')) == [
        'arguments: missing "flag": received "n", "limit", "flg"; expected "n", "flag", "limit"',
        'n: expected integer, got "soon"',
        "limit: expected integer <= 10, got 11",
        'arguments: unknown key "flg": expected "n", "flag", "limit"; did you mean "flag"?',
    ]


def test_strings_are_repaired_once_unless_switched_off() -> None:
    def tool(ids: list[int], opts: dict[str, Any], n: int, flag: bool, x: float) -> None: ...

    raw = b'{"ids":"[1,2]","opts":"{\\"a\\":1}","n":"5","flag":"false","x":"0"}'
    assert read(tool, raw) == Bound(([1, 2], {"a": 1}, 5, False, 0.0), {})
    assert len(lines(read(tool, raw, repair=False))) == 5
    assert lines(read(tool, raw.replace(b'"false"', b'"yes"'))) == [
        'flag: expected boolean, got "yes"'
    ]
    assert lines(read(tool, raw.replace(b'"[1,2]"', b'"[1,"'))) == [
        'ids: expected array, got "[1,"'
    ]


def test_an_unknown_key_is_named_and_an_open_tool_ignores_it() -> None:
    assert lines(read(plain, b'{"a":1,"tpoic":"y"}')) == [
        'arguments: unknown key "tpoic": expected "a", "b"'
    ]
    assert read(plain, b'{"a":1,"tpoic":"y"}', open=True) == Bound((1, "x"), {})
    assert "additionalProperties" not in schema_of_signature(plain, InputOptions(open=True))


def test_keyword_arguments_open_the_object_and_get_the_rest() -> None:
    def tool(a: int, /, b: str = "x", *, c: bool = False, **rest: int) -> None: ...

    assert schema_of_signature(tool)["additionalProperties"] == {"type": "integer"}
    assert read(tool, b'{"a":1,"z":2.0}') == Bound((1, "x"), {"z": 2, "c": False})
    assert lines(read(tool, b'{"a":1,"z":"q"}')) == ['z: expected integer, got "q"']


def test_a_further_key_never_names_a_parameter_twice() -> None:
    def tool(context: Context, a: int = 1, **rest: Any) -> tuple[Any, ...]:
        return context, a, rest

    bound = read(functools.partial(tool, a=2), b'{"context":1,"z":3}')
    assert isinstance(bound, Bound)
    assert tool(*bound.args, **bound.kwargs)[2] == {"z": 3}
    half = functools.partial(lambda a, b, **rest: None, 1)
    bound = read(half, b'{"b":1,"a":2}')
    assert isinstance(bound, Bound)
    half(*bound.args, **bound.kwargs)


def test_a_parameter_is_called_as_it_wants() -> None:
    def tool(a: int, /, b: int, *, c: int, d: int = 4) -> None: ...

    assert read(tool, b'{"a":1,"b":2,"c":3}') == Bound((1, 2), {"c": 3, "d": 4})


def test_a_context_is_put_in_its_place_and_never_published() -> None:
    def first(ctx: Context, a: int) -> None: ...
    def last(a: int, ctx: Special) -> None: ...
    def optional(a: int, ctx: Optional[Context] = None) -> None: ...  # noqa: UP045
    def annotated(a: int, *, ctx: Annotated[Context | None, "doc"]) -> None: ...
    def twice(ctx: Context, a: int, other: Context) -> None: ...

    context = "the context"
    wanted: list[tuple[Callable[..., Any], Bound]] = [
        (first, Bound((context, 1), {})),
        (last, Bound((1, context), {})),
        (optional, Bound((1, context), {})),
        (annotated, Bound((1,), {"ctx": context})),
        (twice, Bound((context, 1, context), {})),
    ]
    for tool, bound in wanted:
        assert read(tool, b'{"a":1}') == bound
        schema = schema_of_signature(tool, InputOptions(context_type=Context))
        assert list(schema["properties"]) == ["a"]


def test_optional_null_and_defaults() -> None:
    def tool(
        b: int | None, a: int | None = None, c: list[str] | None = None, d: int = 3
    ) -> None: ...

    schema = schema_of_signature(tool)
    assert schema["required"] == ["b"]
    assert schema["properties"]["a"]["default"] is None
    assert read(tool, b'{"b":null}') == Bound((None, None, None, 3), {})
    assert read(tool, b'{"b":1,"a":2,"c":["x"],"d":4}') == Bound((1, 2, ["x"], 4), {})
    assert read(tool, b'{"b":1,"a":null,"c":null}') == Bound((1, None, None, 3), {})
    assert lines(read(tool, b'{"b":1,"d":null}')) == ["d: expected integer, got null"]


def test_an_implicit_none_is_published_and_taken() -> None:
    def tool(a: int = None) -> None: ...  # type: ignore[assignment]  # noqa: RUF013

    assert schema_of_signature(tool)["properties"] == {
        "a": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}
    }
    assert read(tool) == Bound((None,), {})
    assert read(tool, b'{"a":null}') == Bound((None,), {})
    assert lines(read(tool, b'{"a":"x"}'))


SENTINEL = object()


def test_defaults_appear_in_their_json_form_or_not_at_all() -> None:
    import datetime as dt
    import enum

    class Color(enum.Enum):
        RED = "red"

    def tool(
        color: Color = Color.RED,
        when: dt.date = dt.date(2024, 1, 2),
        tags: set[str] = frozenset({"b", "a"}),  # type: ignore[assignment]
        item: Item = Item("i"),  # noqa: B008
        other: Any = SENTINEL,
        ratio: float = math.inf,
    ) -> None: ...

    properties = schema_of_signature(tool)["properties"]
    defaults = {name: part["default"] for name, part in properties.items() if "default" in part}
    assert defaults == {
        "color": "red",
        "when": "2024-01-02",
        "tags": ["a", "b"],
        "item": {"name": "i"},
    }
    bound = read(tool)
    assert isinstance(bound, Bound)
    assert bound.args[0] is Color.RED
    assert bound.args[4] is SENTINEL
    assert bound.args[5] == math.inf


def test_a_mutable_default_is_fresh_for_every_call() -> None:
    def tool(
        xs: list[int] = [1],  # noqa: B006
        m: dict[str, list[int]] = {"a": []},  # noqa: B006
        item: Item = Item(),  # noqa: B008
        odd: dict[str, Any] | Item = {"k": []},  # noqa: B006
    ) -> None: ...

    for raw in (b"{}", b'{"xs":[1.0]}'):
        first, second = read(tool, raw), read(tool, raw)
        assert isinstance(first, Bound)
        assert isinstance(second, Bound)
        assert first == second
        for one, other in zip(first.args, second.args, strict=True):
            assert one is not other
        first.args[1]["a"].append(1)
        assert read(tool, raw) == second


def test_options_of_a_parameter_from_annotated_and_from_the_mapping() -> None:
    def tool(
        path: Annotated[str, Parameter(name="file-path", title="File", min_length=1)],
        count: Annotated[int, Meta(description="by meta"), Parameter(minimum=1)] = 2,
    ) -> None:
        """Do it.

        Args:
            path: Where it is.
            count: By docstring.
        """

    assert schema_of_signature(tool)["properties"] == {
        "file-path": {
            "type": "string",
            "minLength": 1,
            "title": "File",
            "description": "Where it is.",
        },
        "count": {"type": "integer", "minimum": 1, "description": "by meta", "default": 2},
    }
    assert read(tool, b'{"file-path":"x"}') == Bound(("x", 2), {})
    assert lines(read(tool, b'{"file-path":"","count":0}')) == [
        'file-path: expected string of at least 1 character, got "" (0 characters)',
        "count: expected integer >= 1, got 0",
    ]
    given = {"count": Parameter(description="by mapping", default=7, name="n")}
    schema = schema_of_signature(tool, InputOptions(parameters=given))
    assert schema["properties"]["n"] == {
        "type": "integer",
        "minimum": 1,
        "description": "by mapping",
        "default": 7,
    }
    assert read(tool, b'{"file-path":"x"}', parameters=given) == Bound(("x", 7), {})


ADVERTISED = [
    (Annotated[int, Parameter(advertised=str)], {"type": "string"}, '"42"', 42),
    (
        Annotated[int, Parameter(advertised={"type": "string", "pattern": "^[0-9]+$"})],
        {"type": "string", "pattern": "^[0-9]+$"},
        '"42"',
        42,
    ),
    (Annotated[list[int], Parameter(advertised=str)], {"type": "string"}, '"[1,2]"', [1, 2]),
    (Annotated[str, Parameter(advertised=int)], {"type": "integer"}, "42", "42"),
    (Annotated[float, Parameter(advertised=int)], {"type": "integer"}, "42", 42.0),
    (Annotated[Any, Parameter(advertised=str)], {"type": "string"}, '"x"', "x"),
    (
        Annotated[socket.socket, Parameter(advertised=int, convert=lambda n: ("s", n))],
        {"type": "integer"},
        "1",
        ("s", 1),
    ),
]


@pytest.mark.parametrize(("annotation", "schema", "text", "value"), ADVERTISED)
def test_an_advertised_type_is_published_enforced_and_converted(
    annotation: Any, schema: dict[str, Any], text: str, value: Any
) -> None:
    def tool(v: Any) -> None: ...

    tool.__annotations__["v"] = annotation
    assert schema_of_signature(tool)["properties"]["v"] == schema
    assert read(tool, f'{{"v":{text}}}'.encode()) == Bound((value,), {})


def test_what_a_conversion_hook_raises_never_leaks() -> None:
    def fail(value: str) -> int:
        raise {"key": KeyError, "value": ValueError, "type": TypeError}[value]("/etc/secret")

    def tool(v: Annotated[int, Parameter(advertised=str, convert=fail)]) -> None: ...

    assert lines(read(tool, b'{"v":"key"}')) == [
        'v: expected a value that can be converted, got "key"'
    ]
    assert lines(read(tool, b'{"v":"value"}')) == [
        'v: expected a value that can be converted, got "value" (/etc/secret)'
    ]


def test_a_secret_is_never_shown() -> None:
    import uuid

    def tool(
        password: uuid.UUID, pin: Annotated[uuid.UUID, Parameter(write_only=True)]
    ) -> None: ...

    assert lines(read(tool, b'{"password":"hunter2","pin":"1234"}')) == [
        "password: expected a UUID, got string",
        "pin: expected a UUID, got string",
    ]


class NoJson:
    pass


def positional(*args: int) -> None: ...
def unknown_type(v: socket.socket) -> None: ...
def nested_unknown(v: list[dict[str, NoJson]]) -> None: ...
def a_callable(v: Callable[[], None]) -> None: ...
def wrong_bound(v: Annotated[str, Meta(ge=1)]) -> None: ...
def cannot_convert(v: Annotated[list[int], Parameter(advertised=bool)]) -> None: ...
def wrong_pattern(v: Annotated[str, Parameter(pattern="(")]) -> None: ...
def twins(a: int, b: Annotated[int, Parameter(name="a")]) -> None: ...
def nonsense(v: Any) -> None: ...


nonsense.__annotations__["v"] = "1 +"

DECLARATION_ERRORS = [
    (positional, "parameter 'args'", "list"),
    (unknown_type, "parameter 'v'", "socket"),
    (nested_unknown, "parameter 'v'", "NoJson"),
    (a_callable, "parameter 'v'", "Callable"),
    (wrong_bound, "parameter 'v'", "minimum does not apply to str"),
    (cannot_convert, "parameter 'v'", "advertised"),
    (wrong_pattern, "pattern", "("),
    (twins, "'a' and 'b'", "wire"),
    (nonsense, "parameter 'v'", "no type"),
]


@pytest.mark.parametrize(("function", "place", "word"), DECLARATION_ERRORS)
def test_what_cannot_be_declared_is_refused_by_name(
    function: Callable[..., Any], place: str, word: str
) -> None:
    with pytest.raises(DeclarationError) as caught:
        input_from_signature(function, InputOptions(tool_name="the-tool"))
    text = str(caught.value)
    assert "tool 'the-tool'" in text
    assert place in text
    assert word in text


def test_options_for_a_parameter_that_does_not_exist_are_refused() -> None:
    with pytest.raises(DeclarationError, match="its parameters are: a, b"):
        input_from_signature(plain, InputOptions(parameters={"c": Parameter()}))


def test_a_builtin_with_a_signature_is_a_tool_of_untyped_parameters() -> None:
    assert read(math.sqrt, b'{"x":4}') == Bound((4,), {})


def test_a_builtin_without_a_signature_is_refused() -> None:
    with pytest.raises(DeclarationError, match="signature"):
        input_from_signature(type)


GOOGLE = """Sum.

    Args:
        a: First
            of all.
        b (int): Second.

    Returns:
        it
"""
FIELDS = """Sum.

:param a: First.
:param int b: Second
    line.
:returns: it"""
NUMPY = """Sum.

Parameters
----------
a : int
    First.
b, c
    Others.

Returns
-------
int
    It."""
TEXT = "Note: this is text.\n\nMore: text."
DOCSTRINGS = [
    (None, "", {}),
    ("One line.", "One line.", {}),
    (GOOGLE, "Sum.", {"a": "First of all.", "b": "Second."}),
    (FIELDS, "Sum.", {"a": "First.", "b": "Second line."}),
    (NUMPY, "Sum.", {"a": "First.", "b": "Others.", "c": "Others."}),
    (TEXT, TEXT, {}),
]


@pytest.mark.parametrize(("text", "summary", "parameters"), DOCSTRINGS)
def test_a_docstring_is_parted_into_summary_and_parameters(
    text: str | None, summary: str, parameters: dict[str, str]
) -> None:
    doc = parse_docstring(text)
    assert (doc.summary, doc.parameters) == (summary, parameters)


def test_unset_is_what_an_absent_argument_is() -> None:
    def tool(a: int | msgspec.UnsetType = msgspec.UNSET) -> None: ...

    assert schema_of_signature(tool)["properties"] == {"a": {"type": "integer"}}
    assert read(tool) == Bound((msgspec.UNSET,), {})
