"""Every kind of content that a tool can return."""

from base64 import b64decode

from sansmcp_core import ToolError, audio, embedded_text, image, mark, text
from sansmcp_schema.content import AudioContent, ContentBlock, EmbeddedResource, ImageContent

__all__ = ["PNG", "WAV", "ContentTools"]

PNG = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
"""One pixel."""

WAV = b64decode("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")
"""One sample."""


class ContentTools:
    """Tools that take nothing and return one thing each; quick, so they run inline."""

    @mark.tool(inline=True)
    def test_simple_text(self) -> str:
        """Return one text."""
        return "This is a simple text response for testing."

    @mark.tool(inline=True)
    def test_image_content(self) -> ImageContent:
        """Return one image."""
        return image(PNG, "image/png")

    @mark.tool(inline=True)
    def test_audio_content(self) -> AudioContent:
        """Return one sound."""
        return audio(WAV, "audio/wav")

    @mark.tool(inline=True)
    def test_embedded_resource(self) -> EmbeddedResource:
        """Return one resource with its contents."""
        return embedded_text("test://embedded-resource", "This is an embedded resource content.")

    @mark.tool(inline=True)
    def test_multiple_content_types(self) -> list[ContentBlock]:
        """Return a text, an image and a resource."""
        return [
            text("Multiple content types test:"),
            image(PNG, "image/png"),
            embedded_text(
                "test://mixed-content-resource",
                '{"test":"data","value":123}',
                "application/json",
            ),
        ]

    @mark.tool(inline=True)
    def test_error_handling(self) -> str:
        """Fail, and say so to the model."""
        raise ToolError("This tool intentionally returns an error for testing")
