"""Serve a sansmcp server over standard input and output, or over any byte stream."""

from typing import TYPE_CHECKING, Any

from ._run import Backend, run

if TYPE_CHECKING:
    from ._anyio import serve

__all__ = ["Backend", "run", "serve"]


def __getattr__(name: str) -> Any:
    # serve needs anyio, which a server on threads does without.
    if name == "serve":
        try:
            from ._anyio import serve  # noqa: PLC0415
        except ModuleNotFoundError as error:
            if error.name != "anyio":
                raise
            from ._extras import NEEDS_ANYIO  # noqa: PLC0415

            raise ImportError(f"sansmcp_stdio.serve {NEEDS_ANYIO}", name="anyio") from None
        return serve
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
