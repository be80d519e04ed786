"""Restores a backup in place of a database, completely or not at all.

It fills a new database beside the old one. It checks the rows against the manifest, upgrades the schema, and fences off
old claims. Only then the two swap names in one transaction, and the old one is dropped. A restore that is killed before
that changes nothing, and the next restore deletes its new database.

Fencing keeps processes of the replaced database from writing into the restored one. A worker that was cut off from the
database has claims from the old one: the number of a job, and an attempt. It writes by these, and by the number of a
judging, so they must mean nothing in the new database. So the new database's sequences continue after the largest
number of both, and each job and each unfinished judging gets a new number. Partial results are deleted. All jobs wait
again, since the workers of the backup's time are gone.
"""

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from zipfile import ZipFile

from sqlalchemy import ARRAY, BigInteger, Connection, bindparam, text

from app.audit import Act, Actor, record
from app.backup.archive import DUMP, BadBackup, Manifest, count_rows, open_backup
from app.backup.program import Server, find_program, running, server_of
from app.backup.swap import check_unused, new_database, swap
from app.database.engine import Database
from app.errors import AllcloseError
from app.schema import is_obsolete, knows, upgrade

# Every new database already has the schema `public`.
OPTIONS = ("--schema", "public", "--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction")


class BackupUnknown(AllcloseError):
    """A newer Allclose made the backup, or one from before the first release."""


class NotEmpty(AllcloseError):
    """The database has accounts, and the caller did not ask to replace them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreResult:
    """`manifest` is the backup's. `replaced` counts the rows by table that were there before."""

    manifest: Manifest
    replaced: Mapping[str, int]


def look_through(path: Path) -> Manifest:
    """Check a backup and return its manifest. Raises BadBackup and BackupUnknown."""
    with open_backup(path) as (manifest, _):
        check_revision(manifest)
        return manifest


def present_rows(database: Database) -> dict[str, int]:
    """Count the rows by table; empty for a database without accounts."""
    with database.engine.connect() as connection:
        rows = count_rows(connection)
    return rows if rows.get("users") else {}


def restore(database: Database, path: Path, actor: Actor, *, replace: bool = False) -> RestoreResult:
    """Restore a backup, and record it in the restored audit log. Closes the database's connections.

    Raises BadBackup, BackupUnknown, NotEmpty, ServiceRuns, RestoreRefused, ProgramLacks, ProgramFailed.
    """
    present = present_rows(database)
    if present and not replace:
        raise NotEmpty("The database has accounts. Use --replace to replace all its data with the backup.")
    server = _server_of(database)
    database.close()
    check_unused(server)
    with open_backup(path) as (manifest, archive), _filled(server, manifest, archive) as fresh:
        _fence(server, fresh)
        with closing(Database(fresh.address)) as restored, restored.transaction() as session:
            record(session, actor, Act(action="backup.restored", target=path.name, after=_origin(manifest)))
        swap(server, fresh)
    return RestoreResult(manifest=manifest, replaced=present)


def _server_of(database: Database) -> Server:
    with database.engine.connect() as connection:
        return server_of(connection)


@contextmanager
def _filled(server: Server, manifest: Manifest, archive: ZipFile) -> Iterator[Server]:
    """Yield a new database with the backup's rows and the current schema."""
    check_revision(manifest)
    with new_database(server) as fresh:
        with archive.open(DUMP) as dump:
            _fill(fresh, dump)
        with closing(Database(fresh.address)) as database:
            with database.engine.connect() as connection:
                _compare(count_rows(connection), manifest)
            upgrade(database)
        yield fresh


def check_revision(manifest: Manifest) -> None:
    """Raises BackupUnknown."""
    if not knows(manifest.schema_revision):
        version = "version that made it" if is_obsolete(manifest.schema_revision) else "newer version"
        raise BackupUnknown(
            f"The backup has schema revision {manifest.schema_revision} (Allclose {manifest.allclose}), which this "
            f"version of Allclose does not know. Install the {version} and restore with it."
        )


def _fill(fresh: Server, dump: IO[bytes]) -> None:
    command = [str(find_program("pg_restore", fresh)), *OPTIONS, *fresh.arguments]
    with running(command, fresh, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        # A failing pg_restore closes its end of the pipe, and reports why.
        with suppress(BrokenPipeError), process.stdin:
            shutil.copyfileobj(dump, process.stdin)


def _fence(server: Server, fresh: Server) -> None:
    """Leaves no connection to either database."""
    with (
        closing(Database(server.address)) as old,
        closing(Database(fresh.address)) as new,
        old.engine.connect() as there,
        new.transaction() as session,
    ):
        fence(there, session.connection())


def _compare(found: Mapping[str, int], manifest: Manifest) -> None:
    for table in sorted({*found, *manifest.rows}):
        if found.get(table) != manifest.rows.get(table):
            raise BadBackup(
                f"The manifest has {manifest.rows.get(table)} rows of {table}, but the restored table has "
                f"{found.get(table)}. Nothing was changed. Use another backup."
            )


def _origin(manifest: Manifest) -> dict[str, str]:
    return {"made_at": manifest.made_at.isoformat(), "schema_revision": manifest.schema_revision}


_HANDED_OUT = text("SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'public'")
_GO_ON = text("SELECT setval(quote_ident(:name)::regclass, :last)")

_WAIT_AGAIN = text("""
    UPDATE jobs SET lease_until = NULL, given_back = given_back + 1 WHERE lease_until IS NOT NULL
""")
# In their old order, which is the queue's.
_JOBS = text("SELECT id, judging_id FROM jobs ORDER BY id")
_RENUMBER_JOB = text("UPDATE jobs SET id = DEFAULT WHERE id = :id")
_FORGET_RESULTS = text("DELETE FROM case_results WHERE judging_id = ANY(:ids)")
_RENUMBER_JUDGING = text("UPDATE judgings SET id = DEFAULT WHERE id = :id RETURNING id")
_FOLLOW = text("""
    UPDATE judgings SET replaces_id = renamed.new FROM unnest(:old, :new) AS renamed (old, new)
    WHERE replaces_id = renamed.old
""").bindparams(bindparam("old", type_=ARRAY(BigInteger)), bindparam("new", type_=ARRAY(BigInteger)))


def fence(old: Connection, new: Connection) -> None:
    """Fence `new` in its transaction; its schema must be current."""
    _go_on_counting(old, new)
    new.execute(_WAIT_AGAIN)
    _renumber(new)


def _go_on_counting(old: Connection, new: Connection) -> None:
    handed_out, known = _read_sequences(old), _read_sequences(new)
    for name, last in known.items():
        largest = max(last or 0, handed_out.get(name) or 0)
        if largest:
            new.execute(_GO_ON, {"name": name, "last": largest})


def _read_sequences(connection: Connection) -> Mapping[str, int | None]:
    """Return each sequence's last value; None for an unused one."""
    return {row.sequencename: row.last_value for row in connection.execute(_HANDED_OUT)}


def _renumber(new: Connection) -> None:
    jobs = new.execute(_JOBS).all()
    for job in jobs:
        new.execute(_RENUMBER_JOB, {"id": job.id})
    ids = sorted(job.judging_id for job in jobs if job.judging_id is not None)
    if ids:
        new.execute(_FORGET_RESULTS, {"ids": ids})
        new.execute(_FOLLOW, {"old": ids, "new": [new.scalar(_RENUMBER_JUDGING, {"id": each}) for each in ids]})
