"""What keeps those who still work for the replaced database from writing into the restored one.

A worker that judges while the databases change names holds claims of the old one: a judging's number, or a
verification's identifier, and an attempt. It writes by these alone, so the new database must never have meant others
by them. Numbers go on behind the largest that either has handed out. What is to be judged gets a new number of these,
and the results that were half there go. A verification keeps its identifier, which authors know, and gets an attempt
that nobody has had. All of them wait again, since whoever held them when the backup was made is gone.
"""

from collections.abc import Mapping

from sqlalchemy import ARRAY, BigInteger, Connection, bindparam, text

# Of a service that runs on: more than it hands out from when we look until it is cut off.
NUMBERS_MEANWHILE = 1_000_000
ATTEMPTS_MEANWHILE = 10

_HANDED_OUT = text("SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'public'")
_GO_ON = text("SELECT setval(quote_ident(:name)::regclass, :last)")

_OPEN_JUDGINGS = text("SELECT id FROM judgings WHERE state IN ('queued', 'judging') ORDER BY id")
_FORGET_RESULTS = text("DELETE FROM case_results WHERE judging_id = ANY(:ids)")
_RENUMBER = text("UPDATE judgings SET id = DEFAULT WHERE id = :id RETURNING id")
_FOLLOW = text("""
    UPDATE judgings SET replaces_id = renamed.new FROM unnest(:old, :new) AS renamed (old, new)
    WHERE replaces_id = renamed.old
""").bindparams(bindparam("old", type_=ARRAY(BigInteger)), bindparam("new", type_=ARRAY(BigInteger)))

# A job that was asked to end does: its lease is over, and a worker buries it.
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


def fence(old: Connection, new: Connection, *, meanwhile: bool) -> None:
    """In the transaction of `new`, whose schema is today's. `meanwhile`: others use `old` still."""
    _go_on_counting(old, new, NUMBERS_MEANWHILE if meanwhile else 0)
    for table, held in (("judgings", "judging"), ("verifications", "verifying")):
        new.execute(text(_WAIT_AGAIN.format(table=table, held=held)))
    _renumber_judgings(new)
    _raise_attempts(old, new, ATTEMPTS_MEANWHILE if meanwhile else 1)


def _go_on_counting(old: Connection, new: Connection, more: int) -> None:
    handed_out, known = _read_sequences(old), _read_sequences(new)
    for name, last in known.items():
        largest = max(last or 0, handed_out.get(name) or 0)
        if largest + more:
            new.execute(_GO_ON, {"name": name, "last": largest + more})


def _read_sequences(connection: Connection) -> Mapping[str, int | None]:
    """None where nothing was handed out yet."""
    return {row.sequencename: row.last_value for row in connection.execute(_HANDED_OUT)}


def _renumber_judgings(new: Connection) -> None:
    """In their order, which is that of the queue."""
    ids = list(new.scalars(_OPEN_JUDGINGS))
    if ids:
        new.execute(_FORGET_RESULTS, {"ids": ids})
        new.execute(_FOLLOW, {"old": ids, "new": [new.scalar(_RENUMBER, {"id": each}) for each in ids]})


def _raise_attempts(old: Connection, new: Connection, more: int) -> None:
    had = dict(_read_attempts(old)) if old.scalar(_HAS_VERIFICATIONS) else {}
    for identifier, attempt in _read_attempts(new):
        new.execute(_RAISE_ATTEMPT, {"id": identifier, "attempt": max(attempt, had.get(identifier, 0)) + more})


def _read_attempts(connection: Connection) -> list[tuple[object, int]]:
    return [(row.id, row.attempt) for row in connection.execute(_ATTEMPTS)]
