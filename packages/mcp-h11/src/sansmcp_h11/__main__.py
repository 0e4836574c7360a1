"""``python -m sansmcp_h11 module:server``."""

from ._main import main

__all__: list[str] = []

if __name__ == "__main__":
    main()
