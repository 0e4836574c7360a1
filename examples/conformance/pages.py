"""Resources, a template, and prompts with every kind of content."""

from typing import Any

from sansmcp_core import Parameter, embedded_text, image, mark, text, user
from sansmcp_schema.content import ContentBlock
from sansmcp_schema.prompts import PromptMessage

from .content import PNG

__all__ = ["FixturePrompts", "FixtureResources"]


class FixtureResources:
    """What can be read and watched."""

    @mark.resource("test://static-text", mime_type="text/plain", inline=True)
    def static_text(self) -> str:
        """A text that never changes."""
        return "This is the content of the static text resource."

    @mark.resource("test://static-binary", mime_type="image/png", size=len(PNG), inline=True)
    def static_binary(self) -> bytes:
        """An image that never changes."""
        return PNG

    @mark.resource("test://watched-resource", mime_type="text/plain")
    def watched_resource(self) -> str:
        """A text to subscribe to."""
        return "Subscribe to this resource and touch it."

    @mark.resource("test://template/{id}/data", mime_type="application/json")
    def template(self, id: str) -> dict[str, Any]:
        """Data for any id."""
        return {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}


class FixturePrompts:
    """One prompt for each kind of message."""

    @mark.prompt
    def test_simple_prompt(self) -> str:
        """A prompt without arguments."""
        return "This is a simple prompt for testing."

    @mark.prompt
    def test_prompt_with_arguments(self, arg1: str, arg2: str) -> str:
        """A prompt with two arguments."""
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    @mark.completion("test_prompt_with_arguments", "arg1")
    def complete_arg1(self, value: str) -> list[str]:
        """Values that begin like what is typed."""
        return [word for word in ("test", "testing", "tests") if word.startswith(value)]

    @mark.prompt(parameters={"resource_uri": Parameter(name="resourceUri")})
    def test_prompt_with_embedded_resource(self, resource_uri: str) -> list[ContentBlock]:
        """A prompt that holds a resource."""
        return [
            embedded_text(resource_uri, "Embedded resource content for testing."),
            text("Please process the embedded resource above."),
        ]

    @mark.prompt
    def test_prompt_with_image(self) -> list[PromptMessage]:
        """A prompt that holds an image."""
        return [user(image(PNG, "image/png")), user("Please analyze the image above.")]
