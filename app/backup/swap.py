"""Swaps databases: makes a new one beside the old one, and exchanges their names."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg import sql

from app.backup.program import Server
from app.errors import AllcloseError

# The maintenance database. Every server has it, and by default every role may connect to it.
MAINTENANCE = "postgres"
# A server takes a moment to notice that our own connection was closed.
CLOSING_SECONDS = 2
MAX_NAME = 40  # PostgreSQL cuts names at 63 bytes

USERS = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend'"
LOCALE = "SELECT to_jsonb(d) FROM pg_database d WHERE datname = %s"
LOCK = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))"

_log = logging.getLogger(__name__)


class ServiceRuns(AllcloseError):
    """Another process uses the database."""

    def __init__(self, who: str) -> None:
        super().__init__(
            f"{who}. Nothing was changed. Stop Allclose and its workers (Ctrl-C at `allclose serve`, or "
            "`systemctl stop allclose`), then restore again."
        )


class RestoreRuns(AllcloseError):
    """Another restore of the same database is running."""

    def __init__(self) -> None:
        super().__init__("A backup is being restored. Try again when the restore has ended.")


class RestoreRefused(AllcloseError):
    """The database server refuses a step of the restore."""


@contextmanager
def new_database(server: Server) -> Iterator[Server]:
    """Make an empty database beside `server`'s, with the same locale. Drops it at the end if it was not swapped.

    Holds a lock, so that there is one restore at a time. Raises RestoreRuns.
    """
    fresh = server.named(f"{server.database[:MAX_NAME]}_restoring")
    with _locked(server):
        with _maintenance(server) as connection:
            _drop(connection, fresh.database)
            row = connection.execute(LOCALE, [server.database]).fetchone()
            connection.execute(_creation(fresh.database, row[0] if row else {}))
        try:
            yield fresh
        finally:
            with suppress(RestoreRefused), _maintenance(server) as connection:
                _drop(connection, fresh.database)


def check_unused(server: Server) -> None:
    """Raises ServiceRuns."""
    deadline = time.monotonic() + CLOSING_SECONDS
    with _maintenance(server) as connection:
        while open_ones := _count_users(connection, server.database):
            if time.monotonic() > deadline:
                raise ServiceRuns(f"The database has {open_ones} open connections")
            time.sleep(0.05)


def swap(server: Server, fresh: Server) -> None:
    """Give `fresh` the name of `server`'s database, and drop that one. Raises ServiceRuns."""
    with _replacing(server) as replaced:
        _exchange(server, fresh, replaced)


@contextmanager
def _replacing(server: Server) -> Iterator[str]:
    """Yield a free name for the old database, which is dropped at the end."""
    replaced = f"{server.database[:MAX_NAME]}_replaced"
    with _maintenance(server) as connection:
        _drop(connection, replaced)
    yield replaced
    try:
        with _maintenance(server) as connection:
            _drop(connection, replaced)
    except RestoreRefused:
        _log.warning("the old database %s could not be dropped; the next restore drops it", replaced, exc_info=True)


def _exchange(server: Server, fresh: Server, replaced: str) -> None:
    """Exchange both names in one transaction. Raises ServiceRuns."""
    with _maintenance(server) as connection:
        try:
            with connection.transaction():
                _rename(connection, server.database, replaced)
                _rename(connection, fresh.database, server.database)
        except psycopg.errors.ObjectInUse:
            raise ServiceRuns("Another process has connected to the database meanwhile") from None


@contextmanager
def _locked(server: Server) -> Iterator[None]:
    """Hold the lock of restores, which also ends with the process. Raises RestoreRuns."""
    with _maintenance(server) as connection:
        row = connection.execute(LOCK, [f"allclose restore {server.database}"]).fetchone()
        if row is None or not row[0]:
            raise RestoreRuns
        yield


@contextmanager
def _maintenance(server: Server) -> Iterator[psycopg.Connection[Any]]:
    """Connect to the maintenance database. Raises RestoreRefused."""
    try:
        with psycopg.connect(server.named(MAINTENANCE).libpq, autocommit=True) as connection:
            yield connection
    except psycopg.errors.ObjectInUse:
        raise
    except psycopg.Error as error:
        raise RestoreRefused(
            f"The database server refuses a step of the restore ({_first_line(error)}). Nothing was changed. "
            f"The role must own the database, be able to connect to the database {MAINTENANCE!r}, and have CREATEDB "
            f"during the restore (ALTER ROLE … CREATEDB)."
        ) from None


def _count_users(connection: psycopg.Connection[Any], name: str) -> int:
    row = connection.execute(USERS, [name]).fetchone()
    return row[0] if row else 0


def _creation(name: str, like: dict[str, Any]) -> sql.Composed:
    """Create a database with the locale of `like`, a row of pg_database, whose columns differ by version."""
    statement = sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE {} LC_CTYPE {}").format(
        sql.Identifier(name), sql.Literal(like["datcollate"]), sql.Literal(like["datctype"])
    )
    locale = sql.Literal(like.get("datlocale") or like.get("daticulocale"))
    match like.get("datlocprovider"):
        case "b":
            return statement + sql.SQL(" LOCALE_PROVIDER builtin BUILTIN_LOCALE {}").format(locale)
        case "i":
            return statement + sql.SQL(" LOCALE_PROVIDER icu ICU_LOCALE {}").format(locale)
        case "c":
            return statement + sql.SQL(" LOCALE_PROVIDER libc")
    return statement


def _drop(connection: psycopg.Connection[Any], name: str) -> None:
    connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _rename(connection: psycopg.Connection[Any], name: str, new: str) -> None:
    connection.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(name), sql.Identifier(new)))


def _first_line(error: psycopg.Error) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
