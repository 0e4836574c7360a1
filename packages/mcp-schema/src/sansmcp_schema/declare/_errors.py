"""What can be wrong with a declaration, with a value a handler returned, and with one argument."""

__all__ = ["DeclarationError", "Mismatch", "ResultError", "UndefinedNameError"]


class DeclarationError(TypeError):
    """A declaration that cannot be published or enforced; the message names it and the way out."""


class UndefinedNameError(DeclarationError):
    """A postponed annotation uses a name that is not defined (yet).

    Args:
        where: The tool and parameter, as they are named in messages.
        name: The name that is not defined.
    """

    def __init__(self, where: str, name: str) -> None:
        super().__init__(
            f"{where}: its annotation uses the name {name!r}, which is not defined; "
            "import or define it at run time (not only under TYPE_CHECKING)"
        )
        self.where = where
        self.name = name


class ResultError(ValueError):
    """A handler returned what its declaration does not allow, or what JSON cannot hold."""


class Mismatch(Exception):
    """One JSON value that its schema accepts and its Python type does not.

    Args:
        expected: What the type wants, in words: ``an RFC 3339 date-time``.
        value: The JSON value that arrived.
        path: Keys and indexes from the argument to the value.
        detail: What the author's own code said; it may quote the value.
    """

    def __init__(
        self,
        expected: str,
        value: object,
        path: tuple[str | int, ...] = (),
        detail: str = "",
    ) -> None:
        super().__init__(expected)
        self.expected = expected
        self.value = value
        self.path = path
        self.detail = detail

    def under(self, step: str | int) -> "Mismatch":
        """The same mismatch seen from the container that holds the value at ``step``."""
        return Mismatch(self.expected, self.value, (step, *self.path), self.detail)
