"""Lines that no good client sends, and what each of them gets: data for every binding's tests.

A row is ``(name, line, codes, id)``: the codes of the errors that answer it, in order, and the id
they carry. No code means silence. ``NO_ID`` means that the error has no id at all.
"""

from typing import Any, NamedTuple

import msgspec

__all__ = ["BAD_LINES", "GOOD_ID", "GOOD_LINE", "NO_ID", "BadLine"]

NO_ID: Any = ...

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602

GOOD_ID = "good"
GOOD_LINE = b'{"jsonrpc":"2.0","id":"good","method":"ping"}'
"""Served by every server that speaks to legacy clients."""

_META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class BadLine(NamedTuple):
    """One row of the table."""

    name: str
    line: bytes
    codes: list[int] = []
    id: Any = NO_ID


def _line(**message: Any) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", **message})


def _request(method: str, _meta: Any = None, /, **params: Any) -> bytes:
    return _line(id=1, method=method, params={"_meta": _META if _meta is None else _meta, **params})


def _legacy(method: str, **params: Any) -> bytes:
    return _line(id=1, method=method, params=params)


def _deep(opening: bytes, closing: bytes) -> bytes:
    nested = opening * 100_000 + closing * 100_000
    return b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"x":' + nested + b"}}"


_DIGITS = b"1" * 5000

_UNREADABLE = [
    BadLine(name, line, [PARSE_ERROR])
    for name, line in {
        "not JSON": b"hello",
        "half a message": b'{"jsonrpc":"2.0","id":20,',
        "only an opening bracket": b"[",
        "a NUL": b"\x00",
        "two messages on a line": b"{} {}",
        "single quotes": b"{'jsonrpc':'2.0'}",
        "a trailing comma": b'{"jsonrpc":"2.0","id":1,"method":"ping",}',
        "NaN": b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}',
        "no UTF-8": b"\xff\xfe",
        "no UTF-8 in the method": b'{"jsonrpc":"2.0","id":1,"method":"\xff"}',
        "no UTF-8 in an argument": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
        b'{"name":"add","arguments":{"a":"\xc3"}}}',
        "no UTF-8 in a key nobody reads": b'{"jsonrpc":"2.0","id":1,"method":"ping","x":'
        b'"\xed\xa0\x80"}',
        "overlong UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"\xc0\xaf"}',
        "UTF-16": '{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-16"),
        "a byte order mark": b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}',
        "half a surrogate pair": b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}',
        "half a surrogate pair in params": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":'
        b'{"x":"\\udfff"}}',
        "a raw control character": b'{"jsonrpc":"2.0","id":1,"method":"a\tb"}',
        "a number with a leading zero in params": b'{"jsonrpc":"2.0","id":1,"method":"ping",'
        b'"params":{"x":01}}',
        "arrays 100 000 deep": _deep(b"[", b"]"),
        "objects 100 000 deep": _deep(b'{"a":', b"}").replace(b":}", b":1}"),
        "brackets that never close": b"[" * 100_000,
        "65 deep": b"[" * 65 + b"]" * 65,
    }.items()
]

_SHAPES = [
    BadLine(name, line, [INVALID_REQUEST], id)
    for name, line, id in [
        ("an empty object", b"{}", NO_ID),
        ("an object that is no message", b'{"hello":1}', NO_ID),
        ("an empty batch", b"[]", NO_ID),
        ("a batch of one request", b"[" + GOOD_LINE + b"]", NO_ID),
        ("a batch of no messages", b"[1]", NO_ID),
        ("a string", b'"x"', NO_ID),
        ("a number", b"1", NO_ID),
        ("null", b"null", NO_ID),
        ("true", b"true", NO_ID),
        ("no jsonrpc", b'{"id":1,"method":"ping"}', 1),
        ("jsonrpc 1.0", b'{"jsonrpc":"1.0","id":1,"method":"ping"}', 1),
        ("jsonrpc as a number", b'{"jsonrpc":2.0,"id":1,"method":"ping"}', 1),
        ("no method", b'{"jsonrpc":"2.0","id":1}', 1),
        ("a method that is a number", b'{"jsonrpc":"2.0","id":7,"method":5}', 7),
        ("a method that is null", b'{"jsonrpc":"2.0","id":7,"method":null}', 7),
        ("params that are an array", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', 1),
        ("params that are a string", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}', 1),
        ("params that are a number", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":1}', 1),
        ("params that are false", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":false}', 1),
        ("a method and a result", b'{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}', 1),
        ("a method and an error", b'{"jsonrpc":"2.0","id":1,"method":"ping","error":{}}', 1),
        ("an id that is null", b'{"jsonrpc":"2.0","id":null,"method":"ping"}', NO_ID),
        ("an id with a fraction", b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', NO_ID),
        ("an id that is true", b'{"jsonrpc":"2.0","id":true,"method":"ping"}', NO_ID),
        ("an id that is a list", b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', NO_ID),
        ("an id that is an object", b'{"jsonrpc":"2.0","id":{},"method":"ping"}', NO_ID),
        ("a wrong id and a wrong method", b'{"jsonrpc":"2.0","id":null,"method":5}', NO_ID),
    ]
]

_NUMBERS = [
    BadLine(
        "an id of 5 000 digits",
        b'{"jsonrpc":"2.0","id":' + _DIGITS + b',"method":"ping"}',
        [PARSE_ERROR],
    ),
    BadLine(
        "a progress token of 5 000 digits",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":'
        + _DIGITS
        + b"}}}",
        [INVALID_PARAMS],
        1,
    ),
    BadLine(
        "params of 5 000 digits",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + _DIGITS + b"}",
        [INVALID_REQUEST],
        1,
    ),
    BadLine(
        "a method of 5 000 digits",
        b'{"jsonrpc":"2.0","id":1,"method":' + _DIGITS + b"}",
        [PARSE_ERROR],
    ),
]

_SILENCE = [
    BadLine(name, line)
    for name, line in {
        "nothing": b"",
        "a carriage return": b"\r",
        "spaces": b"  \t ",
        "an unknown notification": _line(method="notifications/whatever"),
        "a request without id": _line(method="tools/list"),
        "a call without id": _line(
            method="tools/call", params={"name": "add", "arguments": {"a": 1, "b": 2}}
        ),
        "initialize without id": _line(method="initialize", params={}),
        "a listen without id": _line(method="subscriptions/listen", params={"_meta": _META}),
        "a notification whose params are an array": _line(method="notifications/x", params=[1]),
        "a notification whose params are a string": _line(method="notifications/x", params="x"),
        "initialized, out of place": _line(method="notifications/initialized"),
        "roots changed": _line(method="notifications/roots/list_changed"),
        "progress of a client": _line(
            method="notifications/progress", params={"progressToken": 1, "progress": 2}
        ),
        "cancelled without params": _line(method="notifications/cancelled"),
        "cancelled without requestId": _line(method="notifications/cancelled", params={}),
        "cancelled with an unknown id": _line(
            method="notifications/cancelled", params={"requestId": "nobody"}
        ),
        "cancelled with a wrong id": _line(
            method="notifications/cancelled", params={"requestId": [1]}
        ),
        "cancelled with a null id": _line(
            method="notifications/cancelled", params={"requestId": None}
        ),
        "cancelled with a wrong reason": _line(
            method="notifications/cancelled", params={"requestId": 1, "reason": 5}
        ),
        "cancelled with an id of 5 000 digits": b'{"jsonrpc":"2.0","method":'
        b'"notifications/cancelled","params":{"requestId":' + _DIGITS + b"}}",
        "a notification with a wrong _meta": _line(
            method="notifications/cancelled", params={"_meta": 5, "requestId": 1}
        ),
        "an answer nobody asked for": _line(id=1, result={}),
        "an error nobody asked for": _line(id=1, error={"code": 1, "message": "x"}),
        "an answer with a wrong error": _line(id=1, error=5),
        "an answer without id": _line(result={}),
        "an error with a null id": _line(id=None, error={"code": 1, "message": "x"}),
        "an answer with both": _line(id=1, result={}, error={"code": 1, "message": "x"}),
        "an answer with a wrong id": _line(id=[1], result={}),
        "an answer without jsonrpc": b'{"id":1,"result":{}}',
    }.items()
]

_UNKNOWN = [
    BadLine(f"unknown method {method[:20]!r}, {era}", line(method), [NO_METHOD], 1)
    for method in (
        "totally/bogus",
        "",
        "Tools/List",
        "tools/list ",
        "notifications/initialized",
        "rpc.discover",
        "completion/complete/x",
        "\u0000",
        "\U0001f600",
        "x" * 10_000,
    )
    for era, line in (("modern", _request), ("legacy", _legacy))
]

_META_ROWS: list[tuple[str, str, Any, int]] = [
    ("ping", "null", None, INVALID_PARAMS),
    ("ping", "a list", [], INVALID_PARAMS),
    ("ping", "a string", "x", INVALID_PARAMS),
    ("tools/list", "progressToken 1.5", {**_META, "progressToken": 1.5}, INVALID_PARAMS),
    ("tools/list", "progressToken true", {**_META, "progressToken": True}, INVALID_PARAMS),
    ("tools/list", "progressToken null", {**_META, "progressToken": None}, INVALID_PARAMS),
    ("tools/list", "progressToken {}", {**_META, "progressToken": {}}, INVALID_PARAMS),
    *(
        ("tools/list", f"{key} {value!r}", {**_META, key: value}, INVALID_PARAMS)
        for key, values in {
            "io.modelcontextprotocol/protocolVersion": (5, None, [], {}),
            "io.modelcontextprotocol/clientCapabilities": (5, None, [], "x"),
            "io.modelcontextprotocol/clientInfo": (5, [], {}, {"name": 1, "version": "1"}),
            "io.modelcontextprotocol/logLevel": ("loud", 5, None),
        }.items()
        for value in values
    ),
    (
        "tools/list",
        "a wrong capability",
        {**_META, "io.modelcontextprotocol/clientCapabilities": {"sampling": 5}},
        INVALID_PARAMS,
    ),
    (
        "bogus",
        "a wrong progress token, of an unknown method",
        {"progressToken": []},
        INVALID_PARAMS,
    ),
    (
        "tools/list",
        "a version only",
        {"io.modelcontextprotocol/protocolVersion": "2026-07-28"},
        INVALID_PARAMS,
    ),
    (
        "tools/list",
        "capabilities only",
        {"io.modelcontextprotocol/clientCapabilities": {}},
        INVALID_PARAMS,
    ),
    (
        "tools/list",
        "an unknown version",
        {**_META, "io.modelcontextprotocol/protocolVersion": "1900-01-01"},
        -32022,
    ),
]
_WRONG_META = [
    BadLine(f"_meta with {name}", _line(id=1, method=method, params={"_meta": value}), [code], 1)
    for method, name, value, code in _META_ROWS
]

# Method -> parameter -> values of the wrong type; None as the value leaves the parameter out.
_ABSENT: Any = ...
_GOOD_PARAMS: dict[str, dict[str, Any]] = {
    "tools/list": {},
    "resources/list": {},
    "resources/templates/list": {},
    "prompts/list": {},
    "tools/call": {"name": "add", "arguments": {"a": 1, "b": 2}},
    "prompts/get": {"name": "hello"},
    "resources/read": {"uri": "a://b"},
    "completion/complete": {
        "ref": {"type": "ref/prompt", "name": "hello"},
        "argument": {"name": "who", "value": ""},
    },
    "subscriptions/listen": {"notifications": {}},
}
_WRONG_VALUES: dict[str, dict[str, list[Any]]] = {
    "tools/list": {"cursor": [5, True, [], {}, "bogus", ""]},
    "resources/list": {"cursor": [5, "bogus"]},
    "resources/templates/list": {"cursor": [5, "bogus"]},
    "prompts/list": {"cursor": [5, "bogus"]},
    "tools/call": {
        "name": [_ABSENT, None, 5, [], {}, "unknown"],
        "arguments": [5, [], [1], "x", "{}", True],
        "inputResponses": [5, [], "x"],
        "requestState": [5, [], {}, "", "bogus", "\u00e9", "A" * 1000],
    },
    "prompts/get": {
        "name": [_ABSENT, None, 5, "unknown"],
        "arguments": [5, [], "x", {"unknown": "x"}],
        "inputResponses": [5],
        "requestState": [5, "bogus"],
    },
    "resources/read": {
        "uri": [_ABSENT, None, 5, [], "unknown://", "", "x" * 10_000],
        "inputResponses": [5],
        "requestState": [5, "bogus"],
    },
    "completion/complete": {
        "ref": [_ABSENT, None, 5, {}, {"type": "ref/tool", "name": "x"}, {"type": "ref/prompt"}],
        "argument": [_ABSENT, None, 5, {}, {"name": "who"}, {"name": "who", "value": 5}],
        "context": [5, [], {"arguments": 5}, {"arguments": {"a": 5}}],
    },
    "subscriptions/listen": {
        "notifications": [
            _ABSENT,
            None,
            5,
            {"toolsListChanged": "yes"},
            {"promptsListChanged": 1},
            {"resourcesListChanged": None},
            {"resourceSubscriptions": "a://b"},
            {"resourceSubscriptions": [5]},
            {"resourceSubscriptions": ["x" * 10_000]},
        ]
    },
}
_LEGACY_GOOD: dict[str, dict[str, Any]] = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"},
    },
    "logging/setLevel": {"level": "info"},
    "resources/subscribe": {"uri": "a://b"},
    "resources/unsubscribe": {"uri": "a://b"},
}
_LEGACY_WRONG: dict[str, dict[str, list[Any]]] = {
    "initialize": {
        "protocolVersion": [_ABSENT, None, 5],
        "capabilities": [_ABSENT, None, 5, [], {"roots": 5}],
        "clientInfo": [_ABSENT, None, 5, {}, {"name": "c"}],
    },
    "logging/setLevel": {"level": [_ABSENT, None, 5, "loud"]},
    "resources/subscribe": {"uri": [_ABSENT, None, 5, "x" * 10_000]},
    "resources/unsubscribe": {"uri": [_ABSENT, None, 5, "x" * 10_000]},
}


def _wrong_params(
    era: str, meta: dict[str, Any], good: dict[str, dict[str, Any]], wrong: dict[str, Any]
) -> list[BadLine]:
    rows = []
    for method, fields in wrong.items():
        for name, values in fields.items():
            for number, value in enumerate(values):
                params = {**meta, **good[method], name: value}
                if value is _ABSENT:
                    del params[name]
                shown = "absent" if value is _ABSENT else repr(value)[:40]
                line = _line(id=1, method=method, params=params)
                title = f"{method} ({era}) with {name} {shown} #{number}"
                code = INVALID_PARAMS
                if era == "legacy" and method == "resources/read" and value in ("", "unknown://"):
                    code = -32002
                rows.append(BadLine(title, line, [code], 1))
    return rows


_SHARED = {
    method: {
        name: values
        for name, values in fields.items()
        if name not in ("inputResponses", "requestState") and method != "subscriptions/listen"
    }
    for method, fields in _WRONG_VALUES.items()
}

BAD_LINES: list[BadLine] = [
    *_UNREADABLE,
    *_SHAPES,
    *_NUMBERS,
    *_SILENCE,
    *_UNKNOWN,
    *_WRONG_META,
    *_wrong_params("modern", {"_meta": _META}, _GOOD_PARAMS, _WRONG_VALUES),
    *_wrong_params("legacy", {}, _GOOD_PARAMS, _SHARED),
    *_wrong_params("legacy", {}, _LEGACY_GOOD, _LEGACY_WRONG),
]
"""Every bad line. The server needs a tool ``add(a, b)``, a prompt ``hello(who)`` with a completer
for ``who``, and a resource ``a://b``."""
