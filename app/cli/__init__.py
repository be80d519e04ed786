"""The command `allclose`, one file per command. A command imports its modules when it runs, so `--help` is quick.

To add a command, write a function with `Annotated` options, whose docstring is the help, and add it to `COMMANDS` in
`main.py`. Print results to `output`, and progress and errors to `errors` (`console.py`). The terminal shows an
`AllcloseError` or `SandboxError` as its message, with exit code 2 for a wrong request and 3 for a failed judge or
sandbox. Test it in `tests/cli/` by running the command as people type it.
"""

from app.cli.main import main

__all__ = ["main"]
