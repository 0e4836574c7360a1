"""What clients send is read in one strict pass, and comes back exactly as it was spelled."""

from typing import Any

import msgspec
import pytest
from msgspec import UNSET, Raw
from sansmcp_schema import (
    AudioContent,
    BlobResourceContents,
    CallToolRequestParams,
    CancelledNotificationParams,
    ClientCapabilities,
    CompleteRequestParams,
    ElicitRequestParams,
    GetPromptRequestParams,
    ImageContent,
    InitializeRequestParams,
    JSONRPCErrorResponse,
    JSONRPCRequest,
    JSONRPCResultResponse,
    PaginatedRequestParams,
    PromptReference,
    ReadResourceRequestParams,
    RequestParams,
    ResourceContents,
    SetLevelRequestParams,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    decode_meta,
)

IDS = ['"1"', "1", '"007"', '""', "0", "9007199254740993", "-5", "123456789012345678901234567890"]
LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]


def decode(data: str, shape: Any) -> Any:
    return msgspec.json.decode(data, type=shape)


@pytest.mark.parametrize("spelled", IDS)
def test_ids_keep_type_and_spelling(spelled: str) -> None:
    request = decode(f'{{"jsonrpc":"2.0","id":{spelled},"method":"ping"}}', JSONRPCRequest)
    result = msgspec.json.encode(JSONRPCResultResponse(id=request.id, result={}))
    assert result == f'{{"jsonrpc":"2.0","id":{spelled},"result":{{}}}}'.encode()
    cancelled = decode(f'{{"requestId":{spelled}}}', CancelledNotificationParams)
    assert cancelled.request_id == request.id
    assert type(cancelled.request_id) is type(request.id)


@pytest.mark.parametrize("bad", ["null", "1.5", "true", "[1]", "{}"])
def test_ids_and_progress_tokens_are_strings_or_integers(bad: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        decode(f'{{"jsonrpc":"2.0","id":{bad},"method":"ping"}}', JSONRPCRequest)
    with pytest.raises(msgspec.ValidationError):
        decode(f'{{"_meta":{{"progressToken":{bad}}}}}', RequestParams)


@pytest.mark.parametrize("spelled", IDS)
def test_progress_tokens_keep_type_and_spelling(spelled: str) -> None:
    params = decode(f'{{"_meta":{{"progressToken":{spelled}}}}}', RequestParams)
    assert msgspec.json.encode(params.meta.progress_token) == spelled.encode()


def test_an_error_without_a_readable_id_has_none() -> None:
    answer = decode('{"jsonrpc":"2.0","error":{"code":-32700,"message":"?"}}', JSONRPCErrorResponse)
    assert answer.id is UNSET
    assert b'"id"' not in msgspec.json.encode(answer)


def test_call_params_are_read_in_one_pass_and_leave_arguments_alone() -> None:
    params = decode(
        '{"name":"add","arguments":{"a": 1.0, "a": 2},'
        '"inputResponses":{"who": {"action":"decline"}},'
        '"requestState":"s","_meta":{"progressToken":7,"io.modelcontextprotocol/logLevel":"info"}}',
        CallToolRequestParams,
    )
    assert params.name == "add"
    assert bytes(params.arguments) == b'{"a": 1.0, "a": 2}'
    assert bytes(params.input_responses["who"]) == b'{"action":"decline"}'
    assert params.request_state == "s"
    assert params.meta.progress_token == 7
    assert params.meta.log_level == "info"


@pytest.mark.parametrize("shape", [CallToolRequestParams, GetPromptRequestParams])
@pytest.mark.parametrize("arguments", ["null", "[]", "5", '"x"', "{}"])
def test_arguments_of_any_kind_wait_for_their_reader(shape: Any, arguments: str) -> None:
    params = decode(f'{{"name":"x","arguments":{arguments}}}', shape)
    assert bytes(params.arguments) == arguments.encode()


def test_absent_is_not_null() -> None:
    assert decode('{"name":"x"}', CallToolRequestParams).arguments is UNSET
    assert decode("{}", PaginatedRequestParams).cursor is UNSET
    assert decode('{"cursor":null}', PaginatedRequestParams).cursor is None
    answered = '{"uri":"a:b","inputResponses":null,"requestState":null}'
    params = decode(answered, ReadResourceRequestParams)
    assert (params.input_responses, params.request_state) == (None, None)


@pytest.mark.parametrize("level", LEVELS)
def test_log_levels_are_the_eight(level: str) -> None:
    assert decode(f'{{"level":"{level}"}}', SetLevelRequestParams).level == level


def test_capabilities_nobody_knows_are_ignored() -> None:
    capabilities = decode(
        '{"teleport":{"x":1},"tasks":{"list":{}},"roots":{"listChanged":true,"more":1},'
        '"sampling":{"tools":{}},"elicitation":{"form":{},"url":{"y":2},"fax":{}},'
        '"extensions":{"a/b":{"c":[1]}},"experimental":{"d":{}}}',
        ClientCapabilities,
    )
    assert capabilities.roots.list_changed is True
    assert capabilities.sampling.tools == {}
    assert capabilities.elicitation.url == {"y": 2}
    assert capabilities.extensions == {"a/b": {"c": [1]}}
    assert capabilities.experimental == {"d": {}}


REF = '"ref":{"type":"ref/prompt","name":"x"}'
ARGUMENT = '"argument":{"name":"a","value":"b"}'
META = "io.modelcontextprotocol/"
REFUSED: list[tuple[Any, str]] = [
    (RequestParams, '{"_meta":null}'),
    (RequestParams, '{"_meta":[]}'),
    (RequestParams, f'{{"_meta":{{"{META}protocolVersion":1}}}}'),
    (RequestParams, f'{{"_meta":{{"{META}clientInfo":{{"name":"x"}}}}}}'),
    (RequestParams, f'{{"_meta":{{"{META}clientInfo":"x"}}}}'),
    (RequestParams, f'{{"_meta":{{"{META}clientCapabilities":null}}}}'),
    (RequestParams, f'{{"_meta":{{"{META}clientCapabilities":{{"elicitation":true}}}}}}'),
    (RequestParams, f'{{"_meta":{{"{META}logLevel":"loud"}}}}'),
    (PaginatedRequestParams, '{"cursor":1}'),
    (CallToolRequestParams, "{}"),
    (CallToolRequestParams, '{"name":1}'),
    (CallToolRequestParams, '{"name":"x","inputResponses":[]}'),
    (CallToolRequestParams, '{"name":"x","requestState":{}}'),
    (GetPromptRequestParams, '{"name":null}'),
    (ReadResourceRequestParams, '{"uri":[]}'),
    (SubscribeRequestParams, "{}"),
    (SetLevelRequestParams, '{"level":"LOUD"}'),
    (CompleteRequestParams, '{"ref":{"type":"ref/x"},"argument":{"name":"a","value":"b"}}'),
    (CompleteRequestParams, '{"ref":{"name":"x"},"argument":{"name":"a","value":"b"}}'),
    (CompleteRequestParams, '{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a"}}'),
    (CompleteRequestParams, f'{{{REF},{ARGUMENT},"context":[]}}'),
    (CompleteRequestParams, f'{{{REF},{ARGUMENT},"context":{{"arguments":{{"c":1}}}}}}'),
    (InitializeRequestParams, '{"capabilities":{},"clientInfo":{"name":"a","version":"1"}}'),
    (InitializeRequestParams, '{"protocolVersion":"x","capabilities":{}}'),
    (SubscriptionsListenRequestParams, "{}"),
    (SubscriptionsListenRequestParams, '{"notifications":{"toolsListChanged":1}}'),
    (SubscriptionsListenRequestParams, '{"notifications":{"resourceSubscriptions":[1]}}'),
    (CancelledNotificationParams, '{"requestId":1.5}'),
    (ResourceContents, '{"uri":"a:b"}'),
    (ResourceContents, '{"uri":"a:b","text":"","blob":""}'),
    (ElicitRequestParams, '{"message":"?"}'),
    (ElicitRequestParams, '{"message":"?","mode":"url","requestedSchema":{}}'),
]


@pytest.mark.parametrize(
    ("shape", "data"), REFUSED, ids=[f"{shape.__name__}-{data}" for shape, data in REFUSED]
)
def test_wrong_types_are_refused(shape: Any, data: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        decode(data, shape)


def test_references_are_told_apart_by_type() -> None:
    params = decode(
        '{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":""},"context":null}',
        CompleteRequestParams,
    )
    assert params.ref == PromptReference("x")
    assert params.context is None


def test_the_whole_meta_is_there_for_who_asks() -> None:
    params = b'{"name":"x","_meta":{"progressToken":1,"com.example/trace":{"a":[1.0]}}}'
    assert decode_meta(params) == {"progressToken": 1, "com.example/trace": {"a": [1.0]}}
    assert decode_meta(Raw(b"{}")) == {}


def test_bytes_become_base64() -> None:
    data = bytes(range(256))
    image = ImageContent.from_bytes(data[:4], "image/png")
    assert (
        msgspec.json.encode(image) == b'{"type":"image","data":"AAECAw==","mimeType":"image/png"}'
    )
    assert AudioContent.from_bytes(b"\xfb\xff", "audio/wav").data == "+/8="
    blob = BlobResourceContents.from_bytes("a:b", data, "text/plain")
    assert msgspec.convert(blob.blob, bytes) == data
    assert (blob.uri, blob.mime_type, blob.text) == ("a:b", "text/plain", UNSET)
