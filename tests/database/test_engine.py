"""The pool of connections."""

import psycopg
from sqlalchemy import func, select

from app.database.engine import Database


def read_process(database: Database) -> int:
    """Return the process of PostgreSQL that serves the connection."""
    with database.transaction() as session:
        return int(session.scalars(select(func.pg_backend_pid())).one())


def test_a_connection_that_the_server_has_ended_is_replaced(database: Database) -> None:
    ended = read_process(database)
    with psycopg.connect(database.url.replace("+psycopg", "")) as other:
        other.execute("SELECT pg_terminate_backend(%s, 10000)", [ended])

    assert read_process(database) != ended
