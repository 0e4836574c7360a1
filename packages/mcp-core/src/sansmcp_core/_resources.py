"""Resources and resource templates: declarations and handlers -> what is listed and read."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Unpack

from sansmcp_schema.declare import ResultError
from sansmcp_schema.resources import Resource as ResourceListing
from sansmcp_schema.resources import ResourceTemplate as ResourceTemplateListing
from sansmcp_schema.results import ReadResourceResult

from ._checks import check_annotations, check_icons, check_listing, check_meta, check_name
from ._content import or_unset
from ._errors import RegistrationError
from ._handlers import description_of, mode_of, name_of
from ._operation import Bound, Mode, Refused
from ._registry import Registry, describe_function
from ._resource_options import ResourceDeclaration, ResourceOptions
from ._resource_results import read_result
from ._settings import DEFAULT_SETTINGS, Settings
from ._string_arguments import StringArguments, string_options
from ._template_twins import refuse_twin
from ._uri_template import UriTemplate

__all__ = [
    "Match",
    "Resource",
    "ResourceDeclaration",
    "ResourceOptions",
    "ResourceRegistry",
    "ResourceTemplate",
]


class _Readable:
    """What a resource and a template have in common."""

    __slots__ = (
        "_arguments",
        "cache",
        "function",
        "mime_type",
        "mode",
        "name",
        "scopes",
        "time_limit_s",
    )

    def __init__(
        self, name: str, arguments: StringArguments, declaration: ResourceDeclaration, mode: Mode
    ) -> None:
        self.name = name
        self.function = arguments.function
        self.mode = mode
        self.mime_type = declaration.mime_type
        self.time_limit_s = declaration.time_limit_s
        self.scopes = frozenset(declaration.scopes)
        self.cache = declaration.cache
        self._arguments = arguments

    def resolve(self) -> None:
        """Build what a name that was not defined had kept from being built.

        Raises:
            RegistrationError: The name is still not defined, or the parameters are not the
                variables.
        """
        self._arguments.resolve()

    @property
    def takes_context(self) -> bool:
        """Whether the handler has a parameter for the context."""
        return self._arguments.takes_context

    def bind(self, uri: str, variables: Mapping[str, str], context: Any) -> Bound | Refused:
        """The URI's variables, converted for the handler; or what is wrong with them.

        Args:
            uri: The URI that is read.
            variables: What the template found in it.
            context: Given to the handler's ``Context`` parameter.
        """
        return self._arguments.read_variables(variables, context)

    def result(self, value: Any, uri: str) -> ReadResourceResult:
        """The result that says what the handler returned.

        Raises:
            ResultError: It is nothing that a resource can hold.
        """
        return read_result(value, uri, self.mime_type)

    def before_listing(self) -> None:
        """Nothing: a resource lists what was declared."""


class Resource(_Readable):
    """A resource with a URI of its own."""

    __slots__ = ("_listing", "uri")

    def __init__(
        self,
        listing: ResourceListing,
        arguments: StringArguments,
        declaration: ResourceDeclaration,
        mode: Mode,
    ) -> None:
        super().__init__(listing.name, arguments, declaration, mode)
        self.uri = listing.uri
        self._listing = listing

    def listing(self) -> ResourceListing:
        """What clients see of it, before a revision takes out what it lacks."""
        return self._listing


class ResourceTemplate(_Readable):
    """A family of resources whose URIs a template describes."""

    __slots__ = ("_listing", "template")

    def __init__(
        self,
        template: UriTemplate,
        listing: ResourceTemplateListing,
        arguments: StringArguments,
        declaration: ResourceDeclaration,
        mode: Mode,
    ) -> None:
        super().__init__(listing.name, arguments, declaration, mode)
        self.template = template
        self._listing = listing

    @property
    def uri_template(self) -> str:
        """The text of the template."""
        return self.template.text

    @property
    def name_in_references(self) -> str:
        """What a completion's reference calls it."""
        return self.template.text

    @property
    def argument_names(self) -> tuple[str, ...]:
        """The names of the variables, in order."""
        return self.template.variables

    def listing(self) -> ResourceTemplateListing:
        """What clients see of it, before a revision takes out what it lacks."""
        return self._listing


class Match(NamedTuple):
    """What serves a URI, and the variables found in it, decoded."""

    entry: Resource | ResourceTemplate
    variables: dict[str, str]


class ResourceRegistry:
    """The resources and templates of one server.

    Args:
        changed: Called after each change.
        settings: The server's switches.
    """

    def __init__(self, changed: Callable[[], None], settings: Settings = DEFAULT_SETTINGS) -> None:
        self.fixed: Registry[Resource] = Registry("resource", changed, key=lambda entry: entry.uri)
        self.templates: Registry[ResourceTemplate] = Registry(
            "resource template", changed, key=lambda entry: entry.uri_template
        )
        self._settings = settings

    def __len__(self) -> int:
        """The number of resources and templates, disabled ones included."""
        return len(self.fixed) + len(self.templates)

    def match(self, uri: str) -> Match | None:
        """What serves ``uri``: a resource of exactly this URI, else the first template that fits.

        Returns:
            ``None`` where nothing does. ``decode_once(uri) is None`` then tells a URI with broken
            escapes from one that nobody serves.
        """
        resource = self.fixed.find(uri)
        if resource is not None:
            return Match(resource, {})
        for row in self.templates.snapshot().rows:
            variables = row.entry.template.match(uri)
            if variables is not None:
                return Match(row.entry, variables)
        return None

    def find_template(self, uri: str) -> ResourceTemplate | None:
        """The template with this text, or else the one that serves this URI."""
        template = self.templates.find(uri)
        if template is not None:
            return template
        found = self.match(uri)
        return found.entry if found and isinstance(found.entry, ResourceTemplate) else None

    def entries(self) -> tuple[Resource, ...]:
        """The enabled resources, in order of registration."""
        return self.fixed.entries()

    def template_entries(self) -> tuple[ResourceTemplate, ...]:
        """The enabled templates, in order of registration."""
        return self.templates.entries()

    def every(self) -> list[Resource | ResourceTemplate]:
        """All resources, then all templates, disabled ones included."""
        return [*self.fixed.every(), *self.templates.every()]

    def add_function(
        self,
        uri: str,
        function: Callable[..., Any],
        localns: Mapping[str, Any] | None = None,
        *,
        may_postpone: bool = True,
        **options: Unpack[ResourceOptions],
    ) -> Resource | ResourceTemplate:
        """Register ``function`` for a URI or, where the URI has variables, for a template.

        The parameters of a template's handler are its variables, by name, converted from strings
        to their types; a query variable that may be absent needs a default.

        Args:
            uri: A URI, or a template as ``UriTemplate`` reads it.
            function: The handler. It returns text, bytes, a JSON value, contents made with
                ``text_contents`` or ``blob_contents``, a list of them, or a whole
                ``ReadResourceResult``; or raises ``ResourceNotFound``.
            localns: Names that postponed annotations may use beside the module's.
            may_postpone: Take annotations with names that are not defined yet.
            options: See ``ResourceDeclaration``.

        Raises:
            RegistrationError: The declaration cannot be served.
        """
        declaration = ResourceDeclaration(**options)
        mode = mode_of(function, declaration.inline, noun="resource")
        where = f"resource {uri!r}"
        template = UriTemplate(uri) if "{" in uri or "}" in uri else None
        arguments = StringArguments(
            function,
            string_options(self._settings, "resource", uri, localns=localns),
            mode,
            may_postpone=may_postpone,
            check=lambda schema: _check_variables(where, function, schema, template),
        )
        shown = _shown(where, function, declaration)
        if template is None:
            listing = ResourceListing(
                uri=_checked_uri(uri), size=or_unset(declaration.size), **shown
            )
            resource = Resource(check_listing(where, listing), arguments, declaration, mode)
            self.fixed.add(resource)
            return resource
        if declaration.size is not None:
            raise RegistrationError(f"{where}: a template stands for many resources; omit size")
        entry = ResourceTemplate(
            template,
            check_listing(where, ResourceTemplateListing(uri_template=uri, **shown)),
            arguments,
            declaration,
            mode,
        )
        refuse_twin(uri, self.templates.every())
        self.templates.add(entry)
        return entry

    def add_value(
        self, uri: str, value: Any, **options: Unpack[ResourceOptions]
    ) -> Resource | ResourceTemplate:
        """Register contents that never change: text, bytes, a JSON value, or ready-made contents.

        Args:
            uri: A URI without variables.
            value: The contents.
            options: See ``ResourceDeclaration``; the URI is the name by default, and the size of
                text and bytes is counted.

        Raises:
            RegistrationError: The declaration cannot be served.
        """
        if "{" in uri:
            raise RegistrationError(
                f"resource {uri!r}: a fixed value takes a URI without variables"
            )

        def fixed() -> Any:
            return value

        options.setdefault("name", uri)
        options.setdefault("inline", True)
        if isinstance(value, str | bytes):
            data = value.encode() if isinstance(value, str) else value
            options.setdefault("size", len(data))
        try:
            read_result(value, uri, options.get("mime_type"))
        except ResultError as error:
            raise RegistrationError(f"resource {uri!r}: {error}") from error
        return self.add_function(uri, fixed, **options)

    def remove(self, uri: str) -> None:
        """Forget the resource or template of that URI or template text."""
        self._home(uri).remove(uri)

    def disable(self, uri: str) -> None:
        """Hide the resource or template: not listed and not found, until enabled again."""
        self._home(uri).disable(uri)

    def enable(self, uri: str) -> None:
        """Show a disabled resource or template again, in its old place."""
        self._home(uri).enable(uri)

    def freeze(self) -> None:
        """Refuse every later change."""
        self.fixed.freeze()
        self.templates.freeze()

    def refuse_async(self) -> None:
        """Refuse async handlers, those registered already and those to come.

        Raises:
            RegistrationError: An async handler is registered; the message names it.
        """
        self.fixed.refuse_async()
        self.templates.refuse_async()

    def _home(self, uri: str) -> Registry[Any]:
        return self.templates if "{" in uri else self.fixed


def _shown(
    where: str, function: Callable[..., Any], declaration: ResourceDeclaration
) -> dict[str, Any]:
    """What resources and templates list alike."""
    name, described = declaration.name, declaration.description
    return {
        "name": check_name("resource", name_of(function, "resource") if name is None else name),
        "title": or_unset(declaration.title),
        "description": or_unset(description_of(function) if described is None else described),
        "mime_type": or_unset(declaration.mime_type),
        "annotations": or_unset(check_annotations(where, declaration.annotations)),
        "icons": or_unset(check_icons(where, declaration.icons)),
        "meta": or_unset(check_meta(where, declaration.meta)),
    }


def _check_variables(
    where: str,
    function: Callable[..., Any],
    schema: Mapping[str, Any],
    template: UriTemplate | None,
) -> None:
    """Raise ``RegistrationError`` unless the handler's parameters are the template's variables."""
    parameters = tuple(schema.get("properties", ()))
    variables = () if template is None else template.variables
    query = () if template is None else template.query
    if sorted(parameters) != sorted(variables):
        raise RegistrationError(
            f"{where}: its variables are {_listed(variables)}, but the parameters of "
            f"{describe_function(function)} are {_listed(parameters)}; name them alike (a Context "
            "parameter may be added)"
        )
    if schema.get("additionalProperties") is not False:
        raise RegistrationError(
            f"{where}: {describe_function(function)} takes **kwargs, but a URI holds nothing "
            f"beside its variables {_listed(variables)}; name them as parameters"
        )
    required = [name for name in schema.get("required", ()) if name in query]
    if required:
        raise RegistrationError(
            f"{where}: clients may leave out {{?{required[0]}}}, so the parameter {required[0]!r} "
            f"of {describe_function(function)} needs a default"
        )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _checked_uri(uri: str) -> str:
    scheme, colon, _ = uri.partition(":")
    allowed = scheme.isascii() and scheme[:1].isalpha()
    allowed = allowed and all(char.isalnum() or char in "+-." for char in scheme)
    if colon and allowed and not any(char.isspace() or char < " " for char in uri):
        return uri
    raise RegistrationError(
        f"resource {uri!r}: a URI begins with a scheme and holds no blanks; "
        'write something like "app://settings"'
    )
