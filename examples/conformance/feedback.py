"""What a client hears while a call runs, and when a list changes."""

import time

import anyio
from sansmcp_core import Context, Server, mark

__all__ = ["FeedbackTools"]

_STEP_S = 0.05


class FeedbackTools:
    """Tools that report, log and change lists.

    Args:
        server: Its lists are changed.
    """

    def __init__(self, server: Server) -> None:
        self._server = server

    @mark.tool
    async def test_tool_with_progress(self, ctx: Context) -> str:
        """Report three steps of progress."""
        for progress in (0, 50, 100):
            ctx.report_progress(progress, 100)
            await anyio.sleep(_STEP_S)
        return "Done, in three steps."

    @mark.tool
    def test_tool_with_logging(self, ctx: Context) -> str:
        """Log three messages of level info."""
        ctx.log("info", "Tool execution started")
        time.sleep(_STEP_S)
        ctx.log("info", "Tool processing data")
        time.sleep(_STEP_S)
        ctx.log("info", "Tool execution completed")
        return "Done, with three log messages."

    @mark.tool
    def test_logging_tool(self, ctx: Context) -> str:
        """Log one message, which only a request that names a level gets to see."""
        ctx.log("info", "A message for those who asked for messages")
        return "Done, with one log message."

    @mark.tool
    def test_trigger_tool_change(self) -> str:
        """Add a tool, or remove it again."""
        if self._server.tools.find("test_passing_tool") is None:
            self._server.tool(_pass_by, name="test_passing_tool", description="Come and go.")
            return "There is one more tool."
        self._server.tools.remove("test_passing_tool")
        return "There is one tool less."

    @mark.tool
    def test_trigger_prompt_change(self) -> str:
        """Add a prompt, or remove it again."""
        if self._server.prompts.find("test_passing_prompt") is None:
            self._server.prompt(_pass_by, name="test_passing_prompt", description="Come and go.")
            return "There is one more prompt."
        self._server.prompts.remove("test_passing_prompt")
        return "There is one prompt less."


def _pass_by() -> str:
    return "Here for a while."
