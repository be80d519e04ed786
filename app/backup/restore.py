"""Putting a backup in the place of a database, all of it or nothing.

It fills a database of its own beside the one that is there. Only when its rows are those of the manifest, its schema is
this code's and nobody's claims of before mean anything in it (`fence.py`), do the two change names, in one transaction;
what was there is dropped then. Killed before that, it leaves everything as it was, and a database that the next restore
removes.
"""

import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from dataclasses import replace as changed
from pathlib import Path
from typing import IO
from zipfile import ZipFile

from sqlalchemy.orm import Session

from app.accounts.model import User
from app.audit import Act, Actor, record
from app.backup.archive import DUMP, BadBackup, Manifest, count_rows, open_backup
from app.backup.fence import fence
from app.backup.program import Server, find_program, running, server_of
from app.backup.swap import check_unused, new_database, swap, swap_while_used
from app.database.engine import Database
from app.errors import AllcloseError
from app.schema import knows, upgrade

Tell = Callable[[str], object]

# The schema itself is there in every new database.
OPTIONS = ("--schema", "public", "--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction")


class BackupTooNew(AllcloseError):
    """A newer Allclose made it."""


class NotEmpty(AllcloseError):
    """There are accounts in the database, and nobody said that they may go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """`manifest` of the backup; `replaced`: rows by table that were there before, if there were any."""

    manifest: Manifest
    replaced: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Restore:
    """`name`: the file's. `is_below_a_service`: others use the database meanwhile."""

    manifest: Manifest
    name: str
    actor: Actor
    is_below_a_service: bool = False


def look_through(path: Path) -> Manifest:
    """What a restore would put in place. Raises BadBackup, BackupTooNew."""
    with open_backup(path) as (manifest, _):
        check_revision(manifest)
        return manifest


def present_rows(database: Database) -> dict[str, int]:
    """By table; empty for a database that nobody has an account in."""
    with database.engine.connect() as connection:
        rows = count_rows(connection)
    return rows if rows.get("users") else {}


def restore(database: Database, path: Path, actor: Actor, *, replace: bool = False) -> Restored:
    """`database` has the backup's rows afterwards, and an event that says so; its connections are closed.

    Raises BadBackup, BackupTooNew, NotEmpty, ServiceRuns, RestoreRefused, ProgramLacks, ProgramFailed.
    """
    present = present_rows(database)
    if present and not replace:
        raise NotEmpty("the database has accounts in it; --replace puts the backup in the place of all of it")
    server = _server_of(database)
    database.close()
    check_unused(server)
    with open_backup(path) as (manifest, archive), _filled(server, manifest, archive) as fresh:
        _finish(server, fresh, _Restore(manifest=manifest, name=path.name, actor=actor))
        swap(server, fresh)
    return Restored(manifest=manifest, replaced=present)


def restore_while_used(database: Database, path: Path, actor: Actor, tell: Tell = str) -> None:
    """The same below a service, which goes on until its connections are cut, and then with the backup's rows.

    `tell` is called with each step. Raises as `restore` does, but no ServiceRuns.
    """
    server = _server_of(database)
    tell("reading the file")
    with open_backup(path) as (manifest, archive):
        tell("filling a database beside")
        with _filled(server, manifest, archive) as fresh:
            tell("taking the place")
            _finish(server, fresh, _Restore(manifest=manifest, name=path.name, actor=actor, is_below_a_service=True))
            swap_while_used(server, fresh)


def _server_of(database: Database) -> Server:
    with database.engine.connect() as connection:
        return server_of(connection)


@contextmanager
def _filled(server: Server, manifest: Manifest, archive: ZipFile) -> Iterator[Server]:
    """A database beside, with the backup's rows and today's schema."""
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
    """Raises BackupTooNew."""
    if not knows(manifest.schema_revision):
        raise BackupTooNew(
            f"the backup is of schema revision {manifest.schema_revision} (Allclose {manifest.allclose}), which this "
            "Allclose does not know: install the newer one, and restore with it"
        )


def _fill(fresh: Server, dump: IO[bytes]) -> None:
    command = [str(find_program("pg_restore", fresh)), *OPTIONS, *fresh.arguments]
    with running(command, fresh, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        # One that fails has closed its end, and says why.
        with suppress(BrokenPipeError), process.stdin:
            shutil.copyfileobj(dump, process.stdin)


def _finish(server: Server, fresh: Server, restore: _Restore) -> None:
    """Leaves no connection to either."""
    with (
        closing(Database(server.address)) as old,
        closing(Database(fresh.address)) as new,
        old.engine.connect() as there,
        new.transaction() as session,
    ):
        fence(there, session.connection(), meanwhile=restore.is_below_a_service)
        _record(session, restore)


def _record(session: Session, restore: _Restore) -> None:
    """Who asked for it may have no account yet in what they restore."""
    after, actor = _origin(restore.manifest), restore.actor
    if actor.user_id is not None and session.get(User, actor.user_id) is None:
        after, actor = {**after, "by": str(actor.user_id)}, changed(actor, user_id=None)
    record(session, actor, Act(action="backup.restored", target=restore.name, after=after))


def _compare(found: Mapping[str, int], manifest: Manifest) -> None:
    for table in sorted({*found, *manifest.rows}):
        if found.get(table) != manifest.rows.get(table):
            raise BadBackup(
                f"the backup says that {table} has {manifest.rows.get(table)} rows, and {found.get(table)} came out of "
                "it; nothing was changed: take another backup"
            )


def _origin(manifest: Manifest) -> dict[str, str]:
    return {"made_at": manifest.made_at.isoformat(), "schema_revision": manifest.schema_revision}
