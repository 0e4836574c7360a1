"""A value that JSON has not, and whose text is the same in every process."""

__all__ = ["Opaque"]


class Opaque:
    def __repr__(self) -> str:
        return "Opaque()"
