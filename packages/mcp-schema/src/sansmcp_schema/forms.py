"""The schemas that the fields of an elicitation's form may have."""

from typing import Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType, field

__all__ = [
    "BooleanSchema",
    "EnumOption",
    "LegacyTitledEnumSchema",
    "NumberSchema",
    "StringSchema",
    "TitledMultiSelectEnumSchema",
    "TitledMultiSelectItems",
    "TitledSingleSelectEnumSchema",
    "UntitledMultiSelectEnumSchema",
    "UntitledMultiSelectItems",
    "UntitledSingleSelectEnumSchema",
]

StringFormat: TypeAlias = Literal["email", "uri", "date", "date-time"]


class _FieldSchema(Struct, kw_only=True, gc=False):
    title: str | UnsetType = UNSET
    description: str | UnsetType = UNSET


class StringSchema(_FieldSchema, kw_only=True, rename="camel", gc=False):
    """A line of text; ``default`` not before 2025-11-25."""

    type: Literal["string"] = "string"
    min_length: int | UnsetType = UNSET
    max_length: int | UnsetType = UNSET
    format: StringFormat | UnsetType = UNSET
    default: str | UnsetType = UNSET


class NumberSchema(_FieldSchema, kw_only=True, gc=False):
    """A number or an integer; ``default`` not before 2025-11-25."""

    type: Literal["number", "integer"] = "number"
    minimum: int | float | UnsetType = UNSET
    maximum: int | float | UnsetType = UNSET
    default: int | float | UnsetType = UNSET


class BooleanSchema(_FieldSchema, kw_only=True, gc=False):
    """Yes or no."""

    type: Literal["boolean"] = "boolean"
    default: bool | UnsetType = UNSET


class EnumOption(Struct, gc=False):
    """A value and what the user reads."""

    const: str
    title: str


class UntitledSingleSelectEnumSchema(_FieldSchema, kw_only=True, gc=False):
    """One of several values."""

    type: Literal["string"] = "string"
    enum: list[str]
    default: str | UnsetType = UNSET


class TitledSingleSelectEnumSchema(_FieldSchema, kw_only=True, gc=False):
    """One of several values that have titles. Not before 2025-11-25."""

    type: Literal["string"] = "string"
    one_of: list[EnumOption] = field(name="oneOf")
    default: str | UnsetType = UNSET


class LegacyTitledEnumSchema(_FieldSchema, kw_only=True, rename="camel", gc=False):
    """One of several values, with titles in a second list; the only titled one in 2025-06-18."""

    type: Literal["string"] = "string"
    enum: list[str]
    enum_names: list[str] | UnsetType = UNSET
    default: str | UnsetType = UNSET


class UntitledMultiSelectItems(Struct, kw_only=True, gc=False):
    """The values of an untitled choice of several."""

    type: Literal["string"] = "string"
    enum: list[str]


class TitledMultiSelectItems(Struct, gc=False):
    """The values of a titled choice of several."""

    any_of: list[EnumOption] = field(name="anyOf")


class UntitledMultiSelectEnumSchema(_FieldSchema, kw_only=True, rename="camel", gc=False):
    """Several of several values. Not before 2025-11-25."""

    type: Literal["array"] = "array"
    min_items: int | UnsetType = UNSET
    max_items: int | UnsetType = UNSET
    items: UntitledMultiSelectItems
    default: list[str] | UnsetType = UNSET


class TitledMultiSelectEnumSchema(_FieldSchema, kw_only=True, rename="camel", gc=False):
    """Several of several values that have titles. Not before 2025-11-25."""

    type: Literal["array"] = "array"
    min_items: int | UnsetType = UNSET
    max_items: int | UnsetType = UNSET
    items: TitledMultiSelectItems
    default: list[str] | UnsetType = UNSET
