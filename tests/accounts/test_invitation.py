"""Invitations, and who may sign up without one."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from sqlalchemy import func, select

from app.accounts.invitation import InvitationSpent as Spent
from app.accounts.invitation import (
    Invite,
    NewInvitation,
    get_invitation,
    invite,
    list_invitations,
    revoke_invitation,
)
from app.accounts.model import Invitation, User
from app.accounts.sign_up import Applicant, InvitationMissing, SignUpClosed, join
from app.accounts.user import SignUp, sign_up
from app.audit import COMMAND, AuditEvent
from app.database.cursor import PAGE
from app.database.engine import Database
from app.errors import AllcloseError, Conflict, Invalid, NotFound
from app.limits import Limits, RateLimitReached
from app.policy import PolicyRow
from tests.transaction import commit

PASSWORD = "correct horse"


def make(database: Database, **wanted: object) -> NewInvitation:
    return commit(database, invite, COMMAND, Invite(**wanted))  # type: ignore[arg-type]


def enter(database: Database, username: str, secret: str | None = None, limits: Limits | None = None) -> User:
    applicant = Applicant(channel="page", address="192.0.2.1", invitation=secret)
    with database.transaction() as session:
        wanted = SignUp(username=username, password=PASSWORD)
        return join(session, limits or Limits(), applicant, wanted)


def set_mode(database: Database, mode: str) -> None:
    with database.transaction() as session:
        session.add(PolicyRow(name="sign_up", value=mode))


def test_an_invitation_gives_its_role_to_one_person(database: Database) -> None:
    new = make(database, role="author")

    assert enter(database, "ada", new.secret).role == "author"
    with pytest.raises(Spent, match=r"was already used\. Ask the person who sent it for another one"):
        enter(database, "eve", new.secret)

    with database.transaction() as session:
        kept = session.scalars(select(Invitation)).one()
        assert kept.used_at is not None
        assert session.get_one(User, kept.used_by).username == "ada"
        assert new.secret.encode() not in kept.token_hash


def test_of_two_who_use_it_at_once_one_comes_in(database: Database) -> None:
    new = make(database, role="admin")

    def attempt(number: int) -> bool:
        try:
            enter(database, f"user-{number}", new.secret)
        except Spent:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        came_in = list(threads.map(attempt, range(8)))

    assert sum(came_in) == 1
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(User)) == 1


def test_a_failed_sign_up_does_not_use_it_up(database: Database) -> None:
    enter(database, "ada")
    new = make(database)

    with pytest.raises(Conflict):
        enter(database, "ada", new.secret)
    with pytest.raises(Invalid):
        enter(database, "a", new.secret)

    assert enter(database, "grace", new.secret).role == "student"


def test_an_old_and_a_revoked_one_say_what_they_are(database: Database) -> None:
    old, revoked = make(database), make(database)
    with database.transaction() as session:
        session.get_one(Invitation, old.invitation.id).expires_at = datetime.now(UTC) - timedelta(seconds=1)
        revoke_invitation(session, COMMAND, revoked.invitation.id)
        revoke_invitation(session, COMMAND, revoked.invitation.id)

    said = {old.secret: "has expired", revoked.secret: "was revoked", "x": "no such invitation"}
    for secret, sentence in said.items():
        with pytest.raises(Spent, match=sentence):
            enter(database, "ada", secret)


def test_one_that_was_used_can_not_be_revoked(database: Database) -> None:
    new = make(database)
    enter(database, "ada", new.secret)

    with database.transaction() as session:
        with pytest.raises(Conflict, match="Suspend the account"):
            revoke_invitation(session, COMMAND, new.invitation.id)
        with pytest.raises(NotFound):
            revoke_invitation(session, COMMAND, uuid4())


@pytest.mark.parametrize("secret", ["", "\0", "\ud800", "x" * 100_000])
def test_a_made_up_invitation_is_refused(database: Database, secret: str) -> None:
    make(database)

    with pytest.raises(Spent), database.transaction() as session:
        get_invitation(session, secret)


@pytest.mark.parametrize(
    ("wanted", "field"),
    [
        ({"days": 0}, "days"),
        ({"days": 91}, "days"),
        ({"note": "x" * 201}, "note"),
        ({"note": "\0"}, "note"),
        ({"email": "nowhere"}, "email"),
        ({"email": "ada@example.org\nBcc: eve@example.org"}, "email"),
    ],
)
def test_an_invalid_invitation_is_refused_by_its_field(
    database: Database, wanted: dict[str, object], field: str
) -> None:
    with pytest.raises(Invalid) as caught:
        make(database, **wanted)

    assert caught.value.field == field


@pytest.mark.parametrize(("mode", "refusal"), [("invitation", InvitationMissing), ("closed", SignUpClosed)])
def test_who_has_no_invitation_signs_up_only_where_that_is_open(
    database: Database, mode: str, refusal: type[AllcloseError]
) -> None:
    enter(database, "before")
    set_mode(database, mode)

    with pytest.raises(refusal, match="Ask an admin"):
        enter(database, "ada")
    assert commit(database, sign_up, SignUp(username="by-an-admin", password=PASSWORD)).username == "by-an-admin"


def test_where_signing_up_is_closed_no_invitation_opens_it(database: Database) -> None:
    new = make(database)
    set_mode(database, "closed")

    with pytest.raises(SignUpClosed):
        enter(database, "ada", new.secret)


def test_an_address_makes_so_many_accounts_and_invited_people_are_not_counted(database: Database) -> None:
    limits = Limits()
    for _ in range(299):
        limits.new_accounts.use("192.0.2.1")
    enter(database, "ada", limits=limits)

    with pytest.raises(RateLimitReached, match="More than 300 sign-ups from your network in 1 hour"):
        enter(database, "grace", limits=limits)
    assert enter(database, "grace", make(database).secret, limits).username == "grace"


def test_the_audit_log_has_invitations_without_secrets_and_addresses(database: Database) -> None:
    new = make(database, email="ada@example.org", role="author")
    enter(database, "ada", new.secret)
    commit(database, revoke_invitation, COMMAND, make(database).invitation.id)

    with database.transaction() as session:
        events = session.scalars(select(AuditEvent).order_by(AuditEvent.id)).all()
        user = session.scalars(select(User)).one()
    assert [event.action for event in events] == [
        "invitation.made",
        "invitation.used",
        "invitation.made",
        "invitation.revoked",
    ]
    assert (events[1].actor_id, events[1].channel, events[1].address) == (user.id, "page", "192.0.2.1")
    assert events[1].after == {"user": str(user.id), "role": "author"}
    told = str([(event.before, event.after) for event in events])
    assert new.secret not in told
    assert "example.org" not in told


def test_the_list_goes_on_page_by_page_newest_first(database: Database) -> None:
    secrets = [make(database, note=str(number)).secret for number in range(PAGE + 2)]
    enter(database, "ada", secrets[-1])

    with database.transaction() as session:
        first = list_invitations(session)
        rest = list_invitations(session, first.next)

    assert [item.note for item in (*first.items, *rest.items)] == [str(n) for n in reversed(range(PAGE + 2))]
    assert (first.items[0].state, first.items[0].used_by) == ("used", "ada")
    assert first.items[1].state == "open"
    assert rest.next is None
