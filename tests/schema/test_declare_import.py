"""What importing the declarations loads."""

import subprocess
import sys

from sansmcp_schema import declare

LATE = ("asyncio", "trio", "anyio", "ssl", "hashlib", "hmac", "logging", "jsonschema_rs")


def loaded_by(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_declaring_a_tool_loads_no_event_loop_and_no_crypto() -> None:
    loaded = loaded_by(
        "from sansmcp_schema.declare import input_from_signature as i, output_from_return as o;"
        " i(lambda a: None); o(lambda a: None)"
    )
    assert loaded.isdisjoint(LATE)
    assert "sansmcp_schema.declare._elicited" not in loaded
    assert "sansmcp_schema.declare._values" not in loaded


def test_every_public_name_is_there() -> None:
    for name in declare.__all__:
        assert hasattr(declare, name), name
    assert set(declare.__all__) <= set(dir(declare))
    assert not hasattr(declare, "nothing_like_this")
