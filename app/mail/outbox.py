"""Mail that waits to be sent, in a thread of its own: nobody can tell by the time whether there is any."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from app.mail.server import MailServer, Message
from app.settings import Settings

_log = logging.getLogger(__name__)


class Outbox:
    """`server` is None where none is configured. What fails is logged, and told to nobody else."""

    def __init__(self, server: MailServer | None) -> None:
        self.server = server
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="outbox")

    def send(self, message: Message) -> None:
        """Soon. Without a server, never."""
        self.later(lambda: self.deliver(message))

    def later(self, job: Callable[[], None]) -> None:
        """In the outbox's thread, after what waits already."""
        self._thread.submit(_guarded, job)

    def deliver(self, message: Message) -> None:
        """Now, for jobs."""
        if self.server is not None:
            self.server.deliver(message)

    def close(self) -> None:
        """After what waits has been sent."""
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
        _log.exception("a mail could not be sent; who waits for it can be given a link by an admin")
