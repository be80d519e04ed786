"""The statements of `app.worker.lease`. In an UPDATE, `attempt` and `worker` to the right of = are those before it."""

from sqlalchemy import ARRAY, BigInteger, Integer, Text, bindparam, text
from sqlalchemy.dialects.postgresql import JSONB

# LATERAL over the queues' names, so that each one walks its own part of the index in order and stops at the limit.
CLAIM = text("""
    WITH candidate AS MATERIALIZED (
        SELECT waiting.id
        FROM unnest(:queues) AS wanted (queue)
        CROSS JOIN LATERAL (
            SELECT id FROM judgings
            WHERE judgings.queue = wanted.queue AND state IN ('queued', 'judging')
              AND (state = 'queued' OR lease_until < now()) AND attempt < max_attempts AND NOT cancel_requested
            ORDER BY priority DESC, id LIMIT :slots FOR UPDATE SKIP LOCKED
        ) AS waiting
        LIMIT :slots
    ), claimed AS (
        UPDATE judgings SET
            state = 'judging', attempt = attempt + 1, worker = :worker,
            started_at = now(), lease_until = now() + :lease,
            reason = CASE WHEN state = 'queued' THEN reason ELSE
                concat_ws(E'\\n', reason, format('attempt %s: its worker %s stopped beating', attempt, worker)) END
        FROM candidate WHERE judgings.id = candidate.id
        RETURNING judgings.id, attempt, submission_id
    )
    SELECT id, attempt, submission_id, pg_notify('progress', submission_id::text) FROM claimed
""").bindparams(bindparam("queues", type_=ARRAY(Text)), bindparam("slots", type_=Integer))

BEAT = text("""
    UPDATE judgings SET lease_until = now() + :lease
    FROM unnest(:ids, :attempts) AS mine (id, attempt)
    WHERE judgings.id = mine.id AND judgings.attempt = mine.attempt AND state = 'judging'
    RETURNING judgings.id, judgings.attempt, cancel_requested
""").bindparams(bindparam("ids", type_=ARRAY(BigInteger)), bindparam("attempts", type_=ARRAY(Integer)))

BURY = text("""
    WITH dead AS MATERIALIZED (
        SELECT id FROM judgings
        WHERE state = 'judging' AND lease_until < now() AND (attempt >= max_attempts OR cancel_requested)
        FOR UPDATE SKIP LOCKED
    ), buried AS (
        UPDATE judgings SET
            state = 'done', verdict = 'judge_error', finished_at = now(), lease_until = NULL,
            reason = concat_ws(E'\\n', reason, format('attempt %s: its worker %s stopped beating', attempt, worker))
        FROM dead WHERE judgings.id = dead.id
        RETURNING submission_id
    )
    SELECT pg_notify('progress', submission_id::text) FROM buried
""")

FINISH = text("""
    UPDATE judgings SET
        state = 'done', verdict = :verdict, score = :score, image = :image, versions = :versions,
        finished_at = now(), lease_until = NULL
    WHERE id = :id AND attempt = :attempt AND state = 'judging'
    RETURNING pg_notify('progress', submission_id::text)
""").bindparams(bindparam("versions", type_=JSONB))

IS_FINISHED = text("""
    SELECT id FROM judgings WHERE id = :id AND attempt = :attempt AND state = 'done' AND verdict = :verdict
""")

FAIL = text("""
    UPDATE judgings SET
        state = CASE WHEN attempt < max_attempts AND NOT cancel_requested THEN 'queued' ELSE 'done' END,
        verdict = CASE WHEN attempt < max_attempts AND NOT cancel_requested THEN NULL ELSE 'judge_error' END,
        finished_at = CASE WHEN attempt < max_attempts AND NOT cancel_requested THEN NULL ELSE now() END,
        lease_until = NULL, reason = concat_ws(E'\\n', reason, format('attempt %s: %s', attempt, CAST(:reason AS text)))
    WHERE id = :id AND attempt = :attempt AND state = 'judging'
    RETURNING pg_notify('progress', submission_id::text), pg_notify('judging', queue)
""")

# A worker that is told to stop is no failed attempt. `attempt` can't go back: it is the fence.
GIVE_BACK = text("""
    UPDATE judgings SET
        state = CASE WHEN cancel_requested THEN 'done' ELSE 'queued' END,
        verdict = CASE WHEN cancel_requested THEN 'judge_error' END,
        finished_at = CASE WHEN cancel_requested THEN now() END,
        lease_until = NULL, max_attempts = max_attempts + 1
    WHERE id = :id AND attempt = :attempt AND state = 'judging'
    RETURNING pg_notify('progress', submission_id::text), pg_notify('judging', queue)
""")

NOTIFY_PROGRESS = text("SELECT pg_notify('progress', :submission_id)")
