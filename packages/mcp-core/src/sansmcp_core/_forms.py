"""Forms, kept by the class that declares them: made once, not once for each question."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from sansmcp_schema.declare import Form, ObjectSchema, form_of

__all__ = ["FormSchema", "form_for"]

FormSchema: TypeAlias = ObjectSchema | Mapping[str, Any] | str
"""A form that is no class: the builder, or a JSON Schema as a mapping or text."""

_FORMS: dict[type, Form] = {}


def form_for(schema: type | FormSchema) -> Form:
    """Return the form that ``schema`` declares.

    Raises:
        DeclarationError: It is more than a form can ask; the message names the field.
    """
    if not isinstance(schema, type):
        return form_of(dict(schema) if isinstance(schema, Mapping) else schema)
    form = _FORMS.get(schema)
    if form is None:
        form = _FORMS[schema] = form_of(schema)
    return form
