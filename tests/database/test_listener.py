import os
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from sqlalchemy import func, select

from app.database.engine import Database
from app.database.listener import Listener, OnNotify

MORE_THAN_SELECT_TAKES = 1100


@contextmanager
def listener(database: Database, on_notify: OnNotify) -> Iterator[None]:
    listener = Listener(database.url, "news", on_notify)
    listener.start()
    try:
        yield
    finally:
        listener.stop()


@pytest.fixture
def _many_open_files() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 2 * MORE_THAN_SELECT_TAKES), hard))
    taken = [os.dup(0) for _ in range(MORE_THAN_SELECT_TAKES)]
    yield
    for descriptor in taken:
        os.close(descriptor)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("_many_open_files")
def test_it_hears_in_a_process_with_thousands_of_open_files(database: Database) -> None:
    listening, heard = threading.Event(), threading.Event()

    with listener(database, lambda payload: (heard if payload == "new" else listening).set()):
        assert listening.wait(10)
        with database.transaction() as session:
            session.execute(select(func.pg_notify("news", "new")))

        assert heard.wait(10)


@pytest.mark.parametrize("error", [psycopg.InterfaceError, psycopg.DatabaseError, OSError, ValueError])
def test_it_connects_again_after_any_connection_error(database: Database, error: type[Exception]) -> None:
    calls, connected_again = [], threading.Event()

    def fail_once(payload: str | None) -> None:
        calls.append(payload)
        if len(calls) == 1:
            raise error("the connection died")
        connected_again.set()

    with listener(database, fail_once):
        assert connected_again.wait(10)
