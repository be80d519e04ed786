"""Submitting: check a submission, draw its variant, and write it with its judging in one transaction."""

import hashlib
import json
import secrets
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.catalog.custom_inputs import read_case_inputs, read_own_inputs
from app.catalog.model import IS_CURRENT, ExpectedOutput, Problem, Revision
from app.database.engine import storable
from app.errors import Invalid, ProblemNotFound
from app.submissions.admission import check_admission
from app.submissions.enqueue import enqueue
from app.submissions.idempotency import IdempotencyKey, find_original, lock_user
from app.submissions.limit import SOURCE_BYTES
from app.submissions.model import Submission
from app.submissions.priority import compute_priority
from app.submissions.quota import SubmitLimits, check_quotas
from app.submissions.usage import read_usage
from app.submissions.view import Mode


def draw_variant(session: Session, user_id: UUID, revision: Revision) -> int:
    """Draw a variant that this user's last submissions did not have, so that knowledge of its inputs does not help.

    The last submissions are half of the number of variants, rounded up. Variants with expected outputs come first,
    because they need no preparation.
    """
    variants = range(revision.manifest["variants"])
    recent = min((len(variants) + 1) // 2, len(variants) - 1)
    last = (
        select(Submission.variant)
        .where(Submission.user_id == user_id, Submission.revision_id == revision.id, Submission.mode == "submit")
        .order_by(Submission.created_at.desc(), Submission.id)
        .limit(recent)
    )
    seen = set(session.scalars(last))
    prepared = select(ExpectedOutput.variant).where(ExpectedOutput.revision_id == revision.id).distinct()
    new = [variant for variant in variants if variant not in seen]
    ready = set(session.scalars(prepared)).intersection(new)
    return secrets.choice(sorted(ready) or new)


@dataclass(frozen=True, slots=True, kw_only=True)
class Submit:
    """A request to submit. The same request with the same `idempotency_key` returns the first submission.

    `inputs`: custom inputs as YAML, which replace the sample cases. `request_digest`: of the batch that it is part of.
    """

    user_id: UUID
    slug: str
    source: str
    mode: Mode
    idempotency_key: str | None = None
    inputs: str | None = None
    request_digest: str | None = None


def submit(session: Session, request: Submit, limits: SubmitLimits) -> Submission:
    """Submit a solution. Raises Invalid, NotFound, LimitReached, and Conflict for a reused idempotency key."""
    check_source(request.source)
    key = IdempotencyKey.parse(request.idempotency_key, request.request_digest or _digest(request))
    lock_user(session, request.user_id)  # also for the counts below
    of_user = select(Submission).where(Submission.user_id == request.user_id)
    if key and (original := find_original(session, of_user, Submission.idempotency_key, key)):
        return original
    revision = _current_revision(session, request.slug)
    _check_inputs(request, revision)
    size = len(request.source.encode()) + len((request.inputs or "").encode())
    usage = read_usage(session, request.user_id)
    check_quotas(session, request.user_id, usage, limits, size=size, has_inputs=request.inputs is not None)
    queue = "gpu" if revision.manifest["limits"]["gpu"] else "cpu"
    if limits.max_queue_minutes is not None:
        check_admission(limits.waits.get(queue, 0), limits.max_queue_minutes)
    submission = _write(session, request, revision, key)
    enqueue(session, submission, queue, compute_priority(usage))
    return submission


def check_source(source: str) -> None:
    """Raises Invalid."""
    try:
        size = len(source.encode())
    except UnicodeEncodeError as error:
        raise Invalid(
            "source", f"the source is not valid Unicode at character {error.start}; save it as UTF-8"
        ) from None
    if not source.strip():
        raise Invalid("source", "the source is empty; send the Python code of your solution")
    if size > SOURCE_BYTES:
        text = f"the source has {size} bytes; the limit is {SOURCE_BYTES} (256 KiB). Remove large literals."
        raise Invalid("source", text)
    if "\0" in source:
        line = source.count("\n", 0, source.index("\0")) + 1
        raise Invalid("source", f"the source has a NUL character in line {line}, which Python can't read; remove it")


def _check_inputs(request: Submit, revision: Revision) -> None:
    if request.inputs is None:
        return
    if request.mode != "sample":
        raise Invalid("inputs", "custom inputs need mode sample: set the mode to sample, or leave the inputs out")
    read_own_inputs(request.inputs, read_case_inputs(revision.manifest))


def _digest(request: Submit) -> str:
    parts = [request.slug, request.mode, request.source, *([] if request.inputs is None else [request.inputs])]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _current_revision(session: Session, slug: str) -> Revision:
    current = select(Revision).join(Problem, IS_CURRENT)
    revision = session.scalars(current.where(Problem.slug == storable(slug))).one_or_none()
    if revision is None:
        raise ProblemNotFound(slug)
    return revision


def _write(session: Session, request: Submit, revision: Revision, key: IdempotencyKey | None) -> Submission:
    submission = Submission(
        user_id=request.user_id,
        problem_id=revision.problem_id,
        revision_id=revision.id,
        source=request.source,
        mode=request.mode,
        inputs=request.inputs,
        variant=draw_variant(session, request.user_id, revision),
        idempotency_key=key.text if key else None,
        request_digest=key.digest if key else None,
    )
    session.add(submission)
    session.flush()
    return submission
