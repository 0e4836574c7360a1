"""The other engine: jsonschema-rs, for schemas that the subset cannot enforce.

This module is imported only where such a schema is compiled (``_check.compile_check``). Nothing is
ever fetched: each reference out of the document is refused before, and the retriever raises.
"""

from collections.abc import Callable, Iterable
from typing import Any

import jsonschema_rs
from msgspec import Struct

from ._errors import SchemaError
from ._keywords import KEYWORDS
from ._nodes import Document
from ._values import json_type, nesting_exceeds
from ._violation import Violation
from ._words import is_secret_name, quoted_list

__all__ = ["Judge", "compile_judge"]

_VALIDATORS: dict[str, Any] = {
    "2020-12": jsonschema_rs.Draft202012Validator,
    "draft-07": jsonschema_rs.Draft7Validator,
}
_MAX_LEVELS = 500
# draft-07 lets an implementation enforce them; here they are annotations in both dialects.
_CONTENT = ("contentEncoding", "contentMediaType")


class Judge(Struct, frozen=True):
    """What jsonschema-rs says of values.

    Args:
        verdict: Tells whether a value is what the schema says; raises ValueError for no JSON.
        errors: Gives the engine's own errors for a value; raises the same.
    """

    verdict: Callable[[Any], bool]
    errors: Callable[[Any], Iterable[Any]]

    def is_valid(self, value: Any) -> bool:
        """Return whether a value is what the schema says; what is no JSON is not.

        Neither is what nests deeper than 500 levels, for which the engine could run out of stack.
        """
        try:
            return not nesting_exceeds(value, _MAX_LEVELS) and self.verdict(value)
        except ValueError:
            return False

    def violations(
        self, value: Any, own: list[Violation], secret_words: tuple[str, ...]
    ) -> list[Violation]:
        """Return the violations of a value, in our words wherever we have some.

        Args:
            value: The value; one that nests too deeply has no violations of its own.
            own: What the own engine finds, which knows fewer keywords.
            secret_words: Words in a name that keep a value out of the text.
        """
        if nesting_exceeds(value, _MAX_LEVELS):
            return []
        found: list[Violation] = []
        try:
            errors = list(self.errors(value))
        except ValueError as no_json:
            return [Violation((), "", f"expected a JSON value: {no_json}")]
        for error in errors:
            path = tuple(error.instance_path)
            known = error.kind.name in KEYWORDS and KEYWORDS[error.kind.name].role == "enforced"
            agreed = [one for one in own if known and one.path[: len(path)] == path]
            for one in agreed or [_reworded(error, path, secret_words)]:
                if one not in found:
                    found.append(one)
        return found


def compile_judge(document: Document) -> Judge:
    """Return the judge for a document.

    Raises:
        SchemaError: The engine finds the schema malformed.
    """
    schema = document.root.schema
    if document.dialect == "draft-07":
        schema = _without_content(document)
    try:
        validator = _VALIDATORS[document.dialect](
            schema, validate_formats=False, retriever=_fetch_nothing
        )
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        path = "".join(f"/{step}" for step in getattr(error, "instance_path", ()))
        text = str(getattr(error, "message", error))
        raise SchemaError("", path, f"malformed: {text:.300}") from None
    return Judge(validator.is_valid, validator.iter_errors)


def _fetch_nothing(uri: str) -> Any:
    raise ValueError(f"{uri} is outside of the schema, and nothing is ever fetched")


def _without_content(document: Document) -> dict[str, Any] | bool:
    """Return the schema without the keywords that draft-07 may enforce.

    Only subschemas lose them; a property or an enum value of that name stays.
    """
    subschemas = {id(node.schema) for node in document.nodes}

    def copied(value: Any) -> Any:
        if isinstance(value, list):
            return [copied(item) for item in value]
        if not isinstance(value, dict):
            return value
        left_out = _CONTENT if id(value) in subschemas else ()
        return {name: copied(item) for name, item in value.items() if name not in left_out}

    root: dict[str, Any] | bool = copied(document.root.schema)
    return root


def _reworded(error: Any, path: tuple[str | int, ...], secret_words: tuple[str, ...]) -> Violation:
    """Word an error without its own text, which may hold what arrived."""
    keyword = str(error.kind.name)
    secret = any(isinstance(step, str) and is_secret_name(step, secret_words) for step in path)
    if keyword == "unevaluatedProperties" and not secret:
        return Violation(path, keyword, f"unknown key {quoted_list(error.kind.unexpected)}")
    got = json_type(error.instance)
    return Violation(path, keyword, f'expected a value that fits "{keyword}", got {got}')
