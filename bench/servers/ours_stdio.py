# bench: name = sansmcp
# bench: role = candidate
# bench: modes = stdio
# bench: variant = inline
# bench: note = the handler runs inline; no event loop is loaded
#
# bench: name = sansmcp, blocking in threads
# bench: role = candidate
# bench: modes = stdio
# bench: variant = blocking
#
# bench: name = sansmcp, async on trio
# bench: role = candidate
# bench: modes = stdio
# bench: variant = async
"""Our server over stdio, a handler of each kind."""
# ruff: noqa: ERA001 - a runner reads the lines above

import sys

import sansmcp_stdio
from bench_tools import make_server

TOOLS, MODE = int(sys.argv[3]), sys.argv[4]

sansmcp_stdio.run(make_server(TOOLS, MODE), backend="trio" if MODE == "async" else None)
