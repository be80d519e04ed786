"""The command `allclose`, one file per command. A command imports its modules when it runs, so `--help` is quick."""

from app.cli.main import main

__all__ = ["main"]
