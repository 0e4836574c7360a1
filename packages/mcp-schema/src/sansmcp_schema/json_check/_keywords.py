"""Which JSON Schema keywords are in, which are annotations, and which are refused.

One row a keyword. ``enforced`` keywords decide whether a value is valid; ``structure`` keywords
hold or name subschemas; ``annotation`` keywords are published and change nothing; ``refused`` ones
fail at registration by name. So does a keyword that is in no row, since its author may count on it;
``x-`` and a name is a note of his own. The other engine takes such a keyword for the annotation
that JSON Schema 2020-12 Core section 6.5 calls it, though never a likely misspelling.
"""

from typing import Literal

from msgspec import Struct

from ._suggest import edit_distance

__all__ = [
    "DIALECTS",
    "IN_PLACE",
    "KEYWORDS",
    "Dialect",
    "Keyword",
    "keyword_table",
    "likely_meant",
]

Dialect = Literal["2020-12", "draft-07"]
Role = Literal["enforced", "structure", "annotation", "refused"]

DIALECTS: dict[str, Dialect] = {
    "https://json-schema.org/draft/2020-12/schema": "2020-12",
    "http://json-schema.org/draft-07/schema": "draft-07",
}

_BOTH: tuple[Dialect, ...] = ("2020-12", "draft-07")
_NEW: tuple[Dialect, ...] = ("2020-12",)
_OLD: tuple[Dialect, ...] = ("draft-07",)


class Keyword(Struct, frozen=True):
    """One row of the table.

    Args:
        name: The keyword.
        role: What it does here.
        shape: Name of the form its value must have (see ``_shapes``).
        dialects: The dialects that know it.
        hint: For a refused keyword, or in a dialect that lacks it: what to write instead.
    """

    name: str
    role: Role
    shape: str
    dialects: tuple[Dialect, ...] = _BOTH
    hint: str = ""


_ROWS = (
    Keyword("$ref", "enforced", "reference"),
    Keyword("type", "enforced", "types"),
    Keyword("enum", "enforced", "choices"),
    Keyword("const", "enforced", "any"),
    Keyword("multipleOf", "enforced", "positive_number"),
    Keyword("minimum", "enforced", "number"),
    Keyword("exclusiveMinimum", "enforced", "number"),
    Keyword("maximum", "enforced", "number"),
    Keyword("exclusiveMaximum", "enforced", "number"),
    Keyword("minLength", "enforced", "count"),
    Keyword("maxLength", "enforced", "count"),
    Keyword("pattern", "enforced", "pattern"),
    Keyword("prefixItems", "enforced", "schema_list", _NEW, "write the list under items"),
    Keyword("items", "enforced", "items"),
    Keyword("additionalItems", "enforced", "schema", _OLD, "write prefixItems and items"),
    Keyword("minItems", "enforced", "count"),
    Keyword("maxItems", "enforced", "count"),
    Keyword("uniqueItems", "enforced", "boolean"),
    Keyword("contains", "enforced", "schema"),
    Keyword("minContains", "enforced", "count", _NEW, "contains alone wants one item"),
    Keyword("maxContains", "enforced", "count", _NEW, "leave it out"),
    Keyword("required", "enforced", "names"),
    Keyword("properties", "enforced", "schema_map"),
    Keyword("patternProperties", "enforced", "pattern_map"),
    Keyword("additionalProperties", "enforced", "schema"),
    Keyword("propertyNames", "enforced", "schema"),
    Keyword("minProperties", "enforced", "count"),
    Keyword("maxProperties", "enforced", "count"),
    Keyword("dependentRequired", "enforced", "names_map", _NEW, "write dependencies"),
    Keyword("dependentSchemas", "enforced", "schema_map", _NEW, "write dependencies"),
    Keyword(
        "dependencies",
        "enforced",
        "dependencies",
        _OLD,
        "write dependentRequired or dependentSchemas",
    ),
    Keyword("allOf", "enforced", "schema_list"),
    Keyword("anyOf", "enforced", "schema_list"),
    Keyword("oneOf", "enforced", "schema_list"),
    Keyword("not", "enforced", "schema"),
    Keyword("if", "enforced", "schema"),
    Keyword("then", "enforced", "schema"),
    Keyword("else", "enforced", "schema"),
    Keyword("$defs", "structure", "schema_map"),
    Keyword("definitions", "structure", "schema_map"),
    Keyword("$anchor", "structure", "anchor", _NEW, 'write "$id": "#name"'),
    Keyword("$id", "structure", "id"),
    Keyword("$schema", "annotation", "dialect"),
    Keyword("$comment", "annotation", "string"),
    Keyword("$vocabulary", "annotation", "any"),
    Keyword("title", "annotation", "string"),
    Keyword("description", "annotation", "string"),
    Keyword("default", "annotation", "any"),
    Keyword("examples", "annotation", "list"),
    Keyword("deprecated", "annotation", "boolean"),
    Keyword("readOnly", "annotation", "boolean"),
    Keyword("writeOnly", "annotation", "boolean"),
    Keyword("format", "annotation", "string"),
    Keyword("contentEncoding", "annotation", "string"),
    Keyword("contentMediaType", "annotation", "string"),
    Keyword("contentSchema", "annotation", "object_or_boolean"),
    # The vocabulary of OpenAPI 3.1 beside JSON Schema, all of it notes that decide nothing.
    Keyword("example", "annotation", "any"),
    Keyword("discriminator", "annotation", "any"),
    Keyword("externalDocs", "annotation", "any"),
    Keyword("xml", "annotation", "any"),
    # Titles of the values of an enum, in MCP 2025-06-18 and 2025-11-25.
    Keyword("enumNames", "annotation", "list"),
    Keyword("unevaluatedProperties", "refused", "any", _NEW, "additionalProperties may do"),
    Keyword("unevaluatedItems", "refused", "any", _NEW, "items may do"),
    Keyword("$dynamicRef", "refused", "any", _NEW, "$ref may do"),
    Keyword("$dynamicAnchor", "refused", "any", _NEW, "$anchor may do"),
    Keyword("$recursiveRef", "refused", "any", (), 'write "$ref": "#"'),
    Keyword("$recursiveAnchor", "refused", "any", (), "$anchor may do"),
    Keyword("nullable", "refused", "any", (), 'write "type": ["...", "null"]'),
)

KEYWORDS: dict[str, Keyword] = {row.name: row for row in _ROWS}

IN_PLACE = frozenset(
    {
        "$ref",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "dependentSchemas",
        "dependencies",
    }
)
"""Keywords whose subschemas apply to the very value that the schema applies to."""

_DECIDING = tuple(row.name for row in _ROWS if row.role in ("enforced", "refused"))


def keyword_table() -> list[tuple[str, str, str, str]]:
    """Return the table as rows for documentation: keyword, role, dialects, hint."""
    return [(row.name, row.role, ", ".join(row.dialects), row.hint) for row in _ROWS]


def likely_meant(name: str) -> str | None:
    """Return the keyword that an unknown name probably is a misspelling of, or None.

    Only keywords that decide something are candidates. Letter case, separators and a plural
    count as the same name; otherwise one slip is allowed in names of six letters and two in
    names of eight, so that ``note`` or ``cost`` stay what they are.
    """
    if name.startswith(("x-", "X-")) or len(name) > 40:
        return None
    plain = _plain(name)
    best: tuple[int, str] | None = None
    for candidate in _DECIDING:
        target = _plain(candidate)
        allowed = 2 if len(target) >= 8 else 1 if len(target) >= 6 else 0
        if abs(len(plain) - len(target)) > max(allowed, 1):
            continue
        same = plain.removesuffix("s") == target.removesuffix("s")
        distance = 0 if same else edit_distance(plain, target)
        if distance <= allowed and (best is None or distance < best[0]):
            best = (distance, candidate)
    return best[1] if best else None


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "").removeprefix("$")
