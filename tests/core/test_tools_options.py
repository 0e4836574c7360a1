"""What a decorator is given wrongly is an error at once, which says what to write."""

import functools
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from sansmcp_core import RegistrationError, Server, mark
from sansmcp_core._limits import Limits
from sansmcp_core._operation import Mode
from sansmcp_core._settings import Settings
from sansmcp_core.testing import TestClient


def refused(declare: Callable[[Server], Any]) -> str:
    server = Server("s")
    with pytest.raises(RegistrationError) as caught:
        declare(server)
    assert len(server.tools) == len(server.resources) == len(server.prompts) == 0
    return str(caught.value)


def plain() -> str:
    return "x"


def titled(title: str) -> str:
    return title


RESOURCE_NEEDS = '@server.resource needs a URI: @server.resource("note://{title}")'
COMPLETION_NEEDS = 'say what it completes: @server.completion("prompt or template", "argument")'
WITHOUT_ARGUMENTS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "resource bare": (lambda s: s.resource(plain), RESOURCE_NEEDS),
    "resource()": (lambda s: s.resource(), RESOURCE_NEEDS),
    "resource(5)": (lambda s: s.resource(5), RESOURCE_NEEDS),
    "completion bare": (lambda s: s.completion(plain), COMPLETION_NEEDS),
    "completion()": (lambda s: s.completion(), COMPLETION_NEEDS),
    "completion(ref)": (lambda s: s.completion("greet"), COMPLETION_NEEDS),
    "completion(ref, function)": (lambda s: s.completion("greet", plain), COMPLETION_NEEDS),
}


@pytest.mark.parametrize("name", WITHOUT_ARGUMENTS)
def test_a_decorator_without_its_arguments_says_what_it_needs(name: str) -> None:
    declare, text = WITHOUT_ARGUMENTS[name]
    assert text in refused(declare)


def test_a_mark_without_its_arguments_says_what_it_needs() -> None:
    with pytest.raises(RegistrationError, match=r"@mark\.resource needs a URI: @mark\.resource"):
        mark.resource(plain)  # type: ignore[arg-type]


UNKNOWN: dict[str, tuple[Callable[[Any], Any], str]] = {
    "tool": (
        lambda s: s.tool(readonly=True),
        '@server.tool has no option "readonly"; did you mean "read_only"? Options: name, title, ',
    ),
    "tool called": (lambda s: s.tool(plain, nam="x"), 'did you mean "name"?'),
    "resource": (
        lambda s: s.resource("a://b", mimetype="x"),
        '@server.resource has no option "mimetype"; did you mean "mime_type"?',
    ),
    "prompt": (
        lambda s: s.prompt(titel="x"),
        '@server.prompt has no option "titel"; did you mean "title"?',
    ),
    "completion": (
        lambda s: s.completion("a", "b", inlin=True),
        '@server.completion has no option "inlin"; did you mean "inline"?',
    ),
    "add_tool": (
        lambda s: s.add_tool({"name": "a", "inputSchema": {"type": "object"}}, plain, scope=[]),
        'server.add_tool has no option "scope"; did you mean "scopes"?',
    ),
    "nothing like it": (
        lambda s: s.tool(xyzzy=1),
        '@server.tool has no option "xyzzy". Options: name, ',
    ),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_option_is_named_with_the_one_that_was_meant(name: str) -> None:
    declare, text = UNKNOWN[name]
    assert text in refused(declare)


def test_an_unknown_option_of_a_mark_is_named() -> None:
    with pytest.raises(RegistrationError, match=r'@mark\.tool has no option "readonly"'):
        mark.tool(readonly=True)  # type: ignore[call-overload]


class Thing:
    """A class."""

    def method(self, q: str) -> str:
        return q


@pytest.mark.parametrize("kind", ["tool", "prompt"])
def test_a_class_is_no_handler(kind: str) -> None:
    text = refused(lambda server: getattr(server, kind)(Thing))
    assert "Thing is a class" in text


def test_a_class_is_no_resource() -> None:
    assert "Thing is a class" in refused(lambda server: server.resource("a://b", Thing))


def test_a_method_registered_in_its_class_body_is_refused() -> None:
    text = refused(lambda server: server.tool(Thing.method))
    assert "mark.tool" in text


def test_a_completer_that_is_a_method_without_its_object_is_refused() -> None:
    def complete(self, value: str) -> list[str]:  # type: ignore[no-untyped-def]
        return []

    server = Server("s")
    server.resource("a://{title}", titled)
    with pytest.raises(RegistrationError, match=r"mark\.completion"):
        server.completion("a://{title}", "title", complete)


def test_a_completer_whose_context_is_not_annotated_is_refused() -> None:
    def complete(ctx, value: str) -> list[str]:  # type: ignore[no-untyped-def]
        return []

    server = Server("s")
    server.resource("a://{title}", titled)
    with pytest.raises(RegistrationError, match="ctx: Context"):
        server.completion("a://{title}", "title", complete)


def test_a_classmethod_is_registered_after_its_class() -> None:
    def declare(server: Server) -> None:
        class A:
            @server.tool
            @classmethod
            def f(cls) -> None: ...

    assert "register it after the class: server.tool(A.f)" in refused(declare)


def test_limits_are_named_as_they_are_set() -> None:
    deep: dict[str, Any] = {"type": "object"}
    for _ in range(5):
        deep = {"type": "object", "properties": {"a": deep}}

    server = Server("s", settings=Settings(limits=Limits(max_schema_depth=4)))
    with pytest.raises(RegistrationError, match=r"\(Limits.max_schema_depth\)"):
        server.tool(plain, arguments=deep)
    server = Server("s", settings=Settings(limits=Limits(max_subschemas=2)))
    with pytest.raises(RegistrationError, match=r"\(Limits.max_subschemas\)"):
        server.tool(plain, arguments=deep)
    with pytest.raises(RegistrationError, match=r"\(Limits.max_subschemas\)"):
        server.prompt(lambda a, b, c: "x", name="p")


@pytest.mark.parametrize("settings", [{"page_size": 2}, None])
def test_settings_are_settings(settings: Any) -> None:
    got = type(settings).__name__
    with pytest.raises(TypeError, match=rf"settings must be Settings\(\.\.\.\), got {got}"):
        Server("s", settings=settings)


def logged(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


def cached(function: Callable[..., Awaitable[str]]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return "from the cache"

    return wrapper


async def shout(text: str) -> str:
    return text.upper()


async def test_a_plain_wrapper_around_an_async_function_is_awaited() -> None:
    server = Server("s")
    server.tool(logged(shout))
    server.resource("a://{text}", logged(shout))
    server.prompt(logged(shout))
    (tool,) = server.tools.entries()
    assert tool.mode is Mode.ASYNC
    assert server.has_async_handlers
    with TestClient(server) as client:
        called = await client.acall_tool("shout", text="a")
        assert called["content"][0]["text"] == "A"
        read = await client.arequest("resources/read", {"uri": "a://b"})
        assert read["contents"][0]["text"] == "B"
        got = await client.arequest("prompts/get", {"name": "shout", "arguments": {"text": "c"}})
        assert got["messages"][0]["content"]["text"] == "C"


async def test_a_wrapper_that_gives_a_ready_value_is_taken_at_its_word() -> None:
    server = Server("s")
    server.tool(cached(shout))
    with TestClient(server) as client:
        called = await client.acall_tool("shout", text="a")
        assert called["content"][0]["text"] == "from the cache"


async def test_a_wrapped_completer_is_awaited() -> None:
    async def complete(value: str) -> list[str]:
        return [value + "!"]

    server = Server("s")
    server.resource("a://{title}", titled)
    server.completion("a://{title}", "title", logged(complete))
    with TestClient(server) as client:
        reference = {"type": "ref/resource", "uri": "a://{title}"}
        argument = {"name": "title", "value": "x"}
        params = {"ref": reference, "argument": argument}
        result = await client.arequest("completion/complete", params)
        assert result["completion"]["values"] == ["x!"]


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("a://{x}", "a://{y}", True),
        ("a://{x}/{y}", "a://{y}/{x}", True),
        ("a://b/{x}", "a://b{/y}", True),
        ("a://{+x}", "a://{+y}", True),
        ("a://b{?p,q}", "a://b{?q,p}", True),
        ("a://{x}", "a://{+y}", False),
        ("a://b{?p}", "a://b{?q}", False),
        ("a://{x}", "b://{x}", False),
    ],
)
def test_a_template_that_matches_what_another_does_is_refused(
    first: str, second: str, same: bool
) -> None:
    def taking(uri: str) -> Callable[..., Any]:
        names = [name for name in "xypq" if name in uri.replace("://", "")]
        code = f"def handler({', '.join(f'{name}=None' for name in names)}): return ''"
        scope: dict[str, Any] = {}
        exec(code, scope)
        return scope["handler"]  # type: ignore[no-any-return]

    server = Server("s")
    server.resource(first, taking(first))
    if not same:
        server.resource(second, taking(second))
        return
    with pytest.raises(RegistrationError) as caught:
        server.resource(second, taking(second))
    assert f"{first!r}" in str(caught.value)
    server.resources.remove(first)
    server.resource(second, taking(second))


def test_structured_true_publishes_the_schema_of_a_text() -> None:
    server = Server("s")
    server.tool(plain, structured=True)
    server.tool(plain, name="silent")
    with TestClient(server) as client:
        first, second = client.request("tools/list")["tools"]
        assert first["outputSchema"] == {"type": "string"}
        assert "outputSchema" not in second
        assert client.call_tool("plain")["structuredContent"] == "x"
        assert "structuredContent" not in client.call_tool("silent")


class Cat(Struct, tag="cat"):
    lives: int


class Dog(Struct, tag="dog"):
    bark: str


def pet(p: Cat | Dog) -> str:
    return ""


def test_a_wrong_tag_is_told_at_the_tag() -> None:
    server = Server("s")
    server.tool(pet)
    with TestClient(server) as client:
        text = client.call_tool("pet", p={"type": "cow", "lives": 9})["content"][0]["text"]
    assert 'p.type: expected "cat" or "dog", got "cow"' in text.splitlines()
    assert len(text.splitlines()) == 2


def where() -> Path:
    return Path("a") / "b"


def test_a_path_is_a_result() -> None:
    server = Server("s")
    server.tool(where)
    with TestClient(server) as client:
        assert client.call_tool("where")["structuredContent"] == str(Path("a") / "b")
