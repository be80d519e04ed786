"""A database beside another one, and how it takes its place."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg import sql

from app.backup.program import Server
from app.errors import AllcloseError

# Every server has it, and everybody may connect to it unless somebody took that away.
ELSEWHERE = "postgres"
# A server takes a moment to notice that a connection was closed, ours of just before.
CLOSING_SECONDS = 2
MAX_NAME = 40  # PostgreSQL cuts names at 63 bytes

USERS = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend'"
LOCALE = "SELECT to_jsonb(d) FROM pg_database d WHERE datname = %s"


class ServiceRuns(AllcloseError):
    """Others use the database."""

    def __init__(self, who: str) -> None:
        super().__init__(
            f"{who}: stop Allclose first, workers too (Ctrl-C at `allclose serve`, or `systemctl stop allclose`), "
            "then restore again; nothing was changed"
        )


class RestoreRefused(AllcloseError):
    """The server does not let this role do what a restore needs."""


@contextmanager
def new_database(server: Server) -> Iterator[Server]:
    """Beside `server`'s, empty, in the same locale; dropped at the end if it is still there by that name."""
    fresh = server.named(f"{server.database[:MAX_NAME]}_restoring")
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
    replaced = f"{server.database[:MAX_NAME]}_replaced"
    with _elsewhere(server) as connection:
        _drop(connection, replaced)
        try:
            with connection.transaction():
                _rename(connection, server.database, replaced)
                _rename(connection, fresh.database, server.database)
        except psycopg.errors.ObjectInUse:
            raise ServiceRuns("somebody began to use the database meanwhile") from None
        _drop(connection, replaced)


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
