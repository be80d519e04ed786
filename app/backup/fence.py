"""Fencing: keeps processes of the replaced database from writing into the restored one.

A worker that was cut off from the database has claims from the old one: an attempt, with the number of a judging or the
ID of a verification. It writes by these alone, so they must mean nothing in the new database. So the new database's
sequences continue after the largest number of both. Each unfinished judging gets a new number, and its partial results
are deleted. A verification keeps its ID, which its author knows, and gets a new attempt. All of them are queued again,
since the workers of the backup's time are gone.
"""

from collections.abc import Mapping

from sqlalchemy import ARRAY, BigInteger, Connection, bindparam, text

_HANDED_OUT = text("SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'public'")
_GO_ON = text("SELECT setval(quote_ident(:name)::regclass, :last)")

_OPEN_JUDGINGS = text("SELECT id FROM judgings WHERE state IN ('queued', 'judging') ORDER BY id")
_FORGET_RESULTS = text("DELETE FROM case_results WHERE judging_id = ANY(:ids)")
_RENUMBER = text("UPDATE judgings SET id = DEFAULT WHERE id = :id RETURNING id")
_FOLLOW = text("""
    UPDATE judgings SET replaces_id = renamed.new FROM unnest(:old, :new) AS renamed (old, new)
    WHERE replaces_id = renamed.old
""").bindparams(bindparam("old", type_=ARRAY(BigInteger)), bindparam("new", type_=ARRAY(BigInteger)))

# A cancelled job ends: its lease expires, and a worker removes it.
_WAIT_AGAIN = """
    UPDATE {table} SET
        state = CASE WHEN cancel_requested THEN state ELSE 'queued' END,
        lease_until = CASE WHEN cancel_requested THEN now() END,
        max_attempts = max_attempts + 1
    WHERE state = '{held}'
"""
_HAS_VERIFICATIONS = text("SELECT to_regclass('public.verifications') IS NOT NULL")
_ATTEMPTS = text("SELECT id, attempt FROM verifications WHERE state <> 'done'")
_RAISE_ATTEMPT = text("""
    UPDATE verifications SET attempt = :attempt, max_attempts = max_attempts - attempt + :attempt WHERE id = :id
""")


def fence(old: Connection, new: Connection) -> None:
    """Fence `new` in its transaction; its schema must be current."""
    _go_on_counting(old, new)
    for table, held in (("judgings", "judging"), ("verifications", "verifying")):
        new.execute(text(_WAIT_AGAIN.format(table=table, held=held)))
    _renumber_judgings(new)
    _raise_attempts(old, new)


def _go_on_counting(old: Connection, new: Connection) -> None:
    handed_out, known = _read_sequences(old), _read_sequences(new)
    for name, last in known.items():
        largest = max(last or 0, handed_out.get(name) or 0)
        if largest:
            new.execute(_GO_ON, {"name": name, "last": largest})


def _read_sequences(connection: Connection) -> Mapping[str, int | None]:
    """Return each sequence's last value; None for an unused one."""
    return {row.sequencename: row.last_value for row in connection.execute(_HANDED_OUT)}


def _renumber_judgings(new: Connection) -> None:
    """Give the open judgings new numbers in their old order, which is the queue's."""
    ids = list(new.scalars(_OPEN_JUDGINGS))
    if ids:
        new.execute(_FORGET_RESULTS, {"ids": ids})
        new.execute(_FOLLOW, {"old": ids, "new": [new.scalar(_RENUMBER, {"id": each}) for each in ids]})


def _raise_attempts(old: Connection, new: Connection) -> None:
    had = dict(_read_attempts(old)) if old.scalar(_HAS_VERIFICATIONS) else {}
    for identifier, attempt in _read_attempts(new):
        new.execute(_RAISE_ATTEMPT, {"id": identifier, "attempt": max(attempt, had.get(identifier, 0)) + 1})


def _read_attempts(connection: Connection) -> list[tuple[object, int]]:
    return [(row.id, row.attempt) for row in connection.execute(_ATTEMPTS)]
