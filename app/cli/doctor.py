"""`allclose doctor`: what this machine lacks, and the command that mends it."""

import shutil
from typing import Annotated

import typer
from rich.markup import escape

from app.cli.console import output
from app.settings import read_settings
from sandbox.check_host import Finding, check_host

MARKS = {"fine": "[green]fine   [/]", "weak": "[yellow]weak   [/]", "missing": "[red]missing[/]"}


def doctor(data: Annotated[str | None, typer.Option(help="The data folder (or ALLCLOSE_DATA).")] = None) -> None:
    """Say what this machine lacks, and the command that mends it. Exit code 1 when it can't judge."""
    settings = read_settings(data=data)
    with output.status("opening boxes …"):
        findings = [*check_host(settings.runtime), check_database(settings.database_url), check_browser()]
    for finding in findings:
        output.print(f"{MARKS[finding.level]} [bold]{escape(finding.name)}[/]: {escape(finding.text)}", soft_wrap=True)
        if finding.remedy:
            output.print(f"        → {escape(finding.remedy)}", soft_wrap=True)
    raise typer.Exit(any(finding.level == "missing" for finding in findings))


def check_database(url: str | None) -> Finding:
    """Whether a PostgreSQL that was named answers; the embedded one needs nothing of the host."""
    if url is None:
        return Finding(name="database", level="fine", text="the embedded PostgreSQL")
    from sqlalchemy import create_engine, text
    from sqlalchemy.exc import SQLAlchemyError

    from app.cli.deployment import with_driver

    try:
        with create_engine(with_driver(url)).connect() as connection:
            version = connection.execute(text("SHOW server_version")).scalar()
    except SQLAlchemyError as error:
        reason = str(error.__cause__ or error).strip().splitlines()[0]
        remedy = "start that server, or correct or unset ALLCLOSE_DATABASE_URL"
        return Finding(name="database", level="missing", text=f"it does not answer ({reason})", remedy=remedy)
    return Finding(name="database", level="fine", text=f"PostgreSQL {version} answers")


def check_browser() -> Finding:
    """For the tests only."""
    if path := shutil.which("chromium"):
        return Finding(name="browser tests", level="fine", text=path)
    text = "no Chromium: `make test` skips the browser tests (running Allclose does not need it)"
    return Finding(name="browser tests", level="fine", text=text, remedy="sudo apt-get install chromium")
