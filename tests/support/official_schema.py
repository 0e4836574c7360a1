"""The official schemas, closed, so that a field a revision does not name is an error."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

__all__ = ["check_message", "validator"]

_DATA = Path(__file__).parents[1] / "data" / "schema"
# `_meta` takes any key, and older schemas of messages leave out what every message has.
_OPEN = ("MetaObject", "Notification", "Request")


@cache
def validator(name: str, revision: str) -> Any:
    """Compile the official schema of a construct of a revision."""
    schema = json.loads((_DATA / revision / "schema.json").read_bytes())
    holder = "$defs" if "$defs" in schema else "definitions"
    for construct, definition in schema[holder].items():
        if "properties" in definition and not construct.endswith(_OPEN):
            definition.setdefault("additionalProperties", False)
        params = definition.get("properties", {}).get("params", {})
        if "properties" in params:
            params["properties"].setdefault("_meta", {})
            params["additionalProperties"] = False
    return jsonschema_rs.validator_for({**schema, "$ref": f"#/{holder}/{name}"})


_RESULTS = {
    "server/discover": "DiscoverResult",
    "initialize": "InitializeResult",
    "ping": "EmptyResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "resources/subscribe": "EmptyResult",
    "resources/unsubscribe": "EmptyResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "completion/complete": "CompleteResult",
    "logging/setLevel": "EmptyResult",
    "subscriptions/listen": "SubscriptionsListenResult",
}
_SAID = {
    "notifications/progress": "ProgressNotification",
    "notifications/message": "LoggingMessageNotification",
    "notifications/cancelled": "CancelledNotification",
    "notifications/tools/list_changed": "ToolListChangedNotification",
    "notifications/prompts/list_changed": "PromptListChangedNotification",
    "notifications/resources/list_changed": "ResourceListChangedNotification",
    "notifications/resources/updated": "ResourceUpdatedNotification",
    "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
    "elicitation/create": "ElicitRequest",
    "sampling/createMessage": "CreateMessageRequest",
    "roots/list": "ListRootsRequest",
}


def check_message(message: dict[str, Any], revision: str, method: str = "") -> None:
    """Raise where a server's message is not valid in ``revision``.

    Args:
        message: What the server said.
        revision: What the client speaks.
        method: The method of the request that a result answers.
    """
    if "method" in message:
        validator(_SAID[message["method"]], revision).validate(message)
    elif "error" in message:
        assert isinstance(message["error"]["code"], int)
        assert isinstance(message["error"]["message"], str)
        if revision >= "2025-11-25":
            validator("JSONRPCErrorResponse", revision).validate(message)
        elif "id" in message:
            validator("JSONRPCError", revision).validate(message)
    else:
        result = message["result"]
        asks = result.get("resultType") == "input_required"
        name = "InputRequiredResult" if asks else _RESULTS[method]
        validator(name, revision).validate(result)
