"""The SQL statements of `app.queue.lease`. In an UPDATE, `attempt` and `worker` right of = are the old values.

The steps are the same for every table of jobs; `JobTable` holds the differences.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ARRAY, BigInteger, Integer, Text, TextClause, Uuid, bindparam, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeEngine

from app.submissions.enqueue import JUDGING_CHANNEL
from app.submissions.priority import BACKGROUND, VISITOR


@dataclass(frozen=True, slots=True, kw_only=True)
class JobTable:
    """A table whose rows are jobs.

    `held`: the state while a worker works on it. `failure`: the verdict when judging failed. `watched`: the column
    whose value is sent to progress listeners. `order`: after the priority. `channel`: announces new jobs.
    `is_rationed`: the condition for a `job` of which a worker claims no second one while it works on the first.
    """

    table: str
    held: str
    failure: str
    watched: str
    order: str
    channel: str
    id_type: TypeEngine[Any]
    is_rationed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    claim: TextClause
    beat: TextClause
    bury: TextClause
    fail: TextClause
    give_back: TextClause


def _steps(table: JobTable) -> Steps:
    names = ("table", "held", "failure", "watched", "order", "channel", "is_rationed")
    words: dict[str, object] = {name: getattr(table, name) for name in names}
    words |= {"background": BACKGROUND, "visitor": VISITOR, "is_over": _IS_OVER}
    words["waits"] = _WAITS.format(**words)
    claim, beat, bury, fail, give_back = (text(each.format(**words)) for each in _TEMPLATES)
    numbers = [bindparam(name, type_=Integer) for name in ("slots", "background", "preemptible")]
    return Steps(
        claim=claim.bindparams(bindparam("queues", type_=ARRAY(Text)), *numbers),
        beat=beat.bindparams(bindparam("ids", type_=ARRAY(table.id_type)), bindparam("attempts", type_=ARRAY(Integer))),
        bury=bury,
        fail=fail,
        give_back=give_back,
    )


# A lease is shorter than a minute. One that ends later was written before the database's clock was set back.
_IS_OVER = "(lease_until < now() OR lease_until > now() + interval '1 minute')"

_WAITS = """
    state IN ('queued', '{held}') AND attempt < max_attempts AND NOT cancel_requested
    AND (state = 'queued' OR {is_over} AND (attempt < 2 OR id IN (SELECT id FROM orphan)))
"""

# A job may have killed its worker, and would kill the next one with other jobs in it, until all of them have used up
# their attempts. So a worker runs at most one job that was lost twice. `reason` tells which running jobs were lost.
#
# LATERAL over the queues' names, so that each queue walks its own part of the index in order and stops at the limit.
# Background jobs are at the end of the index, so running ones are scanned only by workers that want more of them.
# `next_rationed` is evaluated only when a rationed job is met, so it scans no further than that. A worker holds at most
# one visitor's run too, so these never fill its slots.
_CLAIM = """
    WITH orphan AS MATERIALIZED (
        SELECT id FROM {table}
        WHERE queue = ANY(:queues) AND state = '{held}' AND {is_over}
          AND attempt BETWEEN 2 AND max_attempts - 1 AND NOT cancel_requested
          AND NOT EXISTS (
              SELECT FROM {table} AS other
              WHERE other.state = '{held}' AND other.worker = :worker AND other.lease_until >= now()
                AND other.attempt > 2 AND other.reason LIKE '%stopped beating'
          )
        ORDER BY priority DESC, {order} LIMIT 1
    ), rationed AS MATERIALIZED (
        SELECT FROM {table} AS job
        WHERE state = '{held}' AND worker = :worker AND lease_until >= now() AND {is_rationed} LIMIT 1
    ), next_rationed AS MATERIALIZED (
        SELECT waiting.id
        FROM unnest(:queues) AS wanted (queue)
        CROSS JOIN LATERAL (
            SELECT id, priority FROM {table} AS job
            WHERE job.queue = wanted.queue AND priority > {background} AND {waits} AND {is_rationed}
            ORDER BY priority DESC, {order} LIMIT 1
        ) AS waiting
        WHERE NOT EXISTS (SELECT FROM rationed) ORDER BY waiting.priority DESC LIMIT 1
    ), next_visitor AS MATERIALIZED (
        SELECT id FROM {table} AS job
        WHERE job.queue = ANY(:queues) AND priority = {visitor} AND {waits} AND NOT EXISTS (
            SELECT FROM {table} AS other
            WHERE other.state = '{held}' AND other.worker = :worker AND other.lease_until >= now()
              AND other.priority = {visitor}
        )
        ORDER BY {order} LIMIT 1
    ), ahead AS MATERIALIZED (
        SELECT waiting.id
        FROM unnest(:queues) AS wanted (queue)
        CROSS JOIN LATERAL (
            SELECT id FROM {table} AS job
            WHERE job.queue = wanted.queue AND priority > {background} AND {waits}
              AND (NOT {is_rationed} OR id = (SELECT id FROM next_rationed))
              AND (priority <> {visitor} OR id = (SELECT id FROM next_visitor))
            ORDER BY priority DESC, {order} LIMIT :slots FOR UPDATE SKIP LOCKED
        ) AS waiting
        LIMIT :slots
    ), room AS MATERIALIZED (
        SELECT greatest(0, least(:background, :slots - :preemptible - (SELECT count(*) FROM ahead))) AS slots
    ), behind AS MATERIALIZED (
        SELECT waiting.id
        FROM unnest(:queues) AS wanted (queue)
        CROSS JOIN LATERAL (
            SELECT id FROM {table} AS job
            WHERE job.queue = wanted.queue AND priority <= {background} AND {waits}
            ORDER BY priority DESC, {order} LIMIT (SELECT slots FROM room) FOR UPDATE SKIP LOCKED
        ) AS waiting
        LIMIT (SELECT slots FROM room)
    ), candidate AS (
        SELECT id FROM ahead UNION ALL SELECT id FROM behind
    ), claimed AS (
        UPDATE {table} AS job SET
            state = '{held}', attempt = attempt + 1, worker = :worker,
            started_at = now(), lease_until = now() + :lease,
            reason = CASE WHEN state = 'queued' THEN reason ELSE
                concat_ws(E'\\n', reason, format('attempt %s: its worker %s stopped beating', attempt, worker)) END
        FROM candidate WHERE job.id = candidate.id
        RETURNING job.id, attempt, priority <= {background} AS is_background, job.{watched} AS watched
    )
    SELECT id, attempt, is_background, watched, pg_notify('progress', watched::text) FROM claimed
"""

_BEAT = """
    UPDATE {table} AS job SET lease_until = now() + :lease
    FROM unnest(:ids, :attempts) AS mine (id, attempt)
    WHERE job.id = mine.id AND job.attempt = mine.attempt AND state = '{held}'
    RETURNING job.id, job.attempt, cancel_requested
"""

_BURY = """
    WITH dead AS MATERIALIZED (
        SELECT id FROM {table}
        WHERE state = '{held}' AND {is_over} AND (attempt >= max_attempts OR cancel_requested)
        FOR UPDATE SKIP LOCKED
    ), buried AS (
        UPDATE {table} AS job SET
            state = 'done', verdict = '{failure}', finished_at = now(), lease_until = NULL,
            reason = concat_ws(E'\\n', reason, format('attempt %s: its worker %s stopped beating', attempt, worker))
        FROM dead WHERE job.id = dead.id
        RETURNING job.{watched} AS watched
    )
    SELECT pg_notify('progress', watched::text) FROM buried
"""

_FAIL = """
    UPDATE {table} SET
        state = CASE WHEN attempt < max_attempts AND NOT cancel_requested THEN 'queued' ELSE 'done' END,
        verdict = CASE WHEN attempt < max_attempts AND NOT cancel_requested THEN NULL ELSE '{failure}' END,
        finished_at = CASE WHEN attempt < max_attempts AND NOT cancel_requested THEN NULL ELSE now() END,
        lease_until = NULL, reason = concat_ws(E'\\n', reason, format('attempt %s: %s', attempt, CAST(:reason AS text)))
    WHERE id = :id AND attempt = :attempt AND state = '{held}'
    RETURNING pg_notify('progress', {watched}::text), pg_notify('{channel}', queue)
"""

# A worker that is told to stop is not a failed attempt. `attempt` never decreases, because it fences old writes.
_GIVE_BACK = """
    UPDATE {table} SET
        state = CASE WHEN cancel_requested THEN 'done' ELSE 'queued' END,
        verdict = CASE WHEN cancel_requested THEN '{failure}' END,
        finished_at = CASE WHEN cancel_requested THEN now() END,
        lease_until = NULL, max_attempts = max_attempts + 1
    WHERE id = :id AND attempt = :attempt AND state = '{held}'
    RETURNING pg_notify('progress', {watched}::text), pg_notify('{channel}', queue)
"""

_TEMPLATES = (_CLAIM, _BEAT, _BURY, _FAIL, _GIVE_BACK)

# The reference may run long on custom inputs (`app.engine.prepare`). So a worker has one such judging at a time, and a
# box for references stays free.
_HAS_CUSTOM_INPUTS = "(SELECT inputs IS NOT NULL FROM submissions WHERE submissions.id = job.submission_id)"

JUDGING = _steps(
    JobTable(
        table="judgings",
        held="judging",
        failure="judge_error",
        watched="submission_id",
        order="id",
        channel=JUDGING_CHANNEL,
        id_type=BigInteger(),
        is_rationed=_HAS_CUSTOM_INPUTS,
    )
)
VERIFYING = _steps(
    JobTable(
        table="verifications",
        held="verifying",
        failure="failed",
        watched="id",
        order="queued_at, id",
        channel="verification",
        id_type=Uuid(),
        is_rationed="false",
    )
)

FINISH = text("""
    UPDATE judgings SET
        state = 'done', verdict = :verdict, score = :score, hint = :hint, hint_pending = :hint_pending,
        phases = :phases, times = :times, image = :image, versions = :versions, finished_at = now(),
        lease_until = NULL
    WHERE id = :id AND attempt = :attempt AND state = 'judging'
    RETURNING pg_notify('progress', submission_id::text)
""").bindparams(
    bindparam("versions", type_=JSONB),
    bindparam("phases", type_=JSONB),
    bindparam("times", type_=JSONB(none_as_null=True)),
)

ADD_HINT = text("""
    UPDATE judgings SET hint = :hint, hint_pending = false WHERE id = :id AND attempt = :attempt AND state = 'done'
    RETURNING pg_notify('progress', submission_id::text)
""")

IS_FINISHED = text("""
    SELECT id FROM judgings WHERE id = :id AND attempt = :attempt AND state = 'done' AND verdict = :verdict
""")

RECORD_PHASES = text("""
    UPDATE judgings SET phases = :phases WHERE id = :id AND attempt = :attempt AND state = 'judging'
    RETURNING pg_notify('progress', submission_id::text)
""").bindparams(bindparam("phases", type_=JSONB))

IS_CANCELLED = text("SELECT id FROM judgings WHERE id = :id AND verdict = 'cancelled'")

# Locks the row until the result that refers to it is written, so that it can't be removed.
STILL_COUNTS = text("SELECT id FROM judgings WHERE id = :id AND verdict IS DISTINCT FROM 'cancelled' FOR KEY SHARE")

NOTIFY_PROGRESS = text("SELECT pg_notify('progress', :submission_id)")
