"""In a fresh process the core brings in no event loop, network, thread, crypto or schema module."""

import subprocess
import sys
import textwrap

import pytest

FORBIDDEN = [
    "_asyncio",
    "_hashlib",
    "_socket",
    "_ssl",
    "anyio",
    "asyncio",
    "concurrent.futures",
    "cryptography",
    "h11",
    "hashlib",
    "hmac",
    "jsonschema",
    "jsonschema_rs",
    "logging",
    "multiprocessing",
    "selectors",
    "socket",
    "ssl",
    "subprocess",
    "threading",
    "trio",
    "urllib.request",
]

SERVE = """
    from sansmcp_core import Connection, Run, Send, Server

    server = Server("pure", "1")

    @server.tool
    def add(a: int, b: int = 2) -> int:
        '''Add.'''
        return a + b

    connection = Connection(server)
    line = (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add",'
        b'"arguments":{"a":1},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
        b'"io.modelcontextprotocol/clientCapabilities":{}}}}\\n'
    )
    (run,) = connection.receive(line, 1.0)
    assert type(run) is Run
    (send,) = run.call.completed(run.call.invoke(), 2.0)
    assert b'"structuredContent":3' in send.data
"""
LIST = """
    for method in (b"initialize", b"tools/list", b"ping"):
        params = (
            b'{"protocolVersion":"2025-11-25","capabilities":{},'
            b'"clientInfo":{"name":"c","version":"1"}}'
        )
        (send,) = connection.receive(
            b'{"jsonrpc":"2.0","id":1,"method":"' + method + b'","params":' + params + b"}\\n", 3.0
        )
        assert b'"result"' in send.data
"""
ASK = """
    from msgspec import Struct
    from sansmcp_core import Context

    class Name(Struct):
        name: str

    @server.tool
    def greet(ctx: Context) -> str:
        return ctx.elicit("who", "Who?", Name).action
"""


def loaded_by(program: str) -> set[str]:
    """Return the modules that a program loads beyond those that msgspec brings."""
    report = "\nimport sys\nprint(*sorted(sys.modules), sep='\\n')"
    modules = []
    for code in ("import msgspec", textwrap.dedent(program)):
        ran = subprocess.run(
            [sys.executable, "-c", code + report],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        modules.append(set(ran.stdout.split()))
    return modules[1] - modules[0]


@pytest.mark.parametrize(
    "program",
    [
        "import sansmcp_core",
        "import sansmcp_core\n[getattr(sansmcp_core, name) for name in sansmcp_core.__all__]",
        SERVE,
        SERVE + LIST,
        SERVE + ASK,
        "import sansmcp_core.testing",
    ],
    ids=["import", "every name", "serve", "list", "declare a question", "testing"],
)
def test_the_core_loads_nothing_that_it_does_not_need(program: str) -> None:
    loaded = loaded_by(program)
    assert "sansmcp_core" in loaded
    assert not loaded & set(FORBIDDEN)


def test_a_server_that_never_asks_loads_no_questions() -> None:
    loaded = loaded_by(SERVE + LIST)
    assert "sansmcp_core._questions" not in loaded
    assert "sansmcp_schema.sampling" not in loaded
    assert "sansmcp_schema.elicitation" not in loaded


def test_importing_the_package_alone_loads_none_of_its_modules() -> None:
    loaded = loaded_by("import sansmcp_core")
    assert {name for name in loaded if name.startswith("sansmcp")} == {"sansmcp_core"}


def test_every_public_name_is_there() -> None:
    import sansmcp_core

    for name in sansmcp_core.__all__:
        assert getattr(sansmcp_core, name) is not None
    assert set(sansmcp_core.__all__) <= set(dir(sansmcp_core))
    with pytest.raises(AttributeError, match="nonsense"):
        getattr(sansmcp_core, "nonsense")  # noqa: B009 - a name that is not there
