"""Mail: the outbox, whose thread sends messages, and the deployment's mail server.

A request never waits for the outbox, so its duration does not reveal whether a mail was sent.
"""

import logging
import smtplib
import ssl
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Literal

from app.settings import Settings

TIMEOUT_SECONDS = 20
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """`to` is one address; `text` is plain text."""

    to: str
    subject: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MailServer:
    """The server's address and sign-in. With `starttls`, a server that offers no TLS is an error: no cleartext."""

    host: str
    port: int
    sender: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    security: Literal["starttls", "tls", "none"] = "starttls"

    def deliver(self, message: Message) -> None:
        """Raises OSError and SMTPException, and ValueError for an invalid address or subject."""
        mail = self.compose(message)
        with self._connect() as smtp:
            if self.user is not None:
                smtp.login(self.user, self.password or "")
            smtp.send_message(mail, to_addrs=[message.to])

    def compose(self, message: Message) -> EmailMessage:
        """Write a mail to one recipient. Line breaks and commas in the address add no header and no recipient."""
        mail = EmailMessage()
        mail["From"] = Address("Allclose", addr_spec=self.sender)
        mail["To"] = _address(message.to)
        mail["Subject"] = message.subject
        mail["Date"] = formatdate()
        mail["Message-ID"] = make_msgid(domain=self.sender.rpartition("@")[2])
        mail["Auto-Submitted"] = "auto-generated"
        mail.set_content(message.text)
        return mail

    def _connect(self) -> smtplib.SMTP:
        if self.security == "tls":
            context = ssl.create_default_context()
            return smtplib.SMTP_SSL(self.host, self.port, timeout=TIMEOUT_SECONDS, context=context)
        smtp = smtplib.SMTP(self.host, self.port, timeout=TIMEOUT_SECONDS)
        if self.security == "starttls":
            smtp.starttls(context=ssl.create_default_context())
        return smtp


def _address(text: str) -> Address:
    """Raises ValueError."""
    try:
        return Address(addr_spec=text)
    except (ValueError, IndexError, MessageError) as error:
        raise ValueError(f"{text[:80]!r} is not one address") from error


class Outbox:
    """Sends mail in a thread. `server` is None if none is configured. Failures are only logged."""

    def __init__(self, server: MailServer | None) -> None:
        self.server = server
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="outbox")

    def send(self, message: Message) -> None:
        """Send the message soon. Without a server, drop it."""
        self.later(lambda: self.deliver(message))

    def later(self, job: Callable[[], None]) -> None:
        """Run the job in the outbox's thread, after the waiting ones."""
        self._thread.submit(_guarded, job)

    def deliver(self, message: Message) -> None:
        """Send the message now. For jobs in the outbox's thread."""
        if self.server is not None:
            self.server.deliver(message)

    def close(self) -> None:
        """Send the waiting messages, then stop."""
        self._thread.shutdown()


def open_outbox(settings: Settings) -> Outbox:
    if settings.smtp_host is None or settings.smtp_from is None:
        return Outbox(None)
    server = MailServer(
        host=settings.smtp_host,
        port=settings.smtp_port,
        sender=settings.smtp_from,
        user=settings.smtp_user,
        password=settings.smtp_password,
        security=settings.smtp_security,
    )
    return Outbox(server)


def _guarded(job: Callable[[], None]) -> None:
    try:
        job()
    except Exception:
        _log.exception("A mail could not be sent. An admin can give the user a link.")
