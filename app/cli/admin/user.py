"""`allclose admin user`: accounts."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer
from pydantic_core import to_jsonable_python

from app.cli.admin.console import (
    AsJson,
    Data,
    RoleName,
    Username,
    Yes,
    confirm,
    get_named,
    say,
    show_facts,
    show_table,
    transaction,
)
from app.cli.console import print_json
from app.settings import read_settings

app = typer.Typer(help="Accounts.", no_args_is_help=True)

StateName = Literal["active", "suspended", "erased"]


@app.command()
def create(
    username: Annotated[str, typer.Argument(help="3 to 32 of a-z, 0-9, _ and -.")],
    role: Annotated[RoleName, typer.Option()] = "student",
    email: Annotated[str | None, typer.Option()] = None,
    password: Annotated[str | None, typer.Option(help="At least 10 characters; generated when left out.")] = None,
    data: Data = None,
) -> None:
    """Create an account; prints the password when it was generated."""
    from app.accounts.password import generate_password
    from app.accounts.user import SignUp
    from app.audit import COMMAND
    from app.people.administration import create_user

    chosen = password or generate_password()
    with transaction(data) as session:
        create_user(session, COMMAND, SignUp(username=username, password=chosen, email=email), role)
    say(f"Created {role} {username}" + ("" if password else f", password {chosen}"))


@app.command("list")
def list_(
    query: Annotated[str, typer.Argument(help="What a name or an e-mail address begins with.")] = "",
    role: Annotated[RoleName | None, typer.Option()] = None,
    state: Annotated[StateName | None, typer.Option()] = None,
    cursor: Annotated[str | None, typer.Option(help="`next` of the page before.")] = None,
    as_json: AsJson = False,
    data: Data = None,
) -> None:
    """List accounts, the newest first, 50 at a time."""
    from app.people.query import UserFilters, list_users

    with transaction(data) as session:
        page = list_users(session, UserFilters(q=query, role=role, state=state), cursor)
    if as_json:
        print_json(to_jsonable_python(page))
        return
    columns = ("username", "role", "state", "email", "created_at", "last_seen_at", "submissions")
    rows = ([getattr(person, name) for name in columns] for person in page.items)
    show_table(("user", "role", "state", "e-mail", "created", "last seen", "submissions"), rows)
    if page.next:
        say(f"More: --cursor {page.next}")


@app.command()
def show(username: Username, as_json: AsJson = False, data: Data = None) -> None:
    """Show an account: its role, how its owner signs in, when they were last here."""
    from app.people.query import get_account

    with transaction(data) as session:
        account = get_account(session, get_named(session, username).id)
    if as_json:
        print_json(to_jsonable_python(account))
    else:
        show_facts((name.removesuffix("_at").replace("_", " "), value) for name, value in asdict(account).items())


@app.command()
def role(
    username: Username,
    role: Annotated[RoleName, typer.Argument(help="What it may do from now on.")],
    data: Data = None,
) -> None:
    """Make somebody an author, an admin, or a student again. It holds from their next request on."""
    from app.accounts.permission import a_role
    from app.audit import COMMAND
    from app.people.administration import change_role

    with transaction(data) as session:
        user = get_named(session, username)
        change_role(session, COMMAND, user.id, role)
    say(f"{user.username} is {a_role(role)} now")


@app.command()
def suspend(username: Username, yes: Yes = False, data: Data = None) -> None:
    """Let somebody in no more; their sessions end now, and everything of theirs stays."""
    from app.audit import COMMAND
    from app.people.administration import suspend

    with transaction(data) as session:
        user = get_named(session, username)
        confirm(f"Suspend {user.username}?", yes)
        suspend(session, COMMAND, user.id)
    say(f"{user.username} is suspended; `allclose admin user reactivate {user.username}` lets them in again")


@app.command()
def reactivate(username: Username, data: Data = None) -> None:
    """Let somebody in again who was suspended."""
    from app.audit import COMMAND
    from app.people.administration import reactivate

    with transaction(data) as session:
        user = get_named(session, username)
        reactivate(session, COMMAND, user.id)
    say(f"{user.username} may sign in again")


@app.command("reset-password")
def reset_password(username: Username, data: Data = None) -> None:
    """Print a link by which somebody chooses a new password; it works once, for an hour."""
    from app.audit import COMMAND
    from app.people.administration import make_link

    with transaction(data) as session:
        link = make_link(session, COMMAND, get_named(session, username).id, read_settings(data=data).base_url)
    say(link)


@app.command()
def erase(username: Username, yes: Yes = False, data: Data = None) -> None:
    """Remove a person and all that they wrote, for good; a row without a name is left."""
    from app.audit import COMMAND
    from app.people.erasure import erase

    with transaction(data) as session:
        user = get_named(session, username)
        name = user.username
        confirm(f"Erase {name} and all that they wrote? This can't be undone.", yes)
        left = erase(session, COMMAND, user.id)
    say(f"{name} is erased; {left} is left of them")


@app.command()
def export(
    username: Username,
    file: Annotated[Path, typer.Argument(help="Where to write it: a ZIP archive.")],
    data: Data = None,
) -> None:
    """Write all that there is of a person into a file, for them."""
    from app.audit import COMMAND
    from app.backup.private_file import new_file
    from app.cli.deployment import open_database
    from app.people.personal_data import export_user
    from app.spool import read_chunks

    with open_database(read_settings(data=data)) as database:
        with database.transaction() as session:
            user_id = get_named(session, username).id
        with new_file(file) as target:
            target.writelines(read_chunks(export_user(database, COMMAND, user_id)))
    say(f"{file} holds all that there is of {username}")
