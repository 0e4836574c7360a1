"""The logger of this adapter."""

from sansmcp_runtime.log import Log

__all__ = ["log"]

log = Log("sansmcp.stdio", 'serve it with sansmcp_stdio.run(server, backend="{}")').write
