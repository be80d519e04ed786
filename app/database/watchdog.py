"""Ends statements that PostgreSQL does not answer: its processes are stopped, its disk hangs, or its machine is gone.

A thread sends `SELECT 1` on a connection of its own, which a living server answers however busy it is. While no answer
comes, open connections are cut and none is opened. So requests fail within 2 s in place of waiting without end. The
thread rests while no connection of the pool is in use.
"""

import logging
import select
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from os import dup
from typing import Any

import psycopg
from psycopg.errors import ConnectionTimeout
from sqlalchemy import event, make_url

from app.database.engine import KEEPALIVE, Database

PAUSE_SECONDS = 0.3
# Several short looks: if this process or its machine was asleep, one of them ends, and the server may answer in the
# others.
LOOKS, LOOK_SECONDS = 6, 0.2
SILENCE_SECONDS = LOOKS * LOOK_SECONDS

_log = logging.getLogger(__name__)


class Watchdog:
    """Works between `start` and `stop`. `is_silent`: the database does not answer."""

    def __init__(self, database: Database) -> None:
        address = make_url(database.url).set(drivername="postgresql")
        address = address.update_query_dict(KEEPALIVE | {"connect_timeout": "2"})
        self._address = address.render_as_string(hide_password=False)
        self._open: dict[int, psycopg.Connection[Any]] = {}
        self.is_silent = self._is_wanted = self._is_resting = False
        self._signs_of_life = 0
        self._changed = threading.Condition()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="database-watchdog", daemon=True)
        self._engine = database.engine
        self._calls: dict[str, Callable[..., None]] = {
            "do_connect": self._await_sign_of_life,
            "connect": self._note,
            "checkout": self._end_rest,
            "close": self._forget,
        }

    def start(self) -> None:
        for name, call in self._calls.items():
            event.listen(self._engine, name, call)
        self._engine.dispose()  # the watchdog can't cut connections that were opened before
        self._thread.start()

    def stop(self) -> None:
        with self._changed:
            self._stopping.set()
            self._changed.notify_all()
        self._thread.join()
        for name, call in self._calls.items():
            event.remove(self._engine, name, call)

    def _await_sign_of_life(self, *_: object) -> None:
        """Called before a connection is opened, which can't be cut until it is. Raises OperationalError."""
        with self._changed:
            before, self._is_wanted = self._signs_of_life, True
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: self._signs_of_life > before or self.is_silent or self._stopping.is_set(), SILENCE_SECONDS
            )
            if self.is_silent:
                raise psycopg.OperationalError("the database does not answer")

    def _note(self, connection: "psycopg.Connection[Any]", _record: object) -> None:
        with self._changed:
            self._open[id(connection)] = connection

    def _forget(self, connection: "psycopg.Connection[Any]", _record: object) -> None:
        with self._changed:
            self._open.pop(id(connection), None)

    def _end_rest(self, *_: object) -> None:
        if self._is_resting:
            with self._changed:
                self._is_resting = False
                self._changed.notify_all()

    def _follow(self) -> None:
        """A single connection that opens slowly is no silence: the machine may be busy."""
        timeouts = 0
        while not self._stopping.is_set():
            try:
                with psycopg.connect(self._address, autocommit=True) as connection:
                    timeouts = 0
                    self._hear()
                    while self._pause():
                        self._ask(connection)
            except ConnectionTimeout:
                timeouts += 1
                if timeouts > 1:
                    self._fall_silent()
            except psycopg.Error:  # it answers, though with a refusal
                self._hear()
                self._pause()

    def _pause(self) -> bool:
        """Wait until the next question is due or wanted. Return False after `stop`."""
        with self._changed:
            while not self._changed.wait_for(lambda: self._is_wanted or self._stopping.is_set(), PAUSE_SECONDS):
                self._is_resting = True  # before the look: a connection that is taken now ends the rest
                if self._engine.pool.checkedout():  # type: ignore[attr-defined]
                    break
                self._changed.wait_for(lambda: not self._is_resting or self._is_wanted or self._stopping.is_set())
            self._is_wanted = self._is_resting = False
        return not self._stopping.is_set()

    def _ask(self, connection: "psycopg.Connection[Any]") -> None:
        connection.pgconn.send_query(b"SELECT 1")
        answer = select.poll()
        answer.register(connection.fileno(), select.POLLIN)
        looks = 0
        while not answer.poll(LOOK_SECONDS * 1000):
            looks += 1
            if looks == LOOKS:
                self._fall_silent()
            if self._stopping.is_set():
                return
        while connection.pgconn.get_result() is not None:
            pass
        self._hear()

    def _hear(self) -> None:
        with self._changed:
            was_silent, self.is_silent = self.is_silent, False
            self._signs_of_life += 1
            self._changed.notify_all()
        if was_silent:
            _log.warning("The database answers again")

    def _fall_silent(self) -> None:
        with self._changed:
            if self.is_silent:
                return
            self.is_silent = True
            for connection in self._open.values():
                _cut(connection)
            self._changed.notify_all()
        _log.error("The database does not answer. Requests fail until it does")


def _cut(connection: "psycopg.Connection[Any]") -> None:
    """End the connection's stream. The thread that waits for an answer gets an OperationalError."""
    with suppress(OSError, psycopg.Error), socket.socket(fileno=dup(connection.fileno())) as stream:
        stream.shutdown(socket.SHUT_RDWR)
