"""New passwords by a signed link, and asking for one."""

import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event

import pytest
from sqlalchemy import select

from app.accounts import password_reset
from app.accounts.mail import MailServer, Outbox
from app.accounts.model import User
from app.accounts.password_reset import (
    LIFETIME,
    PasswordResets,
    ResetLinkSpent,
    get_user_by_reset,
    make_reset_link,
    reset_password,
)
from app.accounts.session import find_viewer_by_session, start_session
from app.accounts.sign_in import SignInFailed, authenticate
from app.accounts.token import create_token, find_viewer_by_token
from app.accounts.user import SignUp, sign_up
from app.audit import Actor, AuditEvent
from app.database.engine import Database
from app.errors import Invalid
from app.limits import Limits, RateLimitReached
from tests.factories import make_user

OLD, NEW = "correct horse", "battery staple"
BASE = "https://judge.example"
ASKER = Actor(user_id=None, channel="page", address="192.0.2.1")


@pytest.fixture
def token(database: Database) -> str:
    """The token of a reset link for ada."""
    with database.transaction() as session:
        user = sign_up(session, SignUp(username="ada", password=OLD, email="ada@example.org"))
        link = make_reset_link(session, user, BASE)
    assert link.startswith(f"{BASE}/reset-password/")
    return link.rpartition("/")[2]


def reset(database: Database, token: str, password: str = NEW) -> None:
    with database.transaction() as session:
        reset_password(session, ASKER, token, password)


def test_a_link_sets_a_new_password_once(database: Database, token: str) -> None:
    reset(database, token)

    with pytest.raises(ResetLinkSpent, match=r"each link works once and for 1 hour\. Ask for another one"):
        reset(database, token, "another password")
    with database.transaction() as session:
        assert authenticate(session, "ada", NEW).username == "ada"
        with pytest.raises(SignInFailed):
            authenticate(session, "ada", OLD)


def test_of_two_who_use_it_at_once_one_can(database: Database, token: str) -> None:
    def attempt(number: int) -> bool:
        try:
            reset(database, token, f"{NEW} {number}")
        except ResetLinkSpent:
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(attempt, range(4))) == 1


def test_a_reset_ends_all_sessions_and_tokens_and_is_written_down(database: Database, token: str) -> None:
    with database.transaction() as session:
        user = session.scalars(select(User)).one()
        cookie, bearer = start_session(session, user.id), create_token(session, user.id, "laptop").secret

    reset(database, token)

    with database.transaction() as session:
        assert find_viewer_by_session(session, cookie) is None
        assert find_viewer_by_token(session, bearer) is None
        event = session.scalars(select(AuditEvent).where(AuditEvent.action == "user.password_reset")).one()
        assert (event.actor_id, event.target, event.after) == (user.id, str(user.id), None)


def test_a_password_outside_the_rules_leaves_the_link_as_it_is(database: Database, token: str) -> None:
    with pytest.raises(Invalid):
        reset(database, token, "short")

    reset(database, token)


@pytest.mark.parametrize("change", [{"email": "eve@example.org"}, {"is_active": False}, {"password_hash": "x"}])
def test_a_change_of_the_account_ends_its_reset_links(
    database: Database, token: str, change: dict[str, object]
) -> None:
    with database.transaction() as session:
        for name, value in change.items():
            setattr(session.scalars(select(User)).one(), name, value)

    with pytest.raises(ResetLinkSpent):
        reset(database, token)


def test_a_link_ends_after_an_hour(database: Database, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(password_reset, "LIFETIME", timedelta(seconds=-1))

    assert timedelta(hours=1) == LIFETIME
    with pytest.raises(ResetLinkSpent):
        reset(database, token)


@pytest.mark.parametrize("forged", ["", "{}x", "x{}", "\ud800", "a.b.c", "{}.{}"])
def test_a_forged_reset_link_finds_no_user(database: Database, token: str, forged: str) -> None:
    with pytest.raises(ResetLinkSpent), database.transaction() as session:
        get_user_by_reset(session, forged.format(token, token))


class Asked:
    def __init__(self, database: Database) -> None:
        self.outbox = Outbox(None)
        self.resets = PasswordResets(database=database, outbox=self.outbox, limits=Limits(), base_url=BASE)

    def ask(self, *names: str) -> None:
        for name in names:
            self.resets.ask(name, "192.0.2.1")
        self.outbox.close()

    def catch_up(self) -> None:
        """Wait until all requests are answered."""
        done = Event()
        self.outbox.later(done.set)
        done.wait()


@pytest.mark.usefixtures("token")
def test_without_a_mail_server_the_link_is_logged_for_who_runs_it(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        Asked(database).ask(" Ada ", "ADA@example.org")

    assert len(caplog.messages) == 2
    for message in caplog.messages:
        assert message.startswith("ada asks for a new password")
        reset_link = message.rpartition(" ")[2]
        assert reset_link.startswith(f"{BASE}/reset-password/")
    reset(database, caplog.messages[1].rpartition("/")[2])


def test_for_who_does_not_exist_or_is_suspended_nothing_is_logged(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    with database.transaction() as session:
        make_user(session, "ada").is_active = False

    with caplog.at_level(logging.WARNING):
        Asked(database).ask("ada", "nobody", "", "\0", "\ud800", "x" * 10_000, "%", "' OR 1=1 --")

    assert caplog.messages == []


def links_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [message.rpartition("/")[2] for message in caplog.messages]


@pytest.mark.usefixtures("token")
def test_many_requests_from_strangers_send_few_letters_and_the_owner_still_gets_a_link(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    asked = Asked(database)

    with caplog.at_level(logging.WARNING):
        for number in range(40):
            asked.resets.ask(("ada", "ADA@example.org")[number % 2], f"198.51.100.{number}")
        asked.resets.ask("ada", "192.0.2.1")
        asked.outbox.close()

    links = links_in(caplog)
    assert len(links) == 2
    reset(database, links[-1])


@pytest.mark.usefixtures("token")
def test_a_link_that_was_used_up_makes_room_for_another_until_there_were_six(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    asked = Asked(database)

    with caplog.at_level(logging.WARNING):
        for number in range(8):
            asked.resets.ask("ada", "192.0.2.1")
            asked.catch_up()
            if len(caplog.messages) > number:
                reset(database, links_in(caplog)[-1], f"{NEW} {number}")
        asked.outbox.close()

    assert len(set(links_in(caplog))) == 6


@pytest.mark.usefixtures("token")
def test_a_letter_that_could_not_be_sent_is_not_counted(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    away = MailServer(host="127.0.0.1", port=1, sender="judge@example.org", security="none")
    outbox = Outbox(away)
    resets = PasswordResets(database=database, outbox=outbox, limits=Limits(), base_url=BASE)

    for _ in range(3):
        resets.ask("ada", "192.0.2.1")
    outbox.close()

    assert sum("A mail could not be sent" in message for message in caplog.messages) == 3


def test_asking_is_limited_by_address_whether_the_name_exists_or_not(database: Database) -> None:
    asked = Asked(database)
    for number in range(30):
        asked.resets.ask(("ada", "nobody", f"user-{number}")[number % 3], f"2001:db8::{number}")

    with pytest.raises(RateLimitReached, match="More than 30 requests for a new password in 1 hour"):
        asked.resets.ask("grace", "2001:db8::ffff")
    asked.resets.ask("grace", "192.0.2.1")
    asked.outbox.close()
