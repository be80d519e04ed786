"""A real SMTP server that keeps the mails it gets."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message as Parsed
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message as MessageHandler

from app.accounts.mail import MailServer


class Inbox(MessageHandler):
    def __init__(self) -> None:
        super().__init__()
        self.mails: list[Parsed] = []

    def handle_message(self, message: Parsed) -> None:
        self.mails.append(message)


@dataclass
class Post:
    port: int
    inbox: Inbox = field(default_factory=Inbox)

    def server(self, **changes: Any) -> MailServer:
        usual: dict[str, Any] = {
            "host": "127.0.0.1",
            "port": self.port,
            "sender": "judge@example.org",
            "security": "none",
        }
        return MailServer(**usual | changes)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def open_post() -> Iterator[Post]:
    inbox = Inbox()
    port = free_port()
    controller = Controller(inbox, hostname="127.0.0.1", port=port)
    controller.start()
    yield Post(port, inbox)
    controller.stop()
