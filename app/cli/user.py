"""`allclose user`: accounts, by whoever may reach the database."""

import secrets
from typing import Annotated, Literal

import typer

from app.cli.console import output
from app.settings import read_settings

app = typer.Typer(help="Accounts.", no_args_is_help=True)


@app.callback()
def users() -> None:
    """Accounts."""


@app.command()
def create(
    username: Annotated[str, typer.Argument(help="3 to 32 of a-z, 0-9, _ and -.")],
    role: Annotated[Literal["student", "author", "admin"], typer.Option()] = "student",
    email: Annotated[str | None, typer.Option()] = None,
    password: Annotated[str | None, typer.Option(help="At least 10 characters; generated when left out.")] = None,
    data: Annotated[str | None, typer.Option(help="The data folder (or ALLCLOSE_DATA).")] = None,
) -> None:
    """Create an account; prints the password when it was generated."""
    from app.accounts.user import SignUp, sign_up
    from app.cli.deployment import open_database

    chosen = password or generate_password()
    with open_database(read_settings(data=data)) as database, database.transaction() as session:
        sign_up(session, SignUp(username=username, password=chosen, email=email), role=role)
    output.print(f"Created {role} [bold]{username}[/]" + ("" if password else f", password [bold]{chosen}[/]"))


@app.command()
def role(
    username: Annotated[str, typer.Argument(help="The account's user name.")],
    role: Annotated[Literal["student", "author", "admin"], typer.Argument(help="What it may do from now on.")],
    data: Annotated[str | None, typer.Option(help="The data folder (or ALLCLOSE_DATA).")] = None,
) -> None:
    """Make somebody an author, an admin, or a student again. It holds from their next request on."""
    from app.accounts.user import set_role
    from app.cli.deployment import open_database

    with open_database(read_settings(data=data)) as database, database.transaction() as session:
        name = set_role(session, username, role).username
    output.print(f"[bold]{name}[/] is {'a student' if role == 'student' else f'an {role}'} now")


def generate_password() -> str:
    return secrets.token_urlsafe(15)
