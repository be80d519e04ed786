"""`allclose migrate`: the steps with which every start of `allclose serve` updates the database."""

from typing import Annotated

import typer

from app.settings import read_settings


def migrate(
    data: Annotated[str | None, typer.Option(help="The data folder (or ALLCLOSE_DATA).")] = None,
) -> None:
    """Update the database: upgrade the schema, publish the problems folder, create the first admin.

    `allclose serve` does the same when it starts. If you start several servers at once, run this first.
    """
    from app.cli.console import output
    from app.cli.deployment import open_database
    from app.cli.server import fill

    settings = read_settings(data=data)
    with open_database(settings) as database:
        fill(settings, database)
    output.print("The database is up to date.")
