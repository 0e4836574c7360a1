"""Files below a root, for resources whose URI holds a path."""

from os import PathLike
from pathlib import Path

from ._errors import ResourceNotFound

__all__ = ["safe_join"]


def safe_join(root: str | PathLike[str], path: str, *, must_exist: bool = True) -> Path:
    """Give the real file that ``path`` names below ``root``; nothing outside is ever given.

    Symbolic links and dot segments are resolved first and judged by where they lead. The file
    system may change between this check and the use of the file: keep others from writing there.

    Args:
        root: A directory.
        path: A relative path, as a ``{+path}`` variable gives it; empty for ``root`` itself.
        must_exist: Whether a path that does not exist is refused, too.

    Returns:
        An absolute path without symbolic links.

    Raises:
        ResourceNotFound: The path leads outside, is absolute, malformed, or does not exist.

    Source: MCP server/resources, Security Considerations 5.
    """
    refusal = ResourceNotFound(f"no such file: {path!r}")
    try:
        base = Path(root).resolve()
        found = base.joinpath(path).resolve(strict=must_exist)
    # ValueError: NUL, unpaired surrogates. RuntimeError: a loop of links, before Python 3.13.
    except (OSError, RuntimeError, ValueError):
        raise refusal from None
    if Path(path).is_absolute() or not found.is_relative_to(base):
        raise refusal
    return found
