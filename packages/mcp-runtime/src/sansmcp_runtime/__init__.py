"""What the adapters of sansmcp share; each imports the modules that it needs."""

__all__: list[str] = []
