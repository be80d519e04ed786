"""`allclose problem`: the commands for problem packages, one file each."""

from collections.abc import Mapping
from typing import ClassVar

import typer

from app.cli.main import Commands, Place


class ProblemCommands(Commands):
    places: ClassVar[Mapping[str, Place]] = {
        "import": ("app.cli.problem.import_package", "import_package"),
        "list": ("app.cli.problem.list", "list_packages"),
        "new": ("app.cli.problem.new", "new"),
        "preview": ("app.cli.problem.preview", "preview"),
        "publish": ("app.cli.problem.publish", "publish"),
        "availability": ("app.cli.problem.availability", "availability"),
        "schema": ("app.cli.problem.schema", "schema"),
        "verify": ("app.cli.problem.verify", "verify_packages"),
    }


app = typer.Typer(cls=ProblemCommands, help="Problem packages.", no_args_is_help=True)


@app.callback()
def problems() -> None:
    """Problem packages."""
