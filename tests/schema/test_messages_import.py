"""Importing the package costs nearly nothing, and its families load when they are first used."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import sansmcp_schema

HOT = "content, jsonrpc, notifications, requests, results, revisions"
FORBIDDEN = {
    "asyncio",
    "anyio",
    "base64",
    "hashlib",
    "hmac",
    "jsonschema_rs",
    "logging",
    "sansmcp_schema.elicitation",
    "sansmcp_schema.forms",
    "sansmcp_schema.input_required",
    "sansmcp_schema.messages",
    "sansmcp_schema.roots",
    "sansmcp_schema.sampling",
    "socket",
    "ssl",
    "threading",
    "trio",
}


def modules_after(statement: str) -> set[str]:
    program = f"import sys\n{statement}\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True, timeout=30
    )
    return set(done.stdout.split())


def test_the_package_alone_loads_nothing_else() -> None:
    loaded = modules_after("import sansmcp_schema") - modules_after("import importlib")
    assert {name for name in loaded if not name.startswith("__editable__")} == {"sansmcp_schema"}


def test_what_a_server_needs_at_its_start_leaves_the_rest_alone() -> None:
    assert modules_after(f"from sansmcp_schema import {HOT}") & FORBIDDEN == set()


def static_names() -> set[str]:
    tree = ast.parse(Path(sansmcp_schema.__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]
    return {alias.name for node in imports for alias in node.names}


def test_the_three_lists_of_names_agree() -> None:
    names = set(sansmcp_schema.__all__)
    assert names == static_names() == set(sansmcp_schema._HOMES)
    assert names <= set(dir(sansmcp_schema))


@pytest.mark.parametrize("home", sansmcp_schema._NAMES)
def test_every_name_of_a_module_is_given_on(home: str) -> None:
    module = import_module(f"sansmcp_schema.{home}")
    for name in sansmcp_schema._NAMES[home].split():
        assert getattr(sansmcp_schema, name) is getattr(module, name)


def test_a_name_that_nobody_has_is_an_error() -> None:
    with pytest.raises(AttributeError, match="'sansmcp_schema' has no attribute 'nothing'"):
        sansmcp_schema.nothing  # noqa: B018
