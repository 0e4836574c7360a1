"""What is raised for a schema that cannot be used."""

__all__ = ["WAYS_OUT", "SchemaError", "UnenforceableKeyword"]

WAYS_OUT = (
    "install the [jsonschema] extra (pip install 'sansmcp-schema[jsonschema]'), whose engine "
    "enforces all of 2020-12 and draft-07, or mark the tool as validated by the application"
)


class SchemaError(ValueError):
    """A schema that is malformed, too large, or refers to something that is not in it.

    Args:
        keyword: The keyword at fault; an empty string where the schema as a whole is.
        path: JSON pointer (RFC 6901) to the subschema that holds it, an empty string for the root.
        problem: What is wrong, what was expected, and how to mend it.
    """

    def __init__(self, keyword: str, path: str, problem: str) -> None:
        named = f' keyword "{keyword}":' if keyword else ""
        super().__init__(f"schema at #{path}:{named} {problem}")
        self.keyword = keyword
        self.path = path
        self.problem = problem

    def __reduce__(self) -> tuple[type["SchemaError"], tuple[str, str, str]]:
        return type(self), (self.keyword, self.path, self.problem)


class UnenforceableKeyword(SchemaError):
    """A well-formed keyword that the subset cannot enforce; the other engine may."""
