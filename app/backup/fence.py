"""Fencing: keeps processes of the replaced database from writing into the restored one.

A worker that was cut off from the database has claims from the old one: the number of a job, and an attempt. It writes
by these, and by the number of a judging, so they must mean nothing in the new database. So the new database's sequences
continue after the largest number of both, and each job and each unfinished judging gets a new number. Partial results
are deleted. All jobs wait again, since the workers of the backup's time are gone.
"""

from collections.abc import Mapping

from sqlalchemy import ARRAY, BigInteger, Connection, bindparam, text

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
