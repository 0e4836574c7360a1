"""What a call runs: the one shape that tools, prompts, resources and completions share."""

from enum import Enum

from sansmcp_schema.declare import Bound, Refused

__all__ = ["ASYNC", "BLOCKING", "INLINE", "Bound", "Mode", "Refused"]


class Mode(Enum):
    """How an adapter carries a call out."""

    INLINE = "inline"
    """Call it at once, between reading and writing: quick handlers only."""

    BLOCKING = "blocking"
    """Call it in a thread."""

    ASYNC = "async"
    """Call it and await what it returns."""


# Python 3.11 takes longer to find a member of an enumeration than to do all else with it.
INLINE, BLOCKING, ASYNC = Mode.INLINE, Mode.BLOCKING, Mode.ASYNC
