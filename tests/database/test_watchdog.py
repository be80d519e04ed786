"""While PostgreSQL does not answer, statements fail. Its processes are stopped here, so that no connection breaks."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from app.database.embedded_server import EmbeddedPostgres, own
from app.database.engine import Database
from app.database.watchdog import Watchdog
from tests.queue.fleet import wait_until

PATIENCE_SECONDS = 60


@contextmanager
def stopped(server: EmbeddedPostgres) -> Iterator[None]:
    """Stop all processes of the server, and let them go on at the end."""
    postmaster = psutil.Process(server.server.pid)
    processes = [postmaster, *postmaster.children(recursive=True)]
    for process in processes:
        process.suspend()
    try:
        yield
    finally:
        for process in processes:
            process.resume()


def ask(database: Database, query: str = "SELECT 42") -> object:
    with database.transaction() as session:
        return session.execute(text(query)).scalar()


@pytest.mark.whole
def test_statements_fail_while_the_database_is_stopped_and_work_again_afterwards(tmp_path: Path) -> None:
    with own(tmp_path / "postgres") as server, ThreadPoolExecutor(3) as threads:
        database = Database(server.url)
        assert ask(database) == 42  # an idle connection from before
        watchdog = Watchdog(database)
        watchdog.start()
        ask(database)
        running = threads.submit(ask, database, "SELECT pg_sleep(600)")

        with stopped(server):
            asked = [running, threads.submit(ask, database), threads.submit(ask, database)]
            errors = [each.exception(PATIENCE_SECONDS) for each in asked]
            later = threads.submit(ask, database).exception(PATIENCE_SECONDS)

        assert all(isinstance(error, OperationalError) for error in (*errors, later))
        wait_until(lambda: not watchdog.is_silent)
        assert ask(database) == 42
        watchdog.stop()
        database.close()


def test_a_database_that_answers_slowly_is_not_taken_for_a_stopped_one(database: Database) -> None:
    watchdog = Watchdog(database)
    watchdog.start()

    assert ask(database, "SELECT 42 FROM pg_sleep(2)") == 42
    watchdog.stop()
