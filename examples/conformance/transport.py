"""What only HTTP shows: a stream that is closed early, an argument that is mirrored in a header."""

from typing import Annotated

import anyio
from msgspec import Meta
from sansmcp_core import Context, mark

__all__ = ["TransportTools"]

_AWAY_S = 0.2


class TransportTools:
    """Tools that concern the HTTP binding; over stdio they are like any other."""

    @mark.tool
    async def test_reconnection(self, ctx: Context) -> str:
        """Close the stream of this call; a legacy client gets the result when it comes back."""
        ctx.close_stream(retry_ms=100)
        await anyio.sleep(_AWAY_S)
        return "Done, while the stream was closed."

    @mark.tool(inline=True)
    def test_header_argument(
        self,
        region: Annotated[
            str,
            Meta(description="Where to look", extra_json_schema={"x-mcp-header": "Region"}),
        ],
    ) -> str:
        """Take an argument that clients repeat in the header Mcp-Param-Region."""
        return f"Region: {region}"
