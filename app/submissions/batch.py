"""Batches: up to 50 submissions in one request. Each is made or refused by itself, and counts towards the quotas.

All are written in one transaction. An idempotency key belongs to the whole batch: a second, equal request returns the
submissions that exist and makes only those that were refused.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.model import serialise_requests
from app.accounts.permission import Permission, Viewer
from app.errors import AllcloseError, Conflict, NotFound
from app.submissions.idempotency import IdempotencyKey
from app.submissions.model import Submission
from app.submissions.query import SubmissionSummary, list_summaries
from app.submissions.quota import SubmitLimits
from app.submissions.submit import Refusal, Submit, submit_each

MAX_BATCH = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The submissions of one user, in their order, at least one. Their own idempotency keys are not used."""

    user_id: UUID
    submissions: Sequence[Submit]
    idempotency_key: str | None = None


def submit_batch(session: Session, batch: Batch, limits: SubmitLimits) -> list[Submission | Refusal]:
    """Return a submission or its error for each place.

    If every submission is refused, raises the error of the first. Raises Conflict for a reused idempotency key.
    """
    serialise_requests(session, batch.user_id)
    outcomes = submit_each(session, _with_keys(session, batch), limits)
    refusals = [outcome for outcome in outcomes if isinstance(outcome, AllcloseError)]
    if len(refusals) == len(outcomes):
        raise refusals[0]
    return outcomes


def list_chosen(session: Session, viewer: Viewer, ids: Sequence[UUID]) -> list[SubmissionSummary]:
    """Return the submissions in this order. Raises NotFound as `get_submission` does."""
    user_id = None if viewer.may(Permission.INSPECT_SUBMISSIONS) else viewer.id
    found = {each.id: each for each in list_summaries(session, ids, user_id)}
    if unknown := [each for each in ids if each not in found]:
        raise NotFound(f"you have no submission {unknown[0]}")
    return [found[each] for each in ids]


def _with_keys(session: Session, batch: Batch) -> list[Submit]:
    """Return the submissions, each with a key of its own if the batch has one. Raises Invalid and Conflict."""
    key = IdempotencyKey.parse(batch.idempotency_key, _digest(batch))
    if key is None:
        return list(batch.submissions)
    beginning = f"batch {hashlib.sha256(key.text.encode()).hexdigest()}"
    keys = [f"{beginning} {place}" for place in range(MAX_BATCH)]
    other = select(Submission.id).where(
        Submission.user_id == batch.user_id,
        Submission.idempotency_key.in_(keys),
        Submission.request_digest != key.digest,
    )
    if session.scalar(other.limit(1)) is not None:
        raise Conflict("this idempotency key was used for a different request; use a new key for each request")
    pairs = zip(batch.submissions, keys, strict=False)
    return [replace(each, idempotency_key=own, request_digest=key.digest) for each, own in pairs]


def _digest(batch: Batch) -> str:
    parts = [[each.slug, each.mode, each.source, each.inputs] for each in batch.submissions]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
