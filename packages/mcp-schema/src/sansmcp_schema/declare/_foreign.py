"""What other libraries' authors put beside a type: read where it can be enforced, else refused.

Nothing is imported for it: ``annotated_types`` and Pydantic are known by the names of their classes
and modules. PEP 593 has everyone ignore metadata that means nothing to them, and so do we, but not
a constraint that we know of: what is not enforced must not look as if it were.
"""

from typing import Any

from ._errors import DeclarationError

__all__ = ["foreign_keywords", "is_pydantic_model", "pydantic_model_hint", "refuse_foreign_default"]

# Attribute of a bound -> keyword, and how ``msgspec.Meta`` calls it.
_BOUNDS = {
    "gt": "exclusiveMinimum",
    "ge": "minimum",
    "lt": "exclusiveMaximum",
    "le": "maximum",
    "multiple_of": "multipleOf",
    "min_length": "minLength",
    "max_length": "maxLength",
}
# Class in ``annotated_types`` (or a look-alike) -> the attributes that say it all.
_CLASSES = {
    "Gt": ("gt",),
    "Ge": ("ge",),
    "Lt": ("lt",),
    "Le": ("le",),
    "Interval": ("gt", "ge", "lt", "le"),
    "MultipleOf": ("multiple_of",),
    "MinLen": ("min_length",),
    "MaxLen": ("max_length",),
    "Len": ("min_length", "max_length"),
}
_CONSTRAINING = ("annotated_types", "pydantic", "pydantic_core")
_NO_CONSTRAINTS = ("Unit", "DocInfo")


def foreign_keywords(metadata: tuple[Any, ...], where: str) -> dict[str, Any]:
    """The JSON Schema keywords that foreign metadata of one ``Annotated`` stands for.

    Args:
        metadata: All of it; what is ours or msgspec's gives nothing here.
        where: For messages.

    Raises:
        DeclarationError: A constraint of a library we know of cannot be enforced.
    """
    keywords: dict[str, Any] = {}
    for item in metadata:
        bounds = _bounds(item)
        described = item if isinstance(item, str) else getattr(item, "documentation", None)
        if bounds:
            keywords.update({_BOUNDS[name]: value for name, value in bounds.items()})
        elif isinstance(described, str):
            keywords["description"] = described
        elif _library(item) in _CONSTRAINING and type(item).__name__ not in _NO_CONSTRAINTS:
            raise DeclarationError(f"{where}: {_refusal(item)}")
    return keywords


def refuse_foreign_default(default: Any, where: str) -> None:
    """Raises ``DeclarationError`` where a default is a Pydantic ``Field(...)``, no value."""
    if type(default).__name__ == "FieldInfo" and _library(default) == "pydantic":
        raise DeclarationError(f"{where}: its default is {_refusal(default)}")


def is_pydantic_model(python: Any) -> bool:
    """Whether a class is a Pydantic model."""
    return isinstance(python, type) and hasattr(python, "model_json_schema")


def pydantic_model_hint(python: type) -> str:
    """What to write for a Pydantic model, which has no shape of ours."""
    name = python.__name__
    return (
        f"{name} is a Pydantic model, which is not read here; declare the tool with "
        f"arguments={name}.model_json_schema(), take one dict and build the model in the handler "
        f"({name}.model_validate(arguments)), or make it a dataclass or a msgspec.Struct"
    )


def _bounds(item: Any) -> dict[str, Any]:
    """The bounds that an object like those of ``annotated_types`` sets."""
    names = _CLASSES.get(type(item).__name__, ())
    if not all(hasattr(item, name) for name in names):
        return {}
    given = {name: value for name in names if (value := getattr(item, name)) is not None}
    if given.get("min_length") == 0:
        del given["min_length"]
    return given


def _library(item: Any) -> str:
    return type(item).__module__.partition(".")[0]


def _refusal(item: Any) -> str:
    name = type(item).__name__
    spelled = f"pydantic.Field(...), a {name}," if name == "FieldInfo" else f"{item!r}, a {name},"
    meant = _meta_spelled(item) or "Meta(ge=1, pattern=..., description=...)"
    return (
        f"{spelled} which is not enforced here; say it with msgspec.Meta, such as "
        f"Annotated[T, {meant}], with annotated_types.Gt and its kin, or with Parameter(...) of "
        "ours; give a default after the annotation: = 5"
    )


def _meta_spelled(field: Any) -> str:
    """A Pydantic field in ``msgspec.Meta``'s words, as far as it has them."""
    said: dict[str, Any] = {}
    for item in getattr(field, "metadata", None) or (field,):
        said |= _bounds(item)
        pattern = getattr(item, "pattern", None)
        said |= {"pattern": pattern} if isinstance(pattern, str) else {}
    for name in ("min_length", "max_length", "title", "description"):
        value = getattr(field, name, None)
        said |= {name: value} if isinstance(value, str | int) else {}
    return f"Meta({', '.join(f'{name}={value!r}' for name, value in said.items())})" if said else ""
