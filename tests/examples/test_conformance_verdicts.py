"""What the conformance runner makes of the suite's results: nothing passes by being absent."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "conformance"
STAMP = "2026-12-01T00-22-17-564Z"


@pytest.fixture(scope="module")
def verdicts() -> Any:
    spec = importlib.util.spec_from_file_location("verdicts", TOOL / "verdicts.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("scenario", "required", "statuses", "status", "well"),
    [
        ("ping", True, ["SUCCESS"], 0, True),
        ("ping", True, ["SUCCESS", "WARNING", "INFO", "SKIPPED"], 0, True),
        ("ping", True, ["SUCCESS", "FAILURE"], 1, False),
        ("ping", True, ["SUCCESS"], 1, False),
        ("ping", True, ["SKIPPED", "INFO"], 0, False),
        ("ping", True, [], 0, False),
        ("ping", True, None, 0, False),
        ("polling", False, ["SUCCESS"], 0, True),
        ("polling", False, ["FAILURE"], 0, False),
        ("polling", False, None, 0, False),
        ("tasks-lifecycle", False, ["FAILURE"], 0, True),
        ("tasks-lifecycle", True, ["FAILURE"], 0, False),
    ],
)
def test_all_is_well_only_where_everything_that_counts_passed(
    verdicts: Any,
    tmp_path: Path,
    scenario: str,
    required: bool,
    statuses: list[str] | None,
    status: int,
    well: bool,
) -> None:
    if statuses is not None:
        folder = tmp_path / f"server-{scenario}-{STAMP}"
        folder.mkdir()
        checks = [{"id": "one", "description": "A check", "status": s} for s in statuses]
        (folder / "checks.json").write_text(json.dumps(checks))
    run = verdicts.Run.read("asgi", {scenario: required}, tmp_path, status, 1.0)
    assert verdicts.print_report([run]) is well


def test_valid_messages_alone_are_no_success(verdicts: Any, tmp_path: Path) -> None:
    folder = tmp_path / f"server-ping-{STAMP}"
    folder.mkdir()
    (folder / "checks.json").write_text('[{"id": "wire-schema-valid", "status": "SUCCESS"}]')
    run = verdicts.Run.read("asgi", {"ping": True}, tmp_path, 0, 1.0)
    assert verdicts.print_report([run]) is False


def test_a_scenario_that_no_list_names_counts(verdicts: Any, tmp_path: Path) -> None:
    folder = tmp_path / f"server-new-{STAMP}"
    folder.mkdir()
    (folder / "checks.json").write_text(
        '[{"id": "one", "description": "A check", "status": "FAILURE"}]'
    )
    run = verdicts.Run.read("asgi", {}, tmp_path, 0, 1.0)
    assert verdicts.print_report([run]) is False


def test_the_suite_is_pinned_without_the_address_of_a_registry() -> None:
    package = json.loads((TOOL / "package.json").read_text())
    lock = json.loads((TOOL / "package-lock.json").read_text())
    assert package["dependencies"] == {"@modelcontextprotocol/conformance": "0.2.0-alpha.12"}
    assert lock["packages"][""]["dependencies"] == package["dependencies"]
    installed = [entry for name, entry in lock["packages"].items() if name]
    assert [entry for entry in installed if "resolved" in entry] == []
    assert [entry for entry in installed if "integrity" not in entry] == []
