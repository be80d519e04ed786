"""The command `allclose`: one file per command. Each imports what it needs when it runs, so that `--help` is quick."""

from app.cli.main import main

__all__ = ["main"]
