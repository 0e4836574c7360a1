"""In-process costs in microseconds: decoding and encoding messages, validating arguments.

Run with the Python of the environment: ``python -m harness.micro SECONDS ROUNDS`` prints JSON.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import fastjsonschema
import jsonschema  # type: ignore[import-untyped]
import jsonschema_rs
import mcp_types
import msgspec
from mcp_types import methods
from pydantic import ConfigDict, Field, create_model

from . import wire
from .quiet import Sample

__all__ = ["measure"]

sys.path.insert(0, str(Path(__file__).parent.parent / "servers"))
sys.argv[3:] = ["100"]  # how many tools floor_common lists
import floor_common as floor  # noqa: E402

Group: TypeAlias = dict[str, tuple[Callable[[Any], object], Any]]
"""What is compared: a function and its argument, by name."""


def dump(value: Any) -> bytes:
    """The JSON of the standard library, without spaces."""
    return json.dumps(value, separators=(",", ":")).encode()


def envelope(value: bytes) -> object:
    """The first of the official SDK's passes over a request."""
    return mcp_types.JSONRPCRequest.model_validate(json.loads(value))


def official(value: bytes) -> object:
    """All of the official SDK's passes over a request."""
    message = json.loads(value)
    mcp_types.JSONRPCRequest.model_validate(message)
    mcp_types.RequestParams.model_validate(message["params"], by_name=False)
    methods.validate_client_request("tools/call", wire.VERSION, message["params"])
    return mcp_types.CallToolRequestParams.model_validate(message["params"], by_name=False)


def official_out(value: mcp_types.CallToolResult) -> bytes:
    """All of the official SDK's passes over a result."""
    result = value.model_dump(by_alias=True, mode="json", exclude_none=True)
    result = methods.serialize_server_result("tools/call", wire.VERSION, result)
    response = mcp_types.JSONRPCResponse(jsonrpc="2.0", id=1, result=result)
    return dump(response.model_dump(mode="json", by_alias=True, exclude_none=True))


def codec() -> dict[str, Group]:
    """One tools/call request in, its response out, and a listing of 100 tools out."""
    request = wire.add()
    typed = msgspec.json.Decoder(floor.Request).decode
    untyped = msgspec.json.Decoder().decode
    encode = msgspec.json.Encoder().encode
    struct = floor.Response(1, floor.Result([floor.Text(str(wire.SUM))], {"result": wire.SUM}))
    plain = json.loads(encode(struct))
    listing = json.loads(encode(floor.Response(1, floor.LISTING)))
    model = mcp_types.CallToolResult(
        content=[mcp_types.TextContent(type="text", text=str(wire.SUM))],
        structured_content={"result": wire.SUM},
    )

    def two_steps(value: bytes) -> object:
        message = typed(value)
        return message, floor.decode_arguments(message.params.arguments)

    return {
        "decode request": {
            "msgspec, Structs (arguments left raw)": (typed, request),
            "msgspec, Structs, then the arguments": (two_steps, request),
            "msgspec, to dict": (untyped, request),
            "json.loads": (json.loads, request),
            "json.loads + pydantic envelope": (envelope, request),
            "the official SDK's four passes": (official, request),
        },
        "encode response": {
            "msgspec, Structs": (encode, struct),
            "msgspec, dict": (encode, plain),
            "json.dumps": (dump, plain),
            "the official SDK's passes": (official_out, model),
        },
        "encode 100 tools": {
            "msgspec, cached bytes spliced in": (encode, floor.Response(1, floor.LISTING)),
            "msgspec, dict": (encode, listing),
            "json.dumps": (dump, listing),
        },
        "whole message": {
            "msgspec: decode, add, encode": (lambda value: floor.answer(typed(value)), request),
            "json: loads, dumps": (lambda value: json.loads(value) and dump(plain), request),
        },
    }


# The small arguments: five properties. The medium ones: three groups of them, each with a nested
# group.
PROPERTIES = {
    "query": {"type": "string", "minLength": 1},
    "limit": {"type": "integer", "minimum": 1, "maximum": 100},
    "exact": {"type": "boolean"},
    "score": {"type": "number"},
    "tags": {"type": "array", "items": {"type": "string"}},
}
SMALL = {"query": "dune", "limit": 10, "exact": False, "score": 0.5, "tags": ["a", "b"]}
THREE = ("first", "second", "third")


def schema_of(properties: dict[str, Any]) -> dict[str, Any]:
    """An object that has all of the properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


GROUP = schema_of(PROPERTIES)
MIDDLE = schema_of({**PROPERTIES, "left": GROUP})
MEDIUM_SCHEMA = schema_of(dict.fromkeys(THREE, MIDDLE))
MEDIUM = {name: {**SMALL, "left": dict(SMALL)} for name in THREE}  # 30 leaves


class Small(msgspec.Struct, forbid_unknown_fields=True):
    """Five properties."""

    query: Annotated[str, msgspec.Meta(min_length=1)]
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)]
    exact: bool
    score: float
    tags: list[str]


class Middle(Small, forbid_unknown_fields=True):
    """Five properties, and five nested ones."""

    left: Small


class Medium(msgspec.Struct, forbid_unknown_fields=True):
    """Three groups of ten."""

    first: Middle
    second: Middle
    third: Middle


def models() -> tuple[Any, Any]:
    """The small and the medium arguments as models of pydantic."""
    strict = ConfigDict(extra="forbid")
    small = create_model(
        "SmallModel",
        __config__=strict,
        query=(str, Field(min_length=1)),
        limit=(int, Field(ge=1, le=100)),
        exact=(bool, ...),
        score=(float, ...),
        tags=(list[str], ...),
    )
    middle = create_model("MiddleModel", __base__=small, left=(small, ...))
    three: dict[str, Any] = dict.fromkeys(THREE, (middle, ...))
    return small, create_model("MediumModel", __config__=strict, **three)


def validators(schema: Any, struct: Any, model: Any, value: Any) -> Group:
    """Each validator with the value that it has accepted, and it has refused a wrong one.

    Raises:
        AssertionError: One of them is none.
    """
    candidates: dict[str, Callable[[Any], object]] = {
        "msgspec.convert": lambda v: msgspec.convert(v, struct),
        "jsonschema-rs": jsonschema_rs.Draft202012Validator(schema).validate,
        "fastjsonschema": fastjsonschema.compile(schema),
        "pydantic": model.model_validate,
        "jsonschema": jsonschema.Draft202012Validator(schema).validate,
    }
    for name, check in candidates.items():
        check(value)
        wrong = json.loads(json.dumps(value))
        inner = wrong if "limit" in wrong else wrong["third"]["left"]
        inner["limit"] = 1000
        try:
            check(wrong)
        except Exception:  # noqa: BLE001, S112 - each has a class of its own for it
            continue
        raise AssertionError(f"{name} accepted {wrong}")
    return {name: (check, value) for name, check in candidates.items()}


def compilers(schema: Any) -> Group:
    """Each way to make a validator."""
    return {
        "jsonschema-rs": (jsonschema_rs.Draft202012Validator, schema),
        "fastjsonschema": (fastjsonschema.compile, schema),
        "jsonschema, with check_schema": (
            lambda s: (
                jsonschema.Draft202012Validator.check_schema(s),
                jsonschema.Draft202012Validator(s),
            ),
            schema,
        ),
    }


def validation() -> dict[str, Group]:
    """Small and medium arguments validated, and their validators made."""
    small, medium = models()
    return {
        "validate small: 5 properties": validators(GROUP, Small, small, SMALL),
        "compile small: 5 properties": compilers(GROUP),
        "validate medium: 30 nested": validators(MEDIUM_SCHEMA, Medium, medium, MEDIUM),
        "compile medium: 30 nested": compilers(MEDIUM_SCHEMA),
    }


def once(function: Callable[[Any], object], value: Any, count: int) -> float:
    """Microseconds of one call, of ``count`` in a row."""
    start = time.perf_counter()
    for _ in range(count):
        function(value)
    return (time.perf_counter() - start) / count * 1e6


def measure(seconds: float, rounds: int) -> list[Sample]:
    """Every group, its rows taking turns.

    Args:
        seconds: How long each is called in each round, about.
        rounds: How many.
    """
    samples = []
    for column, candidates in {**codec(), **validation()}.items():
        counts = {}
        for name, (function, value) in candidates.items():
            once(function, value, 3)
            counts[name] = max(1, int(seconds * 1e6 / once(function, value, 3)))
        for turn in range(rounds):
            names = list(candidates)
            for name in names if turn % 2 == 0 else names[::-1]:
                taken = once(*candidates[name], counts[name])
                samples.append({"row": name, "column": column, "round": turn, "us": taken})
    return samples


if __name__ == "__main__":
    print(json.dumps(measure(float(sys.argv[1]), int(sys.argv[2]))))
