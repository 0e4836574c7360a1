"""Reports of the core -> the standard library's logging, which is loaded by the first of them."""

import sys

from sansmcp_core import Report

__all__ = ["log"]

_ONLY_IF_CONFIGURED = ("debug", "info")


def log(report: Report) -> None:
    """Pass ``report`` to the logger ``sansmcp.stdio``.

    A program that configures no logging sees warnings and errors on standard error.
    """
    if report.level in _ONLY_IF_CONFIGURED and "logging" not in sys.modules:
        return  # nobody can have asked for it
    import logging  # noqa: PLC0415 - 6 ms that a run without reports saves

    level = logging.getLevelNamesMapping().get(report.level.upper(), logging.ERROR)
    message = report.message
    if report.request_id is not None:
        message = f"{message} (request {report.request_id!r})"
    logging.getLogger("sansmcp.stdio").log(level, "%s", message, exc_info=report.exception)
