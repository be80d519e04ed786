"""`allclose admin user`: user accounts."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer
from pydantic_core import to_jsonable_python

from app.cli.admin.console import (
    CURSOR,
    AsJson,
    Data,
    RoleName,
    Username,
    Yes,
    confirm,
    get_user,
    say,
    show_facts,
    show_table,
    transaction,
)
from app.cli.console import print_json
from app.settings import read_settings

app = typer.Typer(help="User accounts.", no_args_is_help=True)

StateName = Literal["active", "suspended", "erased"]


@app.command()
def create(
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
    with transaction(data) as session:
        create_user(session, COMMAND, SignUp(username=username, password=chosen, email=email), role)
    say(f"Created {role} {username}" + ("" if password else f", password {chosen}"))


@app.command("list")
def list_(
    query: Annotated[str, typer.Argument(help="The beginning of the user name or e-mail address.")] = "",
    role: Annotated[RoleName | None, typer.Option()] = None,
    state: Annotated[StateName | None, typer.Option()] = None,
    cursor: Annotated[str | None, typer.Option(help=CURSOR)] = None,
    as_json: AsJson = False,
    data: Data = None,
) -> None:
    """List accounts, the newest first, 50 at a time."""
    from app.admin.user_list import UserFilters, list_users

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
    """Show an account: its role, its sign-in methods and its last activity."""
    from app.admin.user_list import get_account

    with transaction(data) as session:
        account = get_account(session, get_user(session, username).id)
    if as_json:
        print_json(to_jsonable_python(account))
    else:
        show_facts((name.removesuffix("_at").replace("_", " "), value) for name, value in asdict(account).items())


@app.command()
def role(
    username: Username,
    role: Annotated[RoleName, typer.Argument(help="The new role.")],
    data: Data = None,
) -> None:
    """Change a user's role. The change applies from the user's next request."""
    from app.accounts.permission import a_role
    from app.admin.user_change import change_role
    from app.audit import COMMAND

    with transaction(data) as session:
        user = get_user(session, username)
        change_role(session, COMMAND, user.id, role)
    say(f"{user.username} is now {a_role(role)}")


@app.command()
def suspend(username: Username, yes: Yes = False, data: Data = None) -> None:
    """Suspend a user: sessions end immediately and sign-in is refused. The user's data stays."""
    from app.admin.user_change import suspend
    from app.audit import COMMAND

    with transaction(data) as session:
        user = get_user(session, username)
        confirm(f"Suspend {user.username}?", yes)
        suspend(session, COMMAND, user.id)
    say(f"{user.username} is suspended; `allclose admin user reactivate {user.username}` reverses it")


@app.command()
def reactivate(username: Username, data: Data = None) -> None:
    """Reactivate a suspended user."""
    from app.admin.user_change import reactivate
    from app.audit import COMMAND

    with transaction(data) as session:
        user = get_user(session, username)
        reactivate(session, COMMAND, user.id)
    say(f"{user.username} can sign in again")


@app.command("reset-password")
def reset_password(username: Username, data: Data = None) -> None:
    """Print a link with which the user sets a new password. It works once, within an hour."""
    from app.admin.user_change import make_link
    from app.audit import COMMAND

    with transaction(data) as session:
        link = make_link(session, COMMAND, get_user(session, username).id, read_settings(data=data).base_url)
    say(link)


@app.command()
def erase(username: Username, yes: Yes = False, data: Data = None) -> None:
    """Erase a user and their data permanently. An anonymous row remains."""
    from app.admin.erasure import erase
    from app.audit import COMMAND

    with transaction(data) as session:
        user = get_user(session, username)
        name = user.username
        confirm(f"Erase {name} and all of their data? You can't undo this.", yes)
        anonymous_name = erase(session, COMMAND, user.id)
    say(f"{name} is erased; only the anonymous row {anonymous_name} remains")


@app.command()
def export(
    username: Username,
    file: Annotated[Path, typer.Argument(help="The ZIP archive to write.")],
    data: Data = None,
) -> None:
    """Export all personal data of a user to a file, for that user."""
    from app.admin.personal_data import export_user
    from app.audit import COMMAND
    from app.backup.private_file import new_file
    from app.cli.deployment import open_database
    from app.spool import read_chunks

    with open_database(read_settings(data=data)) as database:
        with database.transaction() as session:
            user_id = get_user(session, username).id
        with new_file(file) as target:
            target.writelines(read_chunks(export_user(database, COMMAND, user_id)))
    say(f"Wrote all personal data of {username} to {file}")
