"""`allclose problem`: the commands for problem packages, one file each."""

import typer

from app.cli.problem.availability import availability
from app.cli.problem.import_package import import_package
from app.cli.problem.list import list_packages
from app.cli.problem.new import new
from app.cli.problem.preview import preview
from app.cli.problem.publish import publish
from app.cli.problem.schema import schema
from app.cli.problem.verify import verify_packages

app = typer.Typer(help="Problem packages.", no_args_is_help=True)


@app.callback()
def problems() -> None:
    """Problem packages."""


app.command("import")(import_package)
app.command("list")(list_packages)
app.command("new")(new)
app.command("preview")(preview)
app.command("publish")(publish)
app.command("availability")(availability)
app.command("schema")(schema)
app.command("verify")(verify_packages)
