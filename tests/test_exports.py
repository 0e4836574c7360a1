"""What a package says it has, it has: for the interpreter, for type checkers, and in order."""

import ast
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

SOURCES = sorted(Path(__file__).parents[1].glob("packages/*/src"))
PUBLIC = (
    "sansmcp_asgi",
    "sansmcp_core",
    "sansmcp_core.mark",
    "sansmcp_core.testing",
    "sansmcp_core.tracing",
    "sansmcp_h11",
    "sansmcp_schema",
    "sansmcp_schema.declare",
    "sansmcp_schema.json_check",
    "sansmcp_stdio",
)
LAZY = ("sansmcp_core", "sansmcp_schema", "sansmcp_stdio")
FILES = {str(path.relative_to(source)): path for source in SOURCES for path in source.rglob("*.py")}
PLATFORM = {"sansmcp_stdio/__main__.py"}


def isort_style(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest; each by code point."""
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2, name)


def static_names(module: ModuleType) -> set[str]:
    """The names that a type checker finds imported at the top of a module."""
    assert module.__file__ is not None
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    blocks: list[list[ast.stmt]] = [tree.body]
    blocks += [node.body for node in tree.body if isinstance(node, ast.If)]
    imports = [node for block in blocks for node in block if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name for node in imports for alias in node.names}


@pytest.mark.parametrize("name", PUBLIC)
def test_every_name_can_be_imported(name: str) -> None:
    module = import_module(name)
    for exported in module.__all__:
        assert getattr(module, exported) is not None, exported
    assert set(module.__all__) <= set(dir(module))


@pytest.mark.parametrize("name", PUBLIC)
def test_names_are_sorted_and_unique(name: str) -> None:
    names = list(import_module(name).__all__)
    assert names == sorted(set(names), key=isort_style)


@pytest.mark.parametrize("name", LAZY)
def test_type_checkers_see_what_is_loaded_late(name: str) -> None:
    module = import_module(name)
    assert set(module.__all__) <= static_names(module)


@pytest.mark.parametrize("name", ["sansmcp_core", "sansmcp_schema"])
def test_the_table_of_homes_holds_the_exported_names_and_no_others(name: str) -> None:
    module = import_module(name)
    # A module that is itself exported is its own home.
    modules = {n for n in module.__all__ if isinstance(getattr(module, n), ModuleType)}
    assert set(module._HOMES) == set(module.__all__) - modules


@pytest.mark.parametrize("name", LAZY)
def test_a_name_that_nobody_has_is_an_error(name: str) -> None:
    module = import_module(name)
    with pytest.raises(AttributeError, match=f"'{name}' has no attribute 'nothing'"):
        module.nothing  # noqa: B018


@pytest.mark.parametrize("path", sorted(FILES.keys() - PLATFORM))
def test_every_module_says_what_it_exports(path: str) -> None:
    tree = ast.parse(FILES[path].read_text(encoding="utf-8"))
    targets = [
        target
        for node in tree.body
        for target in (
            node.targets
            if isinstance(node, ast.Assign)
            else [node.target]
            if isinstance(node, ast.AnnAssign)
            else []
        )
    ]
    assert any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)
