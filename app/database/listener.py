"""One connection that only listens: calls back for every NOTIFY on a channel, and survives the database's restarts."""

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
    """Runs `on_notify(payload)` in a thread of its own; `on_notify(None)` once after every (re)connect.

    None means that something may have been missed. The caller still looks by itself now and then.
    """

    def __init__(self, url: str, channel: str, on_notify: OnNotify) -> None:
        address = make_url(url).set(drivername="postgresql").update_query_dict(KEEPALIVE)
        self._address = address.render_as_string(hide_password=False)
        self._channel = channel
        self._on_notify = on_notify
        self._stopping = threading.Event()
        self._stop_reader, self._stop_writer = os.pipe()
        self._thread = threading.Thread(target=self._follow, name=f"listen {channel}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Returns when no callback runs any more. A second call does nothing."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        os.close(self._stop_writer)
        self._thread.join()
        os.close(self._stop_reader)

    def _follow(self) -> None:
        while not self._stopping.is_set():
            try:
                self._listen()
            # OSError and ValueError: of a descriptor that was closed or is none any more.
            except (psycopg.Error, OSError, ValueError) as error:
                _log.warning("lost the connection that listens on %s: %s", self._channel, str(error).strip())
                self._stopping.wait(RECONNECT_SECONDS)

    def _listen(self) -> None:
        with psycopg.connect(self._address, autocommit=True) as connection:
            connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(self._channel)))
            self._on_notify(None)
            # Not select.select, which takes no descriptor above 1023.
            word = select.poll()
            for descriptor in (connection.fileno(), self._stop_reader):
                word.register(descriptor, select.POLLIN)
            while not self._stopping.is_set():
                word.poll()
                for notify in connection.notifies(timeout=0):
                    self._on_notify(notify.payload)
