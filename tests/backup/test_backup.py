"""Backups, restoring them, and the programs of PostgreSQL that do it."""

import hashlib
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import delete, make_url, select, text
from sqlalchemy.exc import DBAPIError

from app.audit import COMMAND, AuditEvent
from app.backup.archive import DUMP, MANIFEST, BadBackup, FileNotWritten, back_up, open_backup
from app.backup.program import ProgramFailed, ProgramLacks, Server, find_program, server_of
from app.backup.restore import BackupUnknown, NotEmpty, look_through, restore
from app.backup.swap import RestoreRuns, ServiceRuns, new_database
from app.database.embedded_cluster import binaries
from app.database.engine import Database
from app.schema import is_current
from tests.backup.rows import Rows, fill, read_rows
from tests.factories import make_judging, make_submission, make_user

BACK_UP = """
import sys
from pathlib import Path
from app.audit import COMMAND
from app.backup.archive import back_up
from app.database.engine import Database
back_up(Database(sys.argv[1]), Path(sys.argv[2]), COMMAND)
"""
RESTORE = """
import sys
from pathlib import Path
from app.audit import COMMAND
from app.backup.restore import restore
from app.database.engine import Database
restore(Database(sys.argv[1]), Path(sys.argv[2]), COMMAND, replace=True)
"""


@pytest.fixture
def filled(database: Database) -> Database:
    with database.transaction() as session:
        fill(session)
    return database


@pytest.fixture
def backup(filled: Database, tmp_path: Path) -> Path:
    path = tmp_path / "monday.backup"
    back_up(filled, path, COMMAND)
    return path


@pytest.fixture
def empty(database: Database) -> Iterator[Database]:
    """Another database on the same server, without any table."""
    url = make_url(database.url)
    name = f"{url.database}_empty"
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
        empty = Database(url.set(database=name).render_as_string(hide_password=False))
        yield empty
        empty.close()
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))


def without_last_event(rows: Rows) -> Rows:
    """Leave out the event of the backup or the restore itself, which is recorded after its content."""
    return {**rows, "audit_events": rows["audit_events"][:-1]}


def databases(database: Database) -> set[str]:
    with database.engine.connect() as connection:
        return set(connection.scalars(text("SELECT datname FROM pg_database WHERE datname ~ 'restoring|replaced'")))


def test_every_row_is_there_again_after_all_was_lost(filled: Database, empty: Database, tmp_path: Path) -> None:
    before = read_rows(filled)
    assert {"users", "case_results", "drafts", "server_keys", "tokens"} <= {
        table for table, rows in before.items() if rows
    }

    back_up(filled, tmp_path / "all", COMMAND)
    restore(empty, tmp_path / "all", COMMAND)

    assert without_last_event(read_rows(empty)) == before
    assert databases(filled) == set()


def test_rows_made_after_the_backup_are_gone_after_a_restore(filled: Database, backup: Path) -> None:
    before = without_last_event(read_rows(filled))
    with filled.transaction() as session:
        make_submission(session)

    restored = restore(filled, backup, COMMAND, replace=True)

    assert without_last_event(read_rows(filled)) == before
    assert restored.replaced["submissions"] == 2


def test_numbers_go_on_and_the_log_stays_closed(filled: Database, backup: Path) -> None:
    with filled.transaction() as session:
        last = session.scalars(text("SELECT max(id) FROM judgings")).one()
    restore(filled, backup, COMMAND, replace=True)

    with filled.transaction() as session:
        assert make_judging(session).id == last + 1
        actions = list(session.scalars(select(AuditEvent.action).order_by(AuditEvent.id)))
    with pytest.raises(DBAPIError, match="never changed or removed"), filled.transaction() as session:
        session.execute(delete(AuditEvent))

    assert actions == ["user.created", "backup.restored"]


def test_a_transaction_during_the_backup_is_in_it_whole_or_not_at_all(
    filled: Database, empty: Database, tmp_path: Path
) -> None:
    ended = threading.Event()

    def write() -> None:
        while not ended.is_set():
            with filled.transaction() as session:
                make_judging(session)

    writer = threading.Thread(target=write)
    writer.start()
    manifest = back_up(filled, tmp_path / "busy", COMMAND)
    ended.set()
    writer.join()
    restore(empty, tmp_path / "busy", COMMAND)

    rows = {table: len(found) for table, found in without_last_event(read_rows(empty)).items()}
    assert rows == manifest.rows
    assert rows["submissions"] == rows["judgings"]


def test_only_its_owner_may_read_it_and_no_file_is_overwritten(filled: Database, backup: Path) -> None:
    whole = backup.read_bytes()

    with pytest.raises(FileNotWritten, match="already exists"):
        back_up(filled, backup, COMMAND)

    assert backup.stat().st_mode & 0o777 == 0o600
    assert backup.read_bytes() == whole
    assert list(backup.parent.iterdir()) == [backup]


def test_a_folder_that_is_not_there_is_named(filled: Database, tmp_path: Path) -> None:
    with pytest.raises(FileNotWritten, match="Choose another folder"):
        back_up(filled, tmp_path / "nowhere" / "monday", COMMAND)


def cut_off(backup: Path) -> None:
    backup.write_bytes(backup.read_bytes()[:-100])


def flip_a_bit(backup: Path) -> None:
    data = bytearray(backup.read_bytes())
    data[len(data) // 2] ^= 1
    backup.write_bytes(data)


def swap_the_dump(backup: Path) -> None:
    """A whole archive, whose dump is another one than its manifest's."""
    with zipfile.ZipFile(backup) as archive:
        manifest = archive.read(MANIFEST)
    with zipfile.ZipFile(backup, "w") as archive:
        archive.writestr(DUMP, b"PGDMP")
        archive.writestr(MANIFEST, manifest)


def another_kind(backup: Path) -> None:
    with zipfile.ZipFile(backup, "w") as archive:
        archive.writestr("problem.yaml", "title: A problem")


def a_text(backup: Path) -> None:
    backup.write_text("-- PostgreSQL database dump\n")


@pytest.mark.parametrize("damage", [cut_off, flip_a_bit, swap_the_dump, another_kind, a_text])
def test_a_damaged_or_foreign_file_is_refused(filled: Database, backup: Path, damage: Callable[[Path], None]) -> None:
    before = read_rows(filled)
    damage(backup)

    with pytest.raises(BadBackup, match="not an undamaged backup of Allclose"):
        look_through(backup)
    with pytest.raises(BadBackup):
        restore(filled, backup, COMMAND, replace=True)

    assert read_rows(filled) == before


def change(backup: Path, dump: bytes | None = None, **fields: object) -> None:
    """Another dump, other words in the manifest."""
    with open_backup(backup) as (manifest, archive):
        dump = dump or archive.read(DUMP)
    with zipfile.ZipFile(backup, "w") as archive:
        archive.writestr(DUMP, dump)
        archive.writestr(MANIFEST, manifest.model_copy(update=fields).model_dump_json())


@pytest.mark.parametrize(
    ("revision", "version", "remedy"),
    [("9999", "9.0", "Install the newer version"), ("0041", "0.1", "Install the version that made it")],
)
def test_a_backup_of_a_newer_version_or_from_before_the_first_release_is_refused(
    filled: Database, backup: Path, revision: str, version: str, remedy: str
) -> None:
    change(backup, schema_revision=revision, allclose=version)
    before = read_rows(filled)

    with pytest.raises(BackupUnknown, match=rf"schema revision {revision} \(Allclose {version}\).*{remedy}"):
        restore(filled, backup, COMMAND, replace=True)

    assert read_rows(filled) == before


def test_a_backup_with_an_older_schema_is_upgraded(
    filled: Database, backup: Path, request: pytest.FixtureRequest
) -> None:
    old = read_rows(filled)
    request.getfixturevalue("next_migration")
    assert not is_current(filled)

    restore(filled, backup, COMMAND, replace=True)

    assert is_current(filled)
    assert read_rows(filled)["submissions"] == old["submissions"]


def test_rows_that_do_not_come_out_leave_the_old_ones(filled: Database, backup: Path) -> None:
    before = read_rows(filled)
    with open_backup(backup) as (manifest, _):
        rows = {**manifest.rows, "submissions": 7}
    change(backup, rows=rows)

    with pytest.raises(BadBackup, match="manifest has 7 rows of submissions, but the restored table has 1"):
        restore(filled, backup, COMMAND, replace=True)

    assert read_rows(filled) == before
    assert databases(filled) == set()


def test_a_dump_that_postgresql_can_not_read_leaves_the_old_rows(filled: Database, backup: Path) -> None:
    before = read_rows(filled)
    with zipfile.ZipFile(backup) as archive:
        dump = archive.read(DUMP)[:-2000]
    change(backup, dump, dump_sha256=hashlib.sha256(dump).hexdigest())

    with pytest.raises(ProgramFailed, match="pg_restore failed"):
        restore(filled, backup, COMMAND, replace=True)

    assert read_rows(filled) == before
    assert databases(filled) == set()


def test_accounts_are_not_replaced_unasked(filled: Database, backup: Path) -> None:
    with pytest.raises(NotEmpty, match="--replace"):
        restore(filled, backup, COMMAND)


def test_nothing_is_replaced_below_a_running_service(filled: Database, backup: Path) -> None:
    before = read_rows(filled)
    service = Database(filled.url)

    with service.engine.connect() as connection:
        connection.execute(text("SELECT 1"))
        with pytest.raises(ServiceRuns, match=r"1 open connections.*Stop Allclose and its workers"):
            restore(filled, backup, COMMAND, replace=True)
    service.close()

    assert read_rows(filled) == before


@pytest.mark.parametrize(
    "seconds", [0.0, 0.2, *(pytest.param(seconds, marks=pytest.mark.whole) for seconds in (0.1, 0.3, 0.4))]
)
def test_a_restore_that_is_killed_leaves_the_old_rows_or_has_the_new(
    filled: Database, backup: Path, seconds: float
) -> None:
    """Counted from when it has made its database; the last may be through."""
    kept = without_last_event(read_rows(filled))
    with filled.transaction() as session:
        make_user(session, "late")
    before = read_rows(filled)
    filled.close()

    process = subprocess.Popen([sys.executable, "-c", RESTORE, filled.url, str(backup)])
    watch = Database(make_url(filled.url).set(database="postgres").render_as_string(hide_password=False))
    while process.poll() is None and not databases(watch):
        time.sleep(0.01)
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.wait()
    watch.close()

    after = read_rows(filled)
    assert after == before or without_last_event(after) == kept
    restore(filled, backup, COMMAND, replace=True)
    assert without_last_event(read_rows(filled)) == kept
    assert databases(filled) == set()


def test_a_backup_that_is_killed_leaves_no_file_of_its_name(filled: Database, tmp_path: Path) -> None:
    path = tmp_path / "monday"
    partial = tmp_path / "monday.partial"
    with filled.engine.begin() as connection:  # pg_dump waits for this lock
        connection.execute(text("LOCK TABLE users IN ACCESS EXCLUSIVE MODE"))
        process = subprocess.Popen([sys.executable, "-c", BACK_UP, filled.url, str(path)])
        while not partial.exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert not path.exists()

    back_up(filled, path, COMMAND)

    assert look_through(path).rows["users"] == 1
    assert not partial.exists()


def test_two_restores_at_once_are_one(filled: Database, backup: Path) -> None:
    """Two machines, which share no folder, restore at the same time."""
    with filled.engine.connect() as connection:
        server = server_of(connection)
    with new_database(server), pytest.raises(RestoreRuns):
        restore(filled, backup, COMMAND, replace=True)


URL = make_url("postgresql+psycopg://ada:a%20secret@db.example:5433/judge?sslmode=require")


def server(major: int, *, is_encrypted: bool = False) -> Server:
    return Server(url=URL, major=major, is_encrypted=is_encrypted)


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.usefixtures("nothing_installed")
def test_the_wheels_own_for_its_version_and_older_ones() -> None:
    assert find_program("pg_dump", server(15)) == find_program("pg_dump", server(18)) == binaries() / "pg_dump"


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (server(99), r"is PostgreSQL 99, which the pg_dump 18 .* postgresql-client-99"),
        (server(18, is_encrypted=True), r"PostgreSQL 18, reached over TLS, .* postgresql-client-18"),
    ],
)
def test_a_server_that_it_can_not_talk_to_is_said(wanted: Server, words: str) -> None:
    with pytest.raises(ProgramLacks, match=words):
        find_program("pg_dump", wanted)


def test_the_machines_own_is_taken_where_the_wheels_can_not_be(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    installed = tmp_path / "pg_dump"
    installed.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 99.1'\n")
    installed.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert find_program("pg_dump", server(99)) == find_program("pg_dump", server(18, is_encrypted=True)) == installed


def test_a_password_is_not_among_the_arguments() -> None:
    wanted = server(18)

    assert "secret" not in " ".join(wanted.arguments)
    assert "sslmode=require" in " ".join(wanted.arguments)
    assert wanted.environment["PGPASSWORD"] == "a secret"
