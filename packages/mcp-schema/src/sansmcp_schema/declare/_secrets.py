"""Which values a message must not show."""

from collections.abc import Callable
from typing import Any

from .. import json_check

__all__ = ["secret_test"]


def secret_test(
    schema: dict[str, Any], secret_words: tuple[str, ...]
) -> Callable[[tuple[str | int, ...]], bool]:
    """A function of a path: whether a name on it, or the schema there, says that it is a secret."""

    def is_secret(path: tuple[str | int, ...]) -> bool:
        inner: Any = schema
        for step in path:
            if isinstance(step, str):
                if json_check.is_secret_name(step, secret_words):
                    return True
                inner = inner.get("properties", {}).get(step, {}) if _is_schema(inner) else {}
            else:
                inner = inner.get("items", {}) if _is_schema(inner) else {}
            if _is_marked(inner):
                return True
        return False

    return is_secret


def _is_marked(schema: Any) -> bool:
    if not _is_schema(schema):
        return False
    if schema.get("writeOnly") or schema.get("format") == "password":
        return True
    return any(map(_is_marked, schema.get("anyOf", ())))


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict)
