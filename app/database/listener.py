"""A connection that calls back for every NOTIFY on a channel, and reconnects after the database restarts."""

import logging
import os
import select
import threading
from collections.abc import Callable

import psycopg
from psycopg import sql
from sqlalchemy import make_url

from app.database.engine import KEEPALIVE

RECONNECT_SECONDS = 1.0
OnNotify = Callable[[str | None], None]

_log = logging.getLogger(__name__)


class Listener:
    """Calls `on_notify(payload)` in a thread, and `on_notify(None)` after every connect and reconnect.

    None means that notifications may have been missed. Callers must also poll now and then.
    """

    def __init__(self, url: str, channel: str, on_notify: OnNotify) -> None:
        address = make_url(url).set(drivername="postgresql").update_query_dict(KEEPALIVE)
        self._address = address.render_as_string(hide_password=False)
        self._channel = channel
        self._on_notify = on_notify
        self._stopping = threading.Event()
        self._stop_reader, self._stop_writer = os.pipe()
        self._thread = threading.Thread(target=self._run, name=f"listen {channel}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop and wait until the last callback has returned. A second call does nothing."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        os.close(self._stop_writer)
        self._thread.join()
        os.close(self._stop_reader)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._listen()
            # OSError and ValueError come from a closed file descriptor.
            except (psycopg.Error, OSError, ValueError) as error:
                _log.warning("lost the connection that listens on %s: %s", self._channel, str(error).strip())
                self._stopping.wait(RECONNECT_SECONDS)

    def _listen(self) -> None:
        with psycopg.connect(self._address, autocommit=True) as connection:
            connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(self._channel)))
            self._on_notify(None)
            # select.select can't handle descriptors above 1023.
            poll = select.poll()
            for descriptor in (connection.fileno(), self._stop_reader):
                poll.register(descriptor, select.POLLIN)
            while not self._stopping.is_set():
                poll.poll()
                for notify in connection.notifies(timeout=0):
                    self._on_notify(notify.payload)
