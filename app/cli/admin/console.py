"""Where these commands work, how they ask, and how they show what they found."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.table import Table
from rich.text import Text

from app.cli.console import output, print_whole
from app.settings import read_settings

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.accounts.model import User

Data = Annotated[str | None, typer.Option(help="The data folder (or ALLCLOSE_DATA).")]
AsJson = Annotated[bool, typer.Option("--json", help="For scripts: the object of the REST API.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask first.")]
Moment = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S%z"], help="UTC without a zone.")
]
RoleName = Literal["student", "author", "admin"]
Username = Annotated[str, typer.Argument(help="The account's user name.")]

# Characters of a column of text, and of a fact: one holds a UUID.
LEAST_TEXT = 20
LEAST_FACT = 36


@contextmanager
def transaction(data: str | None) -> Iterator["Session"]:
    """Beside a running server, or without one. Commits at the end of the block."""
    from app.cli.deployment import open_database

    with open_database(read_settings(data=data)) as database, database.transaction() as session:
        yield session


def get_named(session: "Session", username: str) -> "User":
    """Raises NotFound."""
    from app.accounts.user import find_user
    from app.errors import NotFound

    user = find_user(session, username)
    if user is None:
        raise NotFound(f"there is no user {username!r}; `allclose admin user list` shows all of them")
    return user


def confirm(question: str, yes: bool) -> None:
    """Raises typer.Abort, which ends the command with exit code 1."""
    if not yes:
        typer.confirm(question, abort=True)


def aware(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment


def say(text: str) -> None:
    output.print(text, markup=False, highlight=False, soft_wrap=True)


def show_table(headings: Sequence[str], rows: Iterable[Sequence[object]], wrapped: Sequence[str] = ()) -> None:
    """`wrapped`: columns of running text. All others hold what the next command is given, and are never broken."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    texts = [[Text(_cell(value)) for value in row] for row in rows]
    for place, heading in enumerate(headings):
        whole = max(len(heading), *(row[place].cell_len for row in texts), 0)
        is_wrapped = heading in wrapped
        least = min(whole, LEAST_TEXT) if is_wrapped else whole
        table.add_column(heading, overflow="fold", no_wrap=not is_wrapped, min_width=least)
    for row in texts:
        table.add_row(*row)
    print_whole(table)


def show_facts(facts: Iterable[tuple[str, object]]) -> None:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold", min_width=LEAST_FACT)
    for name, value in facts:
        table.add_row(name, Text(_cell(value)))
    print_whole(table)


def fields(found: Any, *names: str) -> tuple[object, ...]:
    return tuple(getattr(found, name) for name in names)


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
