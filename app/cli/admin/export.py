"""`allclose admin export`: write tables of the database to files."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from app.cli.admin.console import Data, Since, Until, aware, say
from app.judging.verdicts import Verdict
from app.settings import read_settings

app = typer.Typer(help="Export data to a file.", no_args_is_help=True)


@app.callback()
def exports() -> None:
    """Export data to a file."""


@app.command()
def submissions(
    file: Annotated[Path, typer.Argument(help="The file to write.")],
    format: Annotated[Literal["ndjson", "csv"], typer.Option()] = "ndjson",
    source: Annotated[bool, typer.Option("--source", help="Include the source code.")] = False,
    problem: Annotated[str | None, typer.Option(help="Only submissions to the problem with this slug.")] = None,
    user: Annotated[str | None, typer.Option(help="Only submissions of this user.")] = None,
    verdict: Annotated[Verdict | None, typer.Option(help="Only submissions with this verdict.")] = None,
    since: Since = None,
    until: Until = None,
    data: Data = None,
) -> None:
    """Export all users' submissions, one per line, the newest first."""
    from app.admin.submission import export_submissions, record_submissions_export
    from app.audit import COMMAND
    from app.backup.private_file import new_file
    from app.cli.deployment import open_database
    from app.submissions.query import HistoryFilters

    filters = HistoryFilters(problem=problem, user=user, verdict=verdict, since=aware(since), until=aware(until))
    with open_database(read_settings(data=data)) as database, new_file(file) as target:
        with database.snapshot() as session:
            table = export_submissions(session, filters, format, with_source=source)
            target.writelines(piece.encode() for piece in table.pieces())
        with database.transaction() as session:
            record_submissions_export(session, COMMAND, filters, with_source=source)
    say(f"Wrote {file}")
