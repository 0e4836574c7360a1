"""Joining a path from a client to a root gives files below the root, or nothing."""

from pathlib import Path

import pytest
from sansmcp_core._errors import ResourceNotFound
from sansmcp_core._safe_join import safe_join


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text("outside")
    (tmp_path / "root-sibling").mkdir()
    (tmp_path / "root-sibling" / "x.txt").write_text("outside")
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "a.txt").write_text("inside")
    (root / "sub" / "b.txt").write_text("inside")
    (root / "in.txt").symlink_to(root / "a.txt")
    (root / "out.txt").symlink_to(tmp_path / "secret.txt")
    (root / "up").symlink_to(tmp_path)
    (root / "loop").symlink_to(root / "loop")
    return root


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.txt", "a.txt"),
        ("sub/b.txt", "sub/b.txt"),
        ("sub/../a.txt", "a.txt"),
        ("./a.txt", "a.txt"),
        ("in.txt", "a.txt"),
        ("", "."),
        ("../root/a.txt", "a.txt"),
    ],
)
def test_a_path_inside_gives_the_real_file(root: Path, path: str, expected: str) -> None:
    assert safe_join(root, path) == (root / expected).resolve()
    assert safe_join(str(root), path) == (root / expected).resolve()


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "sub/../../secret.txt",
        "../root-sibling/x.txt",
        "/etc/passwd",
        "//etc/passwd",
        "out.txt",
        "up/secret.txt",
        "loop",
        "missing.txt",
        "a.txt/x",
        "x\0y",
        "\ud800",
        "x" * 5000,
        "../missing.txt",
    ],
)
def test_a_path_outside_or_without_a_file_is_not_found(root: Path, path: str) -> None:
    with pytest.raises(ResourceNotFound) as refused:
        safe_join(root, path)
    assert str(root) not in str(refused.value)


def test_an_absolute_path_is_refused_even_where_it_leads_inside(root: Path) -> None:
    with pytest.raises(ResourceNotFound):
        safe_join(root, str(root / "a.txt"))


def test_a_missing_file_can_be_allowed_but_not_outside(root: Path) -> None:
    assert safe_join(root, "new.txt", must_exist=False) == root.resolve() / "new.txt"
    with pytest.raises(ResourceNotFound):
        safe_join(root, "../new.txt", must_exist=False)
