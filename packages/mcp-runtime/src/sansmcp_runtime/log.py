"""Reports of the core -> the standard library's logging, which is loaded by the first of them."""

import sys

from sansmcp_core import Report

__all__ = ["Log"]

_ONLY_IF_CONFIGURED = ("debug", "info")

_COMPLAINTS = {
    "trio": ("no running event loop", "asyncio"),
    "asyncio": ("must be called from async context", "trio"),
}
"""For each event loop: what the other one says where it does not run, and its name."""


class Log:
    """Where an adapter's reports go.

    A program that configures no logging sees warnings and errors on standard error.

    Args:
        logger: The logger's name, such as ``sansmcp.stdio``.
        advice: How to serve a handler on the other event loop; that one's name goes where ``{}``
            is.
    """

    def __init__(self, logger: str, advice: str) -> None:
        self.logger = logger
        self.advice = advice

    def write(self, report: Report, loop: str | None = None) -> None:
        """Pass ``report`` to the logger.

        Args:
            report: What the core has to tell.
            loop: The event loop that runs async handlers, if any.
        """
        if report.level in _ONLY_IF_CONFIGURED and "logging" not in sys.modules:
            return  # nobody can have asked for it
        import logging  # noqa: PLC0415 - 6 ms that a run without reports saves

        level = logging.getLevelNamesMapping().get(report.level.upper(), logging.ERROR)
        message = report.message
        if report.request_id is not None:
            message = f"{message} (request {report.request_id!r})"
        message += self._advice(report.exception, loop)
        logging.getLogger(self.logger).log(level, "%s", message, exc_info=report.exception)

    def _advice(self, exception: BaseException | None, loop: str | None) -> str:
        """What to do about a handler that was written for the other event loop."""
        complaint, other = _COMPLAINTS.get(loop or "", ("", ""))
        if not isinstance(exception, RuntimeError) or str(exception) != complaint or not complaint:
            return ""
        return f": this handler uses {other}: {self.advice.format(other)}"
