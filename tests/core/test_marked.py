"""Marked methods of an object become tools, resources, prompts and completers at once."""

import functools
import types
from typing import Any

import msgspec
import pytest
from sansmcp_core import mark
from sansmcp_core._context import Context
from sansmcp_core._errors import RegistrationError
from sansmcp_core._marked import marked_handlers
from sansmcp_core._operation import Refused
from sansmcp_core._server import Server


class Inventory:
    def __init__(self) -> None:
        self.stock = {"apple": 3}
        self.touched: list[str] = []

    @property
    def danger(self) -> int:
        self.touched.append("danger")
        raise AssertionError("a property was read")

    @functools.cached_property
    def slow(self) -> int:
        self.touched.append("slow")
        return 1

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"__getattr__ was asked for {name}")

    @mark.tool
    def count(self, item: str) -> int:
        """Tell how many there are."""
        return self.stock[item]

    @mark.tool(name="rename", read_only=True)
    async def other(self) -> None: ...

    @mark.tool
    @staticmethod
    def outer_static() -> int:
        return 1

    @staticmethod
    @mark.tool
    def inner_static() -> int:
        return 1

    @classmethod
    @mark.tool
    def of_class(cls) -> str:
        return cls.__name__

    @mark.resource("stock://all")
    def all(self) -> str:
        return "apple"

    @mark.resource("stock://{item}")
    def one(self, item: str) -> str:
        return item

    @mark.prompt(title="Ask")
    def ask(self, item: str) -> str:
        return f"How many {item}?"

    @mark.completion("ask", "item")
    def complete_item(self, value: str) -> list[str]:
        return [item for item in self.stock if item.startswith(value)]

    def unmarked(self) -> None: ...


def tool_names(server: Server) -> list[str]:
    return [tool.name for tool in server.tools.entries()]


def test_every_marked_method_is_registered_and_bound_to_the_object() -> None:
    server = Server("s")
    inventory = Inventory()
    server.register(inventory)
    assert tool_names(server) == ["count", "rename", "outer_static", "inner_static", "of_class"]
    count = server.tools.find("count")
    assert count is not None
    assert count.function("apple") == 3
    assert [entry.uri for entry in server.resources.fixed.entries()] == ["stock://all"]
    assert [entry.uri_template for entry in server.resources.templates.entries()] == [
        "stock://{item}"
    ]
    assert [entry.name for entry in server.prompts.entries()] == ["ask"]
    assert len(server.completions) == 1
    assert not inventory.touched


def test_a_mark_leaves_the_method_as_it_is() -> None:
    assert Inventory().count("apple") == 3
    assert Inventory.outer_static() == 1


def test_two_objects_of_one_class_do_not_mix() -> None:
    first, second = Server("first"), Server("second")
    apples, pears = Inventory(), Inventory()
    pears.stock = {"apple": 7}
    first.register(apples)
    second.register(pears)
    tools = [server.tools.find("count") for server in (first, second)]
    assert [tool and tool.function("apple") for tool in tools] == [3, 7]


def test_one_method_can_carry_two_marks() -> None:
    class Twice:
        @mark.tool(name="first")
        @mark.tool(name="second")
        def method(self) -> None: ...

    server = Server("s")
    server.register(Twice())
    assert sorted(tool_names(server)) == ["first", "second"]


def test_a_subclass_inherits_marks_and_an_override_has_its_own() -> None:
    class Base:
        @mark.tool
        def kept(self) -> str:
            return "base"

        @mark.tool
        def hidden(self) -> None: ...

        @mark.tool
        def marked_again(self) -> str:
            return "base"

    class Derived(Base):
        def hidden(self) -> None: ...

        @mark.tool(name="again")
        def marked_again(self) -> str:
            return "derived"

    server = Server("s")
    server.register(Derived())
    assert tool_names(server) == ["kept", "again"]
    again = server.tools.find("again")
    assert again is not None
    assert again.function() == "derived"


def test_all_or_none_are_registered() -> None:
    class Broken:
        @mark.tool
        def first(self) -> None: ...

        @mark.resource("x://y")
        def second(self) -> str:
            return ""

        @mark.tool(name="")
        def third(self) -> None: ...

    server = Server("s")
    with pytest.raises(RegistrationError, match="name that is not empty"):
        server.register(Broken())
    assert not tool_names(server)
    assert len(server.resources) == 0


def test_a_module_gives_its_own_marked_functions() -> None:
    module = types.ModuleType("my_tools")
    exec(
        "from sansmcp_core import mark\n"
        "@mark.tool\n"
        "def mine() -> int: return 1\n"
        "def unmarked() -> int: return 2\n",
        vars(module),
    )
    vars(module)["imported"] = vars(Inventory)["count"]
    server = Server("s")
    server.register(module)
    assert tool_names(server) == ["mine"]


def test_names_around_the_class_are_found_in_postponed_annotations() -> None:
    class Around(msgspec.Struct):
        x: int

    class Toolbox:
        class Inside(msgspec.Struct):
            y: int

        @mark.tool
        def first(self, around: "Around", inside: "Inside") -> int:
            return around.x + inside.y

    server = Server("s")
    server.register(Toolbox())
    server.prepare()
    first = server.tools.find("first")
    assert first is not None
    bound = first.bind(b'{"around":{"x":1},"inside":{"y":2}}', Context.__new__(Context))
    assert not isinstance(bound, Refused)
    assert first.function(*bound.args, **bound.kwargs) == 3


@pytest.mark.parametrize("wrong", ["add", property(lambda self: 1), len], ids=type)
def test_only_a_function_can_be_marked(wrong: Any) -> None:
    with pytest.raises(RegistrationError, match=r"@mark.tool marks a function, got"):
        mark.tool(wrong)


def test_a_class_is_refused_and_told_how() -> None:
    with pytest.raises(RegistrationError, match=r"register\(Inventory\(\.\.\.\)\)"):
        marked_handlers(Inventory)


def test_an_object_without_marks_is_refused() -> None:
    with pytest.raises(RegistrationError, match="has no marked method"):
        marked_handlers(object())


@pytest.mark.parametrize(
    ("decorate", "message"),
    [
        (mark.resource, "@mark.resource needs a URI"),
        (lambda: mark.resource(lambda: ""), "@mark.resource needs a URI"),  # type: ignore[arg-type]
        (mark.completion, "say what it completes: @mark.completion"),
        (
            lambda: mark.completion(lambda text: []),  # type: ignore[arg-type]
            "say what it completes: @mark.completion",
        ),
        (lambda: mark.completion("p"), "say what it completes: @mark.completion"),
    ],
    ids=["resource()", "resource", "completion()", "completion", "completion(prompt)"],
)
def test_a_mark_without_its_arguments_says_what_it_needs(decorate: Any, message: str) -> None:
    with pytest.raises(RegistrationError, match=message):
        decorate()
