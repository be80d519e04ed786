"""A database beside another one, and how it takes its place."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg import sql

from app.backup.program import Server
from app.errors import AllcloseError, Conflict

# Every server has it, and everybody may connect to it unless somebody took that away.
ELSEWHERE = "postgres"
# A server takes a moment to notice that a connection was closed, ours of just before.
CLOSING_SECONDS = 2
MAX_NAME = 40  # PostgreSQL cuts names at 63 bytes
CUT_AGAIN_SECONDS = 0.02

USERS = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend'"
LOCALE = "SELECT to_jsonb(d) FROM pg_database d WHERE datname = %s"
# Without being a superuser, for those of the same role.
CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND usename = current_user"
LOCK = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))"

_log = logging.getLogger(__name__)


class ServiceRuns(AllcloseError):
    """Others use the database."""

    def __init__(self, who: str) -> None:
        super().__init__(
            f"{who}: stop Allclose first, workers too (Ctrl-C at `allclose serve`, or `systemctl stop allclose`), "
            "then restore again; nothing was changed"
        )


class RestoreRuns(Conflict):
    """Somebody else puts a backup into the same place."""

    def __init__(self) -> None:
        super().__init__("a backup is being restored; ask again when that is through")


class RestoreRefused(AllcloseError):
    """The server does not let this role do what a restore needs."""


@contextmanager
def new_database(server: Server) -> Iterator[Server]:
    """Beside `server`'s, empty, in the same locale; dropped at the end if it is still there by that name.

    Nobody else makes one for the same place meanwhile. Raises RestoreRuns.
    """
    fresh = server.named(f"{server.database[:MAX_NAME]}_restoring")
    with _alone(server):
        with _elsewhere(server) as connection:
            _drop(connection, fresh.database)
            row = connection.execute(LOCALE, [server.database]).fetchone()
            connection.execute(_creation(fresh.database, row[0] if row else {}))
        try:
            yield fresh
        finally:
            with suppress(RestoreRefused), _elsewhere(server) as connection:
                _drop(connection, fresh.database)


def check_unused(server: Server) -> None:
    """Raises ServiceRuns."""
    deadline = time.monotonic() + CLOSING_SECONDS
    with _elsewhere(server) as connection:
        while open_ones := _count_users(connection, server.database):
            if time.monotonic() > deadline:
                raise ServiceRuns(f"{open_ones} connections to the database are open")
            time.sleep(0.05)


def swap(server: Server, fresh: Server) -> None:
    """`fresh` gets the name of `server`'s database, which is dropped. Raises ServiceRuns."""
    with _replacing(server) as replaced:
        _exchange(server, fresh, replaced)


def swap_while_used(server: Server, fresh: Server) -> None:
    """The same below a service: whoever is connected is cut off, and who connects finds the other database.

    PostgreSQL locks a database that it renames and waits 5 s for those who use it; newcomers wait for the lock, and are
    refused by the name. Raises RestoreRefused where another role uses it, whom we may not cut off.
    """
    with _replacing(server) as replaced:
        ended = threading.Event()
        cutter = threading.Thread(target=_cut_off, args=(server, ended), name="cut off", daemon=True)
        cutter.start()
        try:
            _exchange(server, fresh, replaced)
        except ServiceRuns:
            raise RestoreRefused(
                "another role than Allclose's is connected to the database: end that connection, then restore again; "
                "nothing was changed"
            ) from None
        finally:
            ended.set()
            cutter.join()


@contextmanager
def _replacing(server: Server) -> Iterator[str]:
    """The name that the database gets which is dropped at the end."""
    replaced = f"{server.database[:MAX_NAME]}_replaced"
    with _elsewhere(server) as connection:
        _drop(connection, replaced)
    yield replaced
    try:
        with _elsewhere(server) as connection:
            _drop(connection, replaced)
    except RestoreRefused:
        _log.warning("the database %s, which was replaced, stays until the next restore", replaced, exc_info=True)


def _exchange(server: Server, fresh: Server, replaced: str) -> None:
    """Both names, in one transaction. Raises ServiceRuns."""
    with _elsewhere(server) as connection:
        try:
            with connection.transaction():
                _rename(connection, server.database, replaced)
                _rename(connection, fresh.database, server.database)
        except psycopg.errors.ObjectInUse:
            raise ServiceRuns("somebody began to use the database meanwhile") from None


def _cut_off(server: Server, ended: threading.Event) -> None:
    """Again and again: between the first time and the lock, somebody may have come."""
    with suppress(RestoreRefused), _elsewhere(server) as connection:
        while not ended.wait(CUT_AGAIN_SECONDS):
            connection.execute(CUT, [server.database])


@contextmanager
def _alone(server: Server) -> Iterator[None]:
    """Raises RestoreRuns. Whose process ends is alone no more."""
    with _elsewhere(server) as connection:
        row = connection.execute(LOCK, [f"allclose restore {server.database}"]).fetchone()
        if row is None or not row[0]:
            raise RestoreRuns
        yield


@contextmanager
def _elsewhere(server: Server) -> Iterator[psycopg.Connection[Any]]:
    """A connection to no database of ours. Raises RestoreRefused."""
    try:
        with psycopg.connect(server.named(ELSEWHERE).libpq, autocommit=True) as connection:
            yield connection
    except psycopg.errors.ObjectInUse:
        raise
    except psycopg.Error as error:
        raise RestoreRefused(
            f"the database server refuses what a restore needs ({_first_line(error)}); nothing was changed. "
            f"Its role must own the database, may connect to the database {ELSEWHERE!r}, and needs CREATEDB "
            f"(ALTER ROLE … CREATEDB) for as long as this takes"
        ) from None


def _count_users(connection: psycopg.Connection[Any], name: str) -> int:
    row = connection.execute(USERS, [name]).fetchone()
    return row[0] if row else 0


def _creation(name: str, like: dict[str, Any]) -> sql.Composed:
    """Words sort as they did: `like` is a row of pg_database, whose columns differ by version."""
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
