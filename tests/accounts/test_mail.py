"""Mail, as a real SMTP server gets it."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from app.accounts.mail import MailServer, Message, Outbox, open_outbox
from app.accounts.password_reset import PasswordResets
from app.accounts.user import SignUp, sign_up
from app.database.engine import Database
from app.limits import Limits
from app.settings import Settings
from tests.accounts.mail_server import Inbox, Post, free_port, open_post

LETTER = Message(to="ada@example.org", subject="Grüße – and a link", text="https://judge.example/x\n")


@pytest.fixture
def post() -> Iterator[Post]:
    with open_post() as post:
        yield post


def send(server: MailServer, *messages: Message) -> None:
    outbox = Outbox(server)
    for message in messages:
        outbox.send(message)
    outbox.close()


def test_a_letter_arrives_as_it_was_written(post: Post) -> None:
    send(post.server(), LETTER)

    (mail,) = post.inbox.mails
    assert mail["X-RcptTo"] == "ada@example.org"
    assert mail["From"] == "Allclose <judge@example.org>"
    assert mail["To"] == "ada@example.org"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail.get_payload(decode=True) == b"https://judge.example/x\r\n"


@pytest.mark.parametrize(
    "to",
    [
        "ada@example.org\nBcc: eve@example.org",
        "ada@example.org\r\n\r\nAnother text",
        "ada@example.org, eve@example.org",
        "ada,eve@example.org",
        "Ada <ada@example.org>",
        "<ada@example.org>",
        "ada",
        "",
    ],
)
def test_an_address_that_is_more_than_one_is_sent_nothing(
    post: Post, to: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        send(post.server(), Message(to=to, subject="x", text="x"), LETTER)

    assert [mail["X-RcptTo"] for mail in post.inbox.mails] == ["ada@example.org"], "the next one still goes out"
    assert len([record for record in caplog.records if record.name.startswith("app.accounts.mail")]) == 1


def test_a_subject_with_a_line_break_is_no_header(post: Post) -> None:
    send(post.server(), Message(to="ada@example.org", subject="x\nBcc: eve@example.org", text="x"))

    assert post.inbox.mails == []


def test_a_server_without_tls_is_never_sent_anything_where_tls_is_asked_for(
    post: Post, caplog: pytest.LogCaptureFixture
) -> None:
    send(post.server(security="starttls", user="judge", password="p4ssword"), LETTER)
    send(post.server(security="tls", user="judge", password="p4ssword"), LETTER)

    assert post.inbox.mails == []
    assert len([record for record in caplog.records if record.name.startswith("app.accounts.mail")]) == 2
    assert "p4ssword" not in caplog.text


def test_user_and_password_are_given(caplog: pytest.LogCaptureFixture) -> None:
    inbox, known = Inbox(), []

    def check(*args: Any) -> AuthResult:
        given = args[-1]
        assert isinstance(given, LoginPassword)
        known.append((given.login, given.password))
        return AuthResult(success=True)

    port = free_port()
    controller = Controller(
        inbox, hostname="127.0.0.1", port=port, authenticator=check, auth_require_tls=False, auth_required=True
    )
    controller.start()
    try:
        send(Post(port).server(user="judge", password="p4ssword"), LETTER)
    finally:
        controller.stop()

    assert known == [(b"judge", b"p4ssword")]
    assert len(inbox.mails) == 1
    assert "A mail could not be sent" not in caplog.text


def test_a_server_that_is_away_is_logged_and_holds_nothing_up(caplog: pytest.LogCaptureFixture) -> None:
    send(MailServer(host="127.0.0.1", port=1, sender="judge@example.org", security="none"), LETTER)

    assert "A mail could not be sent" in caplog.text


def test_the_settings_say_which_server(post: Post) -> None:
    settings = Settings(smtp_host="127.0.0.1", smtp_port=post.port, smtp_from="judge@example.org", smtp_security="none")
    outbox = open_outbox(settings)
    outbox.send(LETTER)
    outbox.close()

    assert len(post.inbox.mails) == 1
    assert open_outbox(Settings()).server is None


def test_only_an_existing_user_who_asks_for_a_new_password_gets_a_letter(database: Database, post: Post) -> None:
    with database.transaction() as session:
        sign_up(session, SignUp(username="ada", password="correct horse", email="ada@example.org"))
    outbox = Outbox(post.server())
    resets = PasswordResets(database=database, outbox=outbox, limits=Limits(), base_url="https://judge.example")

    resets.ask("ada", "192.0.2.1")
    resets.ask("nobody", "192.0.2.1")
    outbox.close()

    (mail,) = post.inbox.mails
    assert mail["X-RcptTo"] == "ada@example.org"
    assert "https://judge.example/reset-password/" in mail.get_payload(decode=True).decode()  # type: ignore[union-attr]
