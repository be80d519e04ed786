"""`allclose admin`: what an admin needs on the machine itself, also while no server runs.

The pages and the REST API do everything else. Each command works on the database, so that it helps an admin who can't
sign in. The audit log records the channel `command` and no user.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from app.cli.console import errors, output
from app.settings import Settings, read_settings

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.accounts.model import User
    from app.backup.archive import Manifest
    from app.database.engine import Database

Data = Annotated[str | None, typer.Option(help="The data folder (or ALLCLOSE_DATA).")]
RoleName = Literal["student", "author", "admin"]
Username = Annotated[str, typer.Argument(help="The account's user name.")]

app = typer.Typer(help="Administration. Needs access to the database.", no_args_is_help=True)
users = typer.Typer(help="User accounts.", no_args_is_help=True)
tokens = typer.Typer(help="API tokens.", no_args_is_help=True)
app.add_typer(users, name="user")
app.add_typer(tokens, name="token")


@users.command("create")
def create_user(
    username: Annotated[str, typer.Argument(help="3 to 32 characters from a-z, 0-9, _ and -.")],
    role: Annotated[RoleName, typer.Option()] = "student",
    email: Annotated[str | None, typer.Option()] = None,
    password: Annotated[str | None, typer.Option(help="At least 10 characters. Default: a generated one.")] = None,
    data: Data = None,
) -> None:
    """Create an account. Prints the password if Allclose generated it."""
    from app.accounts.password import generate_password
    from app.accounts.user import SignUp
    from app.admin.user_change import create_user
    from app.audit import COMMAND

    chosen = password or generate_password()
    with _transaction(data) as session:
        create_user(session, COMMAND, SignUp(username=username, password=chosen, email=email), role)
    _say(f"Created {role} {username}" + ("" if password else f", password {chosen}"))


@users.command("role")
def change_role(
    username: Username,
    role: Annotated[RoleName, typer.Argument(help="The new role.")],
    data: Data = None,
) -> None:
    """Change a user's role. The change applies from the user's next request."""
    from app.accounts.permission import a_role
    from app.admin.user_change import change_role
    from app.audit import COMMAND

    with _transaction(data) as session:
        user = _get_user(session, username)
        change_role(session, COMMAND, user.id, role)
    _say(f"{user.username} is now {a_role(role)}")


@users.command()
def reactivate(username: Username, data: Data = None) -> None:
    """Reactivate a suspended user."""
    from app.admin.user_change import reactivate
    from app.audit import COMMAND

    with _transaction(data) as session:
        user = _get_user(session, username)
        reactivate(session, COMMAND, user.id)
    _say(f"{user.username} can sign in again")


@users.command("reset-password")
def reset_password(username: Username, data: Data = None) -> None:
    """Print a link with which the user sets a new password. It works once, within an hour."""
    from app.admin.user_change import make_link
    from app.audit import COMMAND

    with _transaction(data) as session:
        link = make_link(session, COMMAND, _get_user(session, username).id, read_settings(data=data).base_url)
    _say(link)


@tokens.command("create")
def create_token(
    username: Username,
    name: Annotated[str, typer.Option(help="A name that says what the token is for.")] = "token",
    scope: Annotated[
        list[str] | None, typer.Option(help="A scope of the token (see /help/rights); repeatable. Default: all scopes.")
    ] = None,
    days: Annotated[
        int | None, typer.Option(help="The number of days until the token expires. Default: never.")
    ] = None,
    data: Data = None,
) -> None:
    """Create a token and print it. Allclose never shows it again."""
    from app.accounts.own_account import make_token
    from app.accounts.token import Bounds
    from app.audit import COMMAND

    bounds = Bounds(scopes=scope or None, expires_in_days=days)
    with _transaction(data) as session:
        new = make_token(session, COMMAND, _get_user(session, username), name, bounds)
    _say(new.secret)


@tokens.callback()
def only_tokens() -> None:
    """API tokens."""


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="The file to write. It holds password hashes and hidden seeds.")],
    data: Data = None,
) -> None:
    """Back up the database to one file. The service keeps running."""
    from app.audit import COMMAND
    from app.backup.archive import back_up, write_sizes
    from app.cli.deployment import open_database

    with open_database(read_settings(data=data)) as database, errors.status("backing up …"):
        manifest = back_up(database, file, COMMAND)
    _say(f"{file} has {write_sizes(manifest.rows)}; {_size(file)}")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A file that `allclose admin backup` wrote.")],
    replace: Annotated[bool, typer.Option("--replace", help="Delete the data that is in the database first.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    data: Data = None,
) -> None:
    """Restore all of a backup, or nothing. Stop the service first."""
    from app.audit import COMMAND
    from app.backup.archive import write_sizes
    from app.backup.restore import look_through, present_rows
    from app.backup.restore import restore as put_in_place

    manifest = look_through(file)
    with _exclusive_database(read_settings(data=data)) as database:
        present = present_rows(database)
        if present and replace and not yes:
            typer.confirm(f"{_warning(present, manifest)} Continue?", abort=True)
        with errors.status("restoring …"):
            put_in_place(database, file, COMMAND, replace=replace)
    _say(f"Restored {write_sizes(manifest.rows)}, as of {manifest.made_at:%Y-%m-%d %H:%M} UTC")


@contextmanager
def _transaction(data: str | None) -> "Iterator[Session]":
    """Open a transaction, whether or not a server is running. It commits at the end of the block."""
    from app.cli.deployment import open_database

    with open_database(read_settings(data=data)) as database, database.transaction() as session:
        yield session


def _get_user(session: "Session", username: str) -> "User":
    """Raises NotFound."""
    from app.accounts.user import find_user
    from app.errors import NotFound

    user = find_user(session, username)
    if user is None:
        raise NotFound(f"there is no user {username!r}; the page /admin/users lists all users")
    return user


def _say(text: str) -> None:
    output.print(text, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def _exclusive_database(settings: Settings) -> "Iterator[Database]":
    """Open the database. An embedded server is held exclusively. Raises ServiceRuns, NoDatabase."""
    from app.backup.swap import ServiceRuns
    from app.cli.deployment import database_at, postgres_options, with_driver
    from app.database.embedded_server import DataFolderInUse, own

    if settings.database_url:
        with database_at(with_driver(settings.database_url)) as database:
            yield database
        return
    try:
        postgres = own(settings.data / "postgres", postgres_options(settings))
    except DataFolderInUse:
        raise ServiceRuns(f"Allclose is running with the data folder {settings.data}") from None
    with postgres, database_at(postgres.url) as database:
        yield database


def _warning(present: Mapping[str, int], manifest: "Manifest") -> str:
    from app.backup.archive import write_sizes

    made = f"{manifest.made_at:%Y-%m-%d %H:%M} UTC"
    here, there = write_sizes(present), write_sizes(manifest.rows)
    return f"The database has {here}. The backup of {made} has {there} and replaces all of it."


def _size(file: Path) -> str:
    return f"{file.stat().st_size / 1e6:,.1f} MB"
