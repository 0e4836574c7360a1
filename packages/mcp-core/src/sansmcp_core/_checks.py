"""Rules for what an author writes into a declaration: names, ``_meta`` keys, icons, listings."""

import re
import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET
from sansmcp_schema.content import Annotations, Icon
from sansmcp_schema.declare import DeclarationError, ResultError, to_json

from ._content import annotations as annotations_of
from ._errors import RegistrationError
from ._settings import Settings

__all__ = [
    "ToolNameWarning",
    "check_annotations",
    "check_extensions",
    "check_icons",
    "check_listing",
    "check_meta",
    "check_name",
    "check_settings",
    "check_text",
    "check_tool_name",
    "registration_error",
]

MAX_TOOL_NAME_CHARS = 128

_SIGNS_OF_TOOL_NAMES = str.maketrans("", "", "_-.")
_META_NAME = r"(?:[A-Za-z0-9](?:[A-Za-z0-9_.\-]*[A-Za-z0-9])?)?\Z"
_META_LABEL = r"[A-Za-z](?:[A-Za-z0-9\-]*[A-Za-z0-9])?\Z"
_RESERVED_LABELS = ("modelcontextprotocol", "mcp")
_ICON_SCHEMES = ("https:", "http:", "data:")
_L = TypeVar("_L", bound=msgspec.Struct)


class ToolNameWarning(UserWarning):
    """A tool name that some clients will not take."""


def check_settings(settings: object) -> None:
    """Nothing, where ``settings`` are ``Settings`` and their extensions have identifiers.

    Raises:
        TypeError: They are something else, such as a dict.
        ValueError: An extension has no identifier.
    """
    if not isinstance(settings, Settings):
        raise TypeError(f"settings must be Settings(...), got {type(settings).__name__}")
    check_extensions(settings.extensions)


def registration_error(error: DeclarationError) -> RegistrationError:
    """The error for an author who declares something on a server, bounds named as he sets them."""
    text = str(error)
    for theirs, ours in _LIMITS.items():
        text = text.replace(f"(SchemaLimits.{theirs})", f"(Limits.{ours})")
    return RegistrationError(text)


_LIMITS = {"max_depth": "max_schema_depth", "max_subschemas": "max_subschemas"}


def check_name(noun: str, name: object) -> str:
    """``name`` itself, where it is a string with something in it.

    Raises:
        RegistrationError: It is empty, no string, or none that JSON can carry.
    """
    if isinstance(name, str) and name.strip():
        if _is_sendable(name):
            return name
        raise RegistrationError(f"the {noun} name {name!r} {_SURROGATE}")
    raise RegistrationError(f"a {noun} needs a name that is not empty, got {name!r}")


_SURROGATE = "holds an unpaired surrogate, which JSON cannot carry"


def _is_sendable(text: str) -> bool:
    try:
        text.isascii() or text.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_text(owner: str, field: str, text: str | None) -> str | None:
    """``text`` itself, where it is a string that JSON can carry, or ``None``.

    Args:
        owner: What it belongs to, such as ``"server 'shop'"``, for the error.
        field: What the author calls it.
        text: What the author gave.

    Raises:
        RegistrationError: It is something else.
    """
    if text is not None and not isinstance(text, str):
        raise RegistrationError(f"{owner}: {field} must be str, got {type(text).__name__}")
    if text is not None and not _is_sendable(text):
        raise RegistrationError(f"{owner}: {field} {_SURROGATE}")
    return text


def check_listing(owner: str, listing: _L) -> _L:
    """What clients see of a declaration, in plain JSON values that no later change reaches.

    Args:
        owner: What is declared, such as ``"tool 'add'"``, for the error.
        listing: Its entry in a list, as the author's values make it.

    Raises:
        RegistrationError: A field has another type than the specification says, or no JSON form.
    """
    try:
        plain: _L = msgspec.json.decode(to_json(listing), type=type(listing))
    except (ResultError, msgspec.ValidationError) as error:
        raise RegistrationError(f"{owner}: {_wrong_field(listing) or error}") from error
    return plain


def _wrong_field(listing: msgspec.Struct, above: str = "") -> str | None:
    """The field that no list can carry, by its Python name, and what is wrong with it."""
    for field in msgspec.structs.fields(listing):
        value, name = getattr(listing, field.name), f"{above}{field.name}"
        if isinstance(value, msgspec.Struct):
            fault = _wrong_field(value, f"{name}.")
        else:
            fault = None if value is UNSET else _fault(value, field.type, name)
        if fault:
            return fault
    return None


def _fault(value: object, wanted: Any, name: str) -> str | None:
    try:
        msgspec.json.decode(to_json(value), type=wanted)
    except ResultError as error:
        # What follows is for values that handlers return.
        return f"{name} cannot be listed: {str(error).partition(';')[0]}"
    except msgspec.ValidationError as error:
        text = str(error).replace("`", "")
        return f"{name}: {text[:1].lower()}{text[1:]}"
    return None


def check_tool_name(name: object) -> str:
    """``name`` itself; one that clients may refuse gets a ``ToolNameWarning``.

    Raises:
        RegistrationError: It is empty or no string.

    Source: MCP 2026-07-28 server/tools, Tool Names.
    """
    name = check_name("tool", name)
    letters = name.translate(_SIGNS_OF_TOOL_NAMES)
    if len(name) > MAX_TOOL_NAME_CHARS or not (f"{letters}0".isascii() and f"{letters}0".isalnum()):
        warnings.warn(
            f"tool name {name!r} is outside what clients can be expected to take: 1 to "
            f"{MAX_TOOL_NAME_CHARS} of the characters A-Z a-z 0-9 _ - .",
            ToolNameWarning,
            stacklevel=_authors_level(),
        )
    return name


def _authors_level() -> int:
    """How many frames up the first one outside this package is, seen from the caller."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    return level


def check_meta(owner: str, meta: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A copy of ``meta``, where its keys are ones an author may use.

    Args:
        owner: What carries it, such as ``"tool 'add'"``, for the error.
        meta: The ``_meta`` object, or ``None``.

    Raises:
        RegistrationError: A key breaks the rules or belongs to the protocol.

    Source: MCP 2026-07-28 basic, ``_meta``.
    """
    if meta is None:
        return None
    if not isinstance(meta, Mapping):
        raise RegistrationError(f"_meta of {owner} must be a dict, got {type(meta).__name__}")
    for key in meta:
        fault = _meta_key_fault(key)
        if fault:
            raise RegistrationError(
                f"_meta key {key!r} of {owner} {fault}; a key is a name, or labels "
                'joined by dots, a slash and a name: "com.example/colour"'
            )
    return dict(meta)


def check_extensions(extensions: Mapping[str, Any]) -> None:
    """Nothing, where each key can identify an extension.

    Raises:
        ValueError: A key has no prefix, or breaks the rules of ``_meta`` keys.

    Source: MCP 2026-07-28 schema, ServerCapabilities.
    """
    for key in extensions:
        prefix, _, name = key.rpartition("/")
        if not prefix or not name or _meta_key_fault(key, reserved=()):
            raise ValueError(
                f"extension {key!r} needs an identifier with a prefix, such as "
                '"com.example/tables" or "io.modelcontextprotocol/tasks"'
            )


def check_icons(owner: str, icons: Iterable[Icon | Mapping[str, Any]] | None) -> list[Icon] | None:
    """``icons`` as Structs, or ``None`` where there are none.

    Args:
        owner: What carries them, such as ``"tool 'add'"``, for the error.
        icons: ``Icon`` Structs, or dicts in the specification's own names (``src``, ``mimeType``,
            ``sizes``, ``theme``).

    Raises:
        RegistrationError: One has another shape, or a URI that is not https, http or data.

    Source: MCP 2026-07-28 basic, ``icons``.
    """
    if icons is None:
        return None
    if isinstance(icons, (str, bytes, Mapping, Icon)):
        raise RegistrationError(
            f"icons of {owner} must be a list of icons, got {type(icons).__name__}"
        )
    try:
        given = list(icons)
    except TypeError:
        raise RegistrationError(
            f"icons of {owner} must be a list of icons, got {type(icons).__name__}"
        ) from None
    return [_icon(owner, icon) for icon in given] or None


def check_annotations(
    owner: str, annotations: Annotations | Mapping[str, Any] | None
) -> Annotations | None:
    """``annotations`` as a Struct, or ``None`` where there are none.

    Args:
        owner: What carries them, such as ``"resource 'app://a'"``, for the error.
        annotations: From ``annotations(...)``, or a dict in the specification's own names
            (``audience``, ``priority``, ``lastModified``).

    Raises:
        RegistrationError: They have another shape, or a value outside what clients must take.

    Source: MCP 2026-07-28 server/resources, Annotations.
    """
    if annotations is None:
        return None
    try:
        given = msgspec.convert(msgspec.to_builtins(annotations), _StrictAnnotations)
        said = msgspec.structs.asdict(given).items()
        return annotations_of(**{name: value for name, value in said if value is not UNSET})
    except (TypeError, ValueError) as error:
        raise RegistrationError(
            f"annotations of {owner} cannot be listed: {error}; write annotations("
            'audience="user", priority=0.5, last_modified=...)'
        ) from error


class _StrictAnnotations(Annotations, rename="camel", forbid_unknown_fields=True):
    """Annotations without a misspelt name."""


def _icon(owner: str, icon: Icon | Mapping[str, Any]) -> Icon:
    if isinstance(icon, Icon):
        icon = check_listing(f"an icon of {owner}", icon)
    else:
        try:
            icon = msgspec.convert(icon, Icon)
        except msgspec.ValidationError as error:
            raise RegistrationError(
                f"an icon of {owner} has the wrong shape: {error}; expected "
                '{"src": "https://...", "mimeType": "image/png", "sizes": ["48x48"]}'
            ) from error
    if not icon.src.lower().startswith(_ICON_SCHEMES):
        raise RegistrationError(
            f"icon {icon.src[:80]!r} of {owner} has a URI that clients must refuse; "
            "use https:, http: or data:"
        )
    return icon


def _meta_key_fault(key: object, *, reserved: tuple[str, ...] = _RESERVED_LABELS) -> str | None:
    if not isinstance(key, str):
        return "is no string"
    prefix, slash, name = key.rpartition("/")
    if re.match(_META_NAME, name) is None:
        return "has a name that does not begin and end with a letter or digit, or has other signs"
    if not slash:
        return "is empty" if not name else None
    labels = prefix.split(".")
    if any(re.match(_META_LABEL, label) is None for label in labels):
        return "has a prefix that is not labels of letters, digits and hyphens, joined by dots"
    if labels[1:2] and labels[1].lower() in reserved:
        return "is reserved for the protocol itself (the second label of its prefix says so)"
    return None
