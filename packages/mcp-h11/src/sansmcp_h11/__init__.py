"""An HTTP/1.1 server for a sansmcp server. Not implemented yet: there is nothing here to use."""

__all__: tuple[str, ...] = ()
