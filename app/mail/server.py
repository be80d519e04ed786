"""The deployment's mail server, and how a message is handed to it."""

import smtplib
import ssl
from dataclasses import dataclass, field
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Literal

TIMEOUT_SECONDS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """`to` is one address; text is plain."""

    to: str
    subject: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MailServer:
    """`starttls` without TLS being offered is a failure, and never falls back to sending in the clear."""

    host: str
    port: int
    sender: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    security: Literal["starttls", "tls", "none"] = "starttls"

    def deliver(self, message: Message) -> None:
        """Raises OSError and SMTPException; ValueError for an address or a subject that no header can hold."""
        mail = self.compose(message)
        with self._connect() as smtp:
            if self.user is not None:
                smtp.login(self.user, self.password or "")
            smtp.send_message(mail, to_addrs=[message.to])

    def compose(self, message: Message) -> EmailMessage:
        """One recipient, whatever the address holds: line breaks and commas make no further header or recipient."""
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
