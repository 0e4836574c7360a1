"""Every example that the 2026-07-28 specification ships comes back as the same JSON."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import sansmcp_schema
from sansmcp_schema import (
    CallToolResult,
    CompleteResult,
    CreateMessageResult,
    DiscoverResult,
    ElicitResult,
    Error,
    GetPromptResult,
    InputRequests,
    InputRequiredResult,
    JSONRPCErrorResponse,
    JSONRPCResultResponse,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    MissingRequiredClientCapabilityData,
    ReadResourceResult,
    SubscriptionsListenResult,
    UnsupportedProtocolVersionData,
)

EXAMPLES = Path(__file__).parents[1] / "data" / "examples-2026-07-28"
FILES = sorted(EXAMPLES.glob("*/*.json"))

# Constructs that differ from a more general one by the value of a field only.
SAME_SHAPE: dict[str, Any] = {
    "HeaderMismatchError": JSONRPCErrorResponse,
    "InputRequests": InputRequests,
    "InternalError": Error,
    "InvalidParamsError": Error,
    "MethodNotFoundError": Error,
    "MissingRequiredClientCapabilityError": JSONRPCErrorResponse,
    "ParseError": Error,
    "UnsupportedProtocolVersionError": JSONRPCErrorResponse,
}
RESPONSES: dict[str, Any] = {
    "CallToolResultResponse": CallToolResult,
    "CompleteResultResponse": CompleteResult,
    "DiscoverResultResponse": DiscoverResult,
    "GetPromptResultResponse": GetPromptResult,
    "ListPromptsResultResponse": ListPromptsResult,
    "ListResourceTemplatesResultResponse": ListResourceTemplatesResult,
    "ListResourcesResultResponse": ListResourcesResult,
    "ListToolsResultResponse": ListToolsResult,
    "ReadResourceResultResponse": ReadResourceResult,
    "SubscriptionsListenResultResponse": SubscriptionsListenResult,
}
ERROR_DATA: dict[str, Any] = {
    "MissingRequiredClientCapabilityError": MissingRequiredClientCapabilityData,
    "UnsupportedProtocolVersionError": UnsupportedProtocolVersionData,
}
ANSWERS = {"github_login": ElicitResult, "capital_of_france": CreateMessageResult}


def same_json(left: bytes, right: bytes) -> bool:
    """Compare as JSON, but tell ``1`` from ``1.0`` and ``true``."""
    texts = [json.dumps(json.loads(side), sort_keys=True) for side in (left, right)]
    return texts[0] == texts[1]


def round_trip(data: bytes, shape: Any) -> bytes:
    return msgspec.json.encode(msgspec.json.decode(data, type=shape))


def test_the_examples_are_all_there() -> None:
    assert len(FILES) == 129


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_example_round_trips(file: Path) -> None:
    construct, data = file.parent.name, file.read_bytes()
    if construct == "InputResponses":
        answers = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
        for key, answer in answers.items():
            assert same_json(round_trip(bytes(answer), ANSWERS[key]), bytes(answer))
        return
    if construct in RESPONSES:
        response = msgspec.json.decode(data, type=JSONRPCResultResponse)
        asks = msgspec.json.decode(response.result)["resultType"] == "input_required"
        shape = InputRequiredResult if asks else RESPONSES[construct]
        response.result = msgspec.json.decode(response.result, type=shape)
        assert same_json(msgspec.json.encode(response), data)
        return
    shape = SAME_SHAPE.get(construct) or getattr(sansmcp_schema, construct)
    assert same_json(round_trip(data, shape), data)


@pytest.mark.parametrize("construct", ERROR_DATA)
def test_error_data_round_trips(construct: str) -> None:
    for file in (EXAMPLES / construct).glob("*.json"):
        error = msgspec.json.decode(file.read_bytes(), type=JSONRPCErrorResponse).error
        data = msgspec.json.encode(error.data)
        assert same_json(round_trip(data, ERROR_DATA[construct]), data)
