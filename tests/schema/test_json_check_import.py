"""Importing the check loads little, and each late module only for what needs it."""

import subprocess
import sys

import pytest

LATE = ("jsonschema_rs", "difflib", "fractions", "unicodedata", "asyncio", "logging")


def loaded_after(code: str) -> set[str]:
    probe = f"{code}\nimport sys\nprint(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.split())


PACKAGE = "sansmcp_schema.json_check"
COMPILE = f"from {PACKAGE} import compile_check\ncompile_check({{}})"


@pytest.mark.parametrize(
    ("schema", "late"),
    [
        ({"type": "string", "enum": ["a"]}, set()),
        ({"pattern": "^a+$"}, {f"{PACKAGE}._pattern"}),
        ({"pattern": r"\p{L}"}, {f"{PACKAGE}._pattern", "unicodedata"}),
        ({"unevaluatedItems": False}, {"jsonschema_rs", f"{PACKAGE}._jsonschema_rs"}),
    ],
    ids=["plain", "pattern", "property", "other engine"],
)
def test_what_a_schema_needs_is_loaded_with_it(schema: object, late: set[str]) -> None:
    bare = loaded_after("import msgspec, collections.abc, math")
    loaded = loaded_after(COMPILE.replace("{}", repr(schema))) - bare
    watched = {*LATE, f"{PACKAGE}._pattern", f"{PACKAGE}._jsonschema_rs"}

    assert {name for name in loaded if name in watched} == late


def test_names_of_the_late_part_are_there_all_the_same() -> None:
    import sansmcp_schema.json_check as package

    assert all(hasattr(package, name) for name in package.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        package.nothing  # noqa: B018
