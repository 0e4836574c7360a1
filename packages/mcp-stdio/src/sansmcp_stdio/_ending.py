"""What the end of a connection has in common on threads and in loops."""

__all__ = ["LAST_WORDS_S"]

LAST_WORDS_S = 0.25
"""Seconds for the messages that end a connection, where the time to drain is used up."""
