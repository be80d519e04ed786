"""Restoring renames databases in use: connections of Allclose may be cut off, and no others."""

import threading
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url, text
from sqlalchemy.exc import OperationalError

from app.audit import COMMAND
from app.backup.archive import back_up
from app.backup.program import server_of
from app.backup.restore import restore_while_used
from app.backup.swap import RestoreRefused, RestoreRuns, new_database
from app.database.embedded_cluster import SUPERUSER
from app.database.engine import Database
from tests.backup.rows import read_rows
from tests.factories import make_user

MANY = 8


def use(url: str, ended: threading.Event, counted: list[int]) -> None:
    """Query again and again, as a process of Allclose does, and tolerate a database that is away."""
    database = Database(url)
    while not ended.is_set():
        try:
            with database.transaction() as session:
                counted.append(session.scalar(text("SELECT count(*) FROM users")) or 0)
        except OperationalError:
            continue
    database.close()


@pytest.fixture
def backup(database: Database, tmp_path: Path) -> Path:
    with database.transaction() as session:
        make_user(session)
    back_up(database, tmp_path / "backup", COMMAND)
    with database.transaction() as session:
        make_user(session)
    return tmp_path / "backup"


def test_those_who_ask_all_the_time_are_cut_off_and_come_back(database: Database, backup: Path) -> None:
    ended = threading.Event()
    counted: list[list[int]] = [[] for _ in range(MANY)]
    users = [threading.Thread(target=use, args=(database.url, ended, each)) for each in counted]
    for user in users:
        user.start()

    restore_while_used(database, backup, COMMAND)
    with_the_backup = [len(each) for each in counted]
    while any(len(each) <= before for each, before in zip(counted, with_the_backup, strict=True)):
        pass
    ended.set()
    for user in users:
        user.join()

    for each in counted:
        assert each[-1] == 1
        assert each == sorted(each, reverse=True)


def test_another_roles_connection_is_left_alone_and_named(database: Database, backup: Path) -> None:
    before = read_rows(database)
    url = make_url(database.url)
    address = url.set(drivername="postgresql", username=SUPERUSER).render_as_string(hide_password=False)
    with psycopg.connect(address) as connection:
        with pytest.raises(RestoreRefused, match="Another role than Allclose's"):
            restore_while_used(database, backup, COMMAND)
        assert connection.execute("SELECT 1").fetchone() == (1,)

    assert read_rows(database) == before
    restore_while_used(database, backup, COMMAND)


def test_two_at_once_are_one(database: Database, backup: Path) -> None:
    """Two machines, which share no folder, restore at the same time."""
    with database.engine.connect() as connection:
        server = server_of(connection)
    with new_database(server), pytest.raises(RestoreRuns):
        restore_while_used(database, backup, COMMAND)
