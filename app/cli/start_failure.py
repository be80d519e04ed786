"""Failures of the machine or the database that end a command with a sentence and not with a traceback."""

import sys
from pathlib import Path

from app.database.disk import why_unwritable

# By PostgreSQL's error code: the reason and the way out.
_DATABASE = {
    "25006": "it is read-only: name the primary server in ALLCLOSE_DATABASE_URL",
    "42P07": "it has tables of another program, or its table `alembic_version` was emptied: name an empty database",
    "42501": "its role lacks a right: make the role the owner of the database and of its tables, "
    "or run `allclose migrate` as their owner",
    "53100": "its disk is full: remove files from that disk, or move the database to another one",
    "53300": "it has too many connections: raise its max_connections, or stop other clients",
    "57P03": "it is starting or stopping: try again in a moment",
}


def explain(error: Exception) -> str | None:
    """Return a sentence with the reason and the way out; None for an error of Allclose itself."""
    if isinstance(error, OSError):
        return _explain_file(error)
    if "sqlalchemy" not in sys.modules:
        return None
    from sqlalchemy.exc import DBAPIError

    from app.database.engine import RESTORE, find_damage

    cause = error.orig if isinstance(error, DBAPIError) else error
    code = getattr(cause, "sqlstate", None)
    damage = find_damage(cause)
    why = f"its files are damaged ({damage}): {RESTORE}" if damage else _DATABASE.get(code or "")
    return f"Allclose can't use the database, because {why}." if why else None


def _explain_file(error: OSError) -> str | None:
    if not isinstance(error.filename, str):
        return None
    why = why_unwritable(Path(error.filename).absolute(), error)
    return f"Allclose can't write {error.filename}, {why.because()}" if why else None
