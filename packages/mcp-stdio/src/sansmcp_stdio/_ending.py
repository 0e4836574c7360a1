"""What the end of a connection has in common on threads and in loops."""

__all__ = ["LAST_WORDS_S", "CallStopped"]

LAST_WORDS_S = 0.25
"""Seconds for the messages that end a connection, where the time to drain is used up."""


class CallStopped(Exception):
    """The end of a call that was cancelled; the core is told, nobody else."""
