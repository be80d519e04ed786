"""The options, transaction, confirmation and tables that the `allclose admin` commands share."""

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
AsJson = Annotated[bool, typer.Option("--json", help="Print the REST API's object, for scripts.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]
_MOMENT = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S%z"]
Since = Annotated[
    datetime | None, typer.Option(formats=_MOMENT, help="Only from this time on; UTC unless you give a time zone.")
]
Until = Annotated[
    datetime | None, typer.Option(formats=_MOMENT, help="Only before this time; UTC unless you give a time zone.")
]
CURSOR = "The cursor that the previous page printed."
RoleName = Literal["student", "author", "admin"]
Username = Annotated[str, typer.Argument(help="The account's user name.")]

# Characters. A fact may be a UUID, which has 36.
MIN_TEXT_WIDTH = 20
MIN_FACT_WIDTH = 36


@contextmanager
def transaction(data: str | None) -> Iterator["Session"]:
    """Open a transaction, whether or not a server is running. It commits at the end of the block."""
    from app.cli.deployment import open_database

    with open_database(read_settings(data=data)) as database, database.transaction() as session:
        yield session


def get_user(session: "Session", username: str) -> "User":
    """Raises NotFound."""
    from app.accounts.user import find_user
    from app.errors import NotFound

    user = find_user(session, username)
    if user is None:
        raise NotFound(f"there is no user {username!r}; `allclose admin user list` lists all users")
    return user


def confirm(question: str, yes: bool) -> None:
    """Ask unless `yes`. A no raises typer.Abort, which ends the command with exit code 1."""
    if not yes:
        typer.confirm(question, abort=True)


def aware(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment


def say(text: str) -> None:
    output.print(text, markup=False, highlight=False, soft_wrap=True)


def show_table(headings: Sequence[str], rows: Iterable[Sequence[object]], wrapped: Sequence[str] = ()) -> None:
    """Wrap only the `wrapped` columns. The others hold identifiers that you may copy into the next command."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    texts = [[Text(_cell(value)) for value in row] for row in rows]
    for index, heading in enumerate(headings):
        width = max(len(heading), *(row[index].cell_len for row in texts), 0)
        is_wrapped = heading in wrapped
        min_width = min(width, MIN_TEXT_WIDTH) if is_wrapped else width
        table.add_column(heading, overflow="fold", no_wrap=not is_wrapped, min_width=min_width)
    for row in texts:
        table.add_row(*row)
    print_whole(table)


def show_facts(facts: Iterable[tuple[str, object]]) -> None:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold", min_width=MIN_FACT_WIDTH)
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
