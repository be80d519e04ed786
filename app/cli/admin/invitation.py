"""`allclose admin user invite`, `invitations` and `withdraw`: links with which one person creates an account."""

from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer
from pydantic_core import to_jsonable_python

from app.cli.admin.console import CURSOR, AsJson, Data, RoleName, fields, say, show_table, transaction
from app.cli.console import print_json
from app.settings import Settings, read_settings

if TYPE_CHECKING:
    from app.accounts.invitation import NewInvitation
    from app.accounts.mail import Message

MADE = ("id", "role", "email", "note", "expires_at")
LISTED = ("id", "state", "role", "email", "note", "created_by", "expires_at", "used_by")


def invite(
    role: Annotated[RoleName, typer.Option(help="The role of the new account.")] = "student",
    email: Annotated[
        str | None, typer.Option(help="Also send the link to this address, if a mail server is configured.")
    ] = None,
    note: Annotated[str, typer.Option(help="A note that only admins see.")] = "",
    days: Annotated[int, typer.Option(min=1, max=90, help="The number of days until the invitation expires.")] = 7,
    as_json: AsJson = False,
    data: Data = None,
) -> None:
    """Print a link with which one person can create an account. The link works once."""
    from app.accounts.invitation import Invite
    from app.accounts.invitation import invite as make
    from app.audit import COMMAND

    settings = read_settings(data=data)
    with transaction(data) as session:
        new = make(session, COMMAND, Invite(role=role, email=email, note=note, days=days))
        made, link = _describe(new), new.link(settings.base_url)
        letter = new.letter(settings.base_url)
    if letter is not None:
        _mail(letter, settings)
    if as_json:
        print_json(to_jsonable_python(made | {"link": link, "invitation": new.secret}))
    else:
        say(link)


def invitations(
    cursor: Annotated[str | None, typer.Option(help=CURSOR)] = None,
    as_json: AsJson = False,
    data: Data = None,
) -> None:
    """List invitations, the newest first, 50 at a time. Allclose does not store their links."""
    from app.accounts.invitation import list_invitations

    with transaction(data) as session:
        page = list_invitations(session, cursor)
    if as_json:
        print_json(to_jsonable_python(page))
        return
    headings = ("id", "state", "role", "e-mail", "note", "by", "ends", "used by")
    show_table(headings, (fields(each, *LISTED) for each in page.items), wrapped=("note",))
    if page.next:
        say(f"More: --cursor {page.next}")


def withdraw(
    invitation: Annotated[UUID, typer.Argument(help="The invitation's ID, as `invitations` shows it.")],
    data: Data = None,
) -> None:
    """Revoke an invitation: its link stops working."""
    from app.accounts.invitation import revoke_invitation
    from app.audit import COMMAND

    with transaction(data) as session:
        revoke_invitation(session, COMMAND, invitation)
    say(f"The invitation {invitation} no longer works")


def _describe(new: "NewInvitation") -> dict[str, Any]:
    from app.accounts.invitation import state_of

    return {"state": state_of(new.invitation)} | {name: getattr(new.invitation, name) for name in MADE}


def _mail(letter: "Message", settings: Settings) -> None:
    """Send the mail if a mail server is configured. A failure is logged and not raised."""
    from app.accounts.mail import open_outbox

    outbox = open_outbox(settings)
    outbox.send(letter)
    outbox.close()
