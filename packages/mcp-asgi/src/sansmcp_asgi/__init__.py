"""An ASGI app for a sansmcp server. Not implemented yet: there is nothing here to use."""

__all__: tuple[str, ...] = ()
