"""`allclose course list`: your courses on a server, and what is due."""

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from app.cli.console import output, print_json
from app.cli.follow import PLAIN
from app.cli.remote import open_client, require_token
from app.settings import read_settings

app = typer.Typer(no_args_is_help=True, help="See your courses on a server.")


@app.callback()
def course() -> None:
    """See your courses on a server."""


@app.command("list")
def list_courses(
    as_json: Annotated[bool, typer.Option("--json", help="Print both lists as JSON.")] = False,
    server: Annotated[str | None, typer.Option(help="The address of the Allclose server (or ALLCLOSE_SERVER).")] = None,
) -> None:
    """List your courses, and the assignments that you can hand in now, the next due first."""
    settings = read_settings(server=server)
    with open_client(settings.server, token=require_token(settings)) as client:
        courses, due = client.list_courses(), client.list_due()
    if as_json:
        print_json(
            {
                "courses": [each.model_dump(mode="json") for each in courses],
                "due": [each.model_dump(mode="json") for each in due],
            }
        )
        return
    if not courses:
        output.print(f"You are in no course. Join one with its code: {settings.server}/courses", **PLAIN)
        return
    table = Table("Course", "Title", "You are", "State", box=None, pad_edge=False)
    for each in courses:
        table.add_row(each.slug, escape(each.title), each.role, each.state)
    output.print(table)
    for task in due:
        until = f"{task.until.astimezone():%a %Y-%m-%d %H:%M %Z}"
        words = f"late, closes {until}" if task.is_late else f"due {until}"
        output.print(f"{task.course}/{task.assignment}: {task.title}, {words}", **PLAIN)
