"""Leases on jobs: the steps of a job's life, each one a transaction.

A worker holds a job until `lease_until`, and extends the lease with each beat. A claim raises `attempt`, and every
later write names the attempt. So a frozen worker that wakes after another took over writes nothing. A job that ends is
deleted, and the COMMIT that deletes it also writes the verdict. Expired leases need no sweeper, because claims include
them. Only the database's clock is used, and if it is set back, the leases of before are over.

Writes lock the job first and its judging, verification or check second, so that no two of them deadlock.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from threading import Event
from typing import Any, ClassVar, Self, TypeVar
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    CTE,
    BigInteger,
    ColumnElement,
    Integer,
    Row,
    Text,
    bindparam,
    delete,
    func,
    select,
    text,
)
from sqlalchemy.orm import Session

from app.database.engine import NEVER, Database, retry, retry_briefly
from app.judging.printable_text import printable
from app.queue.model import BACKGROUND, CHANNEL, MAX_ATTEMPTS, VISITOR, Job

REASON_CHARACTERS = 8192

# A lease is shorter than a minute. One that ends later was written before the database's clock was set back.
_IS_OVER = "(lease_until < now() OR lease_until > now() + interval '1 minute')"
_TRIES = "(attempt - given_back)"
_WAITS = f"""
    {_TRIES} < {MAX_ATTEMPTS} AND NOT frameworks && :lacks
    AND (lease_until IS NULL OR {_IS_OVER} AND ({_TRIES} < 2 OR id IN (SELECT id FROM orphan)))
"""
_WORKER_LOST = "concat_ws(E'\\n', reason, format('attempt %s: its worker %s stopped beating', attempt, worker))"

# A job may have killed its worker, and would kill the next one with other jobs in it, until all of them have used up
# their attempts. So a worker runs at most one job that was lost twice. `reason` tells which running jobs were lost.
#
# LATERAL over the queues' names, so that each queue walks its own part of the index in order and stops at the limit.
# Background jobs are at the end of the index, so running ones are scanned only by workers that want more of them.
# `next_rationed` is evaluated only when a rationed job is met, so it scans no further than that. A worker holds at most
# one visitor's run too, so these never fill its slots. Right of = in an UPDATE, columns have their old values.
CLAIM = text(f"""
    WITH held AS MATERIALIZED (
        SELECT priority, is_rationed, {_TRIES} > 2 AND reason LIKE '%stopped beating' AS was_lost
        FROM jobs WHERE worker = :worker AND lease_until >= now()
    ), orphan AS MATERIALIZED (
        SELECT id FROM jobs
        WHERE queue = ANY(:queues) AND {_IS_OVER} AND {_TRIES} BETWEEN 2 AND {MAX_ATTEMPTS - 1}
          AND NOT frameworks && :lacks
          AND NOT EXISTS (SELECT FROM held WHERE was_lost)
        ORDER BY priority DESC, id LIMIT 1
    ), next_rationed AS MATERIALIZED (
        SELECT waiting.id
        FROM unnest(:queues) AS wanted (queue)
        CROSS JOIN LATERAL (
            SELECT id, priority FROM jobs
            WHERE jobs.queue = wanted.queue AND priority > {BACKGROUND} AND {_WAITS} AND is_rationed
            ORDER BY priority DESC, id LIMIT 1
        ) AS waiting
        WHERE NOT EXISTS (SELECT FROM held WHERE is_rationed) ORDER BY waiting.priority DESC LIMIT 1
    ), next_visitor AS MATERIALIZED (
        SELECT id FROM jobs
        WHERE queue = ANY(:queues) AND priority = {VISITOR} AND {_WAITS}
          AND NOT EXISTS (SELECT FROM held WHERE priority = {VISITOR})
        ORDER BY id LIMIT 1
    ), ahead AS MATERIALIZED (
        SELECT waiting.id
        FROM unnest(:queues) AS wanted (queue)
        CROSS JOIN LATERAL (
            SELECT id FROM jobs
            WHERE jobs.queue = wanted.queue AND priority > {BACKGROUND} AND {_WAITS}
              AND (NOT is_rationed OR id = (SELECT id FROM next_rationed))
              AND (priority <> {VISITOR} OR id = (SELECT id FROM next_visitor))
            ORDER BY priority DESC, id LIMIT :slots FOR UPDATE SKIP LOCKED
        ) AS waiting
        LIMIT :slots
    ), room AS MATERIALIZED (
        SELECT greatest(0, least(:background, :slots - :preemptible - (SELECT count(*) FROM ahead))) AS slots
    ), behind AS MATERIALIZED (
        SELECT waiting.id
        FROM unnest(:queues) AS wanted (queue)
        CROSS JOIN LATERAL (
            SELECT id FROM jobs
            WHERE jobs.queue = wanted.queue AND priority <= {BACKGROUND} AND {_WAITS}
            ORDER BY priority DESC, id LIMIT (SELECT slots FROM room) FOR UPDATE SKIP LOCKED
        ) AS waiting
        LIMIT (SELECT slots FROM room)
    ), candidate AS (
        SELECT id FROM ahead UNION ALL SELECT id FROM behind
    ), claimed AS (
        UPDATE jobs SET
            attempt = attempt + 1, worker = :worker, started_at = now(), lease_until = now() + :lease,
            reason = CASE WHEN lease_until IS NULL THEN reason ELSE {_WORKER_LOST} END
        FROM candidate WHERE jobs.id = candidate.id
        RETURNING jobs.id, judging_id, watched, attempt, priority
    )
    SELECT id, judging_id, watched, attempt, priority <= {BACKGROUND} AS is_background,
        pg_notify('progress', watched::text)
    FROM claimed
""").bindparams(
    *(bindparam(name, type_=ARRAY(Text)) for name in ("queues", "lacks")),
    *(bindparam(name, type_=Integer) for name in ("slots", "background", "preemptible")),
)

_BEAT = text("""
    UPDATE jobs SET lease_until = now() + :lease
    FROM unnest(:ids, :attempts) AS mine (id, attempt)
    WHERE jobs.id = mine.id AND jobs.attempt = mine.attempt AND lease_until IS NOT NULL
    RETURNING jobs.id, jobs.attempt
""").bindparams(bindparam("ids", type_=ARRAY(BigInteger)), bindparam("attempts", type_=ARRAY(Integer)))

_FIND_DEAD = f"""
    UPDATE jobs SET reason = {_WORKER_LOST} FROM (
        SELECT id FROM jobs
        WHERE {_IS_OVER} AND {_TRIES} >= {MAX_ATTEMPTS} AND {{column}} IS NOT NULL
        FOR UPDATE SKIP LOCKED
    ) AS dead WHERE jobs.id = dead.id
    RETURNING jobs.id
"""

_FAIL = text(f"""
    UPDATE jobs SET lease_until = NULL,
        reason = concat_ws(E'\\n', reason, format('attempt %s: %s', attempt, CAST(:reason AS text)))
    WHERE id = :id AND attempt = :attempt AND lease_until IS NOT NULL
    RETURNING
        {_TRIES} >= {MAX_ATTEMPTS} AS was_last, pg_notify('progress', watched::text), pg_notify('{CHANNEL}', queue)
""")

# A worker that is told to stop is not a failed attempt. `attempt` never decreases, because it fences old writes.
_GIVE_BACK = text(f"""
    UPDATE jobs SET lease_until = NULL, given_back = given_back + 1
    WHERE id = :id AND attempt = :attempt AND lease_until IS NOT NULL
    RETURNING pg_notify('progress', watched::text), pg_notify('{CHANNEL}', queue)
""")

_END = text("""
    DELETE FROM jobs WHERE id = :id AND attempt = :attempt AND lease_until IS NOT NULL
    RETURNING worker, started_at, reason, pg_notify('progress', watched::text)
""")

_BURY = """
    WITH ended AS (DELETE FROM jobs WHERE id = ANY(:ids) RETURNING *), failed AS ({failure})
    SELECT pg_notify('progress', watched::text) FROM ended
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right of one attempt to do a job. It ends when a later attempt begins.

    `watched`: the ID of the submission, the verification or the check. Background claims give way to others.

    A kind of claim has its `COLUMN` of `jobs`, and the SQL of its `FAILURE`, which ends what the jobs `ended` were for
    by Allclose's fault. Each kind writes to its own table only, since a worker may lack the rights to the others.
    """

    COLUMN: ClassVar[str]
    FAILURE: ClassVar[str]

    job_id: int
    attempt: int
    watched: UUID
    is_background: bool = False

    @classmethod
    def of(cls, row: Row[Any]) -> Self:
        return cls(job_id=row.id, attempt=row.attempt, watched=row.watched, is_background=row.is_background)

    @property
    def key(self) -> dict[str, int]:
        return {"id": self.job_id, "attempt": self.attempt}

    def __str__(self) -> str:
        return f"job {self.job_id} of {self.watched}, attempt {self.attempt}"


C = TypeVar("C", bound=Claim)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a worker is ready to take: at most `slots` jobs of these queues, each held for `lease`.

    `background`: at most so many of them may be background jobs, if others leave room. `preemptible`: slots held by
    background jobs that give way, but only to other jobs. `lacks`: frameworks that no job may need.
    """

    queues: Sequence[str]
    slots: int
    worker: str
    lease: timedelta
    background: int = 0
    preemptible: int = 0
    lacks: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedJob:
    """What a job leaves to what it was for: the last attempt's worker and start, and all its errors."""

    worker: str
    started_at: datetime
    reason: str | None


def enqueue(session: Session, job: Job) -> None:
    """Add a job and notify workers. They see it when the caller's transaction commits."""
    session.add(job)
    session.flush()
    session.execute(select(func.pg_notify(CHANNEL, job.queue)))


def claim(session: Session, wanted: Wanted, kind: type[C]) -> list[C]:
    """Take jobs that wait, or whose worker stopped beating: highest priority first, then the oldest."""
    lists = {"queues": list(wanted.queues), "lacks": list(wanted.lacks)}
    rows = session.execute(CLAIM, {**asdict(wanted), **lists})
    return [kind.of(row) for row in rows]


def beat(session: Session, claims: Collection[C], lease: timedelta) -> set[C]:
    """Extend the leases. Return the claims to abort: taken over by another worker, or cancelled."""
    held = list(claims)
    values = {"ids": [each.job_id for each in held], "attempts": [each.attempt for each in held], "lease": lease}
    kept = {(row.id, row.attempt) for row in session.execute(_BEAT, values)}
    return {each for each in held if (each.job_id, each.attempt) not in kept}


def bury(session: Session, kind: type[Claim]) -> int:
    """End jobs of this kind whose last attempt's worker stopped beating, as Allclose's failure. Return how many."""
    dead = session.scalars(text(_FIND_DEAD.format(column=kind.COLUMN))).all()
    if dead:
        _bury(session, kind, dead)
    return len(dead)


def _bury(session: Session, kind: type[Claim], jobs: Sequence[int]) -> None:
    statement = text(_BURY.format(failure=kind.FAILURE)).bindparams(bindparam("ids", type_=ARRAY(BigInteger)))
    session.execute(statement, {"ids": jobs})


def end(session: Session, claim: Claim) -> EndedJob | None:
    """Delete the job, in the transaction that writes its verdict. None: superseded or cancelled, so write nothing."""
    row = session.execute(_END, claim.key).first()
    return None if row is None else EndedJob(worker=row.worker, started_at=row.started_at, reason=row.reason)


def cancelled(which: ColumnElement[bool]) -> CTE:
    """Delete jobs, in the statement that ends what they are for as cancelled."""
    return delete(Job).where(which).returning(*Job.__table__.columns).cte("cancelled")


def hold(session: Session, claim: Claim) -> bool:
    """Keep the job from ending until the transaction does. False if another attempt took over, or it has ended."""
    mine = (Job.id == claim.job_id, Job.attempt == claim.attempt, Job.lease_until.is_not(None))
    # The lock lets beats pass.
    return session.scalar(select(Job.id).where(*mine).with_for_update(read=True, key_share=True)) is not None


def fail(database: Database, claim: Claim, reason: str, abort: Event = NEVER) -> None:
    """Give the job back for another attempt, or bury it after the last one.

    Retries while the database is away, until `abort` is set. A long reason is cut at its start, since a traceback ends
    with the error.
    """
    values = {**claim.key, "reason": printable(reason[-REASON_CHARACTERS:], REASON_CHARACTERS)}

    def step() -> None:
        with database.transaction() as session:
            failed = session.execute(_FAIL, values).first()
            if failed is not None and failed.was_last:
                _bury(session, type(claim), [claim.job_id])

    retry(step, abort)


def give_back(database: Database, claim: Claim) -> None:
    """Release an aborted job, back into the queue without using up an attempt.

    Does not wait for a database that is away: the lease expires by itself.
    """

    def step() -> None:
        with database.transaction() as session:
            session.execute(_GIVE_BACK, claim.key)

    retry_briefly(step)
