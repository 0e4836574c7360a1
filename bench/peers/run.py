"""Measure MCP servers, and the floors beneath them, on one machine. See bench/README.md."""

from harness.command import main  # type: ignore[import-not-found] # lies beside this file

if __name__ == "__main__":
    main()
