"""Submitting: check a submission, draw its variant, and write it with its judging in one transaction."""

import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

from sqlalchemy import select
from sqlalchemy.orm import Session, defer

from app.accounts.model import serialise_requests
from app.catalog.answers import read_case_inputs
from app.catalog.availability import ProblemWithdrawn, is_open_to
from app.catalog.custom_inputs import read_own_inputs
from app.catalog.model import IS_CURRENT, ExpectedOutput, Problem, Revision
from app.catalog.source import NOTEBOOK, is_notebook
from app.database.engine import storable
from app.errors import AllcloseError, Invalid, LimitReached, NotFound, ProblemNotFound
from app.submissions.admission import check_admission
from app.submissions.enqueue import Job, enqueue_all, notify_problem_opened
from app.submissions.idempotency import IdempotencyKey, find_original
from app.submissions.limit import SOURCE_BYTES
from app.submissions.model import Submission
from app.submissions.priority import compute_priority, count_recent_steps, read_front
from app.submissions.quota import SubmitLimits, check_quotas
from app.submissions.usage import Usage, read_usage
from app.submissions.view import Mode

# What refuses one submission of several.
Refusal = Invalid | NotFound | LimitReached


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
    (outcome,) = submit_each(session, [request], limits)
    if isinstance(outcome, AllcloseError):
        raise outcome
    return outcome


def submit_each(session: Session, requests: Sequence[Submit], limits: SubmitLimits) -> list[Submission | Refusal]:
    """Submit solutions of one user. Return a submission or its refusal for each place.

    Raises Conflict for a reused idempotency key.
    """
    serialise_requests(session, requests[0].user_id)  # also for the idempotency keys and the quotas
    submitter = _Submitter(session, requests[0].user_id, limits)
    outcomes = [submitter.take(request) for request in requests]
    session.flush()
    enqueue_all(session, submitter.jobs)
    for slug in submitter.slugs:
        notify_problem_opened(session, slug)
    return outcomes


class _Submitter:
    """Writes the submissions of one user, and collects their `jobs`. What they have in common is read once."""

    def __init__(self, session: Session, user_id: UUID, limits: SubmitLimits) -> None:
        self.jobs: list[Job] = []
        self._session, self._user_id, self._limits = session, user_id, limits
        self._usage: Usage | None = None
        self._revisions: dict[str, Revision] = {}
        self._variants: dict[UUID, Variants] = {}
        self._fronts: dict[str, int] = {}

    @property
    def slugs(self) -> list[str]:
        return list(self._revisions)

    def take(self, request: Submit) -> Submission | Refusal:
        try:
            return self._submit(request)
        except (Invalid, NotFound, LimitReached) as refusal:
            return refusal

    def _submit(self, request: Submit) -> Submission:
        check_source(request.source)
        key = IdempotencyKey.parse(request.idempotency_key, request.request_digest or _digest(request))
        own = select(Submission).where(Submission.user_id == self._user_id)
        if key and (original := find_original(self._session, own, Submission.idempotency_key, key)):
            return original
        revision = self._get_revision(request.slug)
        _check_inputs(request, revision)
        size = len(request.source.encode()) + len((request.inputs or "").encode())
        has_inputs = request.inputs is not None
        usage = self._usage or read_usage(self._session, self._user_id)
        check_quotas(self._session, self._user_id, usage, self._limits, size=size, has_inputs=has_inputs)
        queue = "gpu" if revision.manifest["limits"]["gpu"] else "cpu"
        backlog = self._limits.backlogs.get(queue)
        if self._limits.max_queue_minutes is not None and backlog is not None:
            wait_seconds = backlog.estimate_wait(usage.unfinished, count_recent_steps(usage))
            check_admission(backlog, wait_seconds, self._limits.max_queue_minutes)
            backlog.add(self._user_id)
        submission = self._make(request, revision, key)
        priority = compute_priority(usage, self._get_front(queue))
        self.jobs.append(Job(submission=submission, queue=queue, priority=priority))
        self._usage = usage.plus(size, has_inputs=has_inputs)
        return submission

    def _make(self, request: Submit, revision: Revision, key: IdempotencyKey | None) -> Submission:
        if revision.id not in self._variants:
            self._variants[revision.id] = read_variants(self._session, self._user_id, revision)
        submission = Submission(
            id=uuid4(),
            user_id=self._user_id,
            problem_id=revision.problem_id,
            revision_id=revision.id,
            source=request.source,
            mode=request.mode,
            inputs=request.inputs,
            variant=self._variants[revision.id].draw(request.mode),
            idempotency_key=key.text if key else None,
            request_digest=key.digest if key else None,
        )
        self._session.add(submission)
        return submission

    def _get_front(self, queue: str) -> int:
        if queue not in self._fronts:
            self._fronts[queue] = read_front(self._session, queue)
        return self._fronts[queue]

    def _get_revision(self, slug: str) -> Revision:
        if slug not in self._revisions:
            current = select(Revision, Problem.availability).join(Problem, IS_CURRENT)
            current = current.options(defer(Revision.files, raiseload=True))
            is_this = (Problem.slug == storable(slug), is_open_to(self._user_id))
            found = self._session.execute(current.where(*is_this)).one_or_none()
            if found is None:
                raise ProblemNotFound(slug)
            if found.availability == "withdrawn":
                raise ProblemWithdrawn(slug)
            self._revisions[slug] = found[0]
        return self._revisions[slug]


@dataclass(slots=True, kw_only=True)
class Variants:
    """A problem's variants. `seen`: those of the user's last submissions, the latest first. `ready`: prepared ones."""

    count: int
    seen: list[int]
    ready: frozenset[int]

    @property
    def avoided(self) -> int:
        """The number of last submissions whose variants are not drawn: half of the variants, rounded up."""
        return min((self.count + 1) // 2, self.count - 1)

    def draw(self, mode: Mode) -> int:
        """Draw a variant that the user's last submissions did not have, so that knowledge of its inputs does not help.

        Variants with expected outputs come first, because they need no preparation. If there is none, everyone gets the
        first of the others, so that it is prepared only once.
        """
        new = [variant for variant in range(self.count) if variant not in self.seen[: self.avoided]]
        drawn = secrets.choice(sorted(self.ready.intersection(new)) or new[:1])
        if mode == "submit":
            self.seen.insert(0, drawn)
        return drawn


def read_variants(session: Session, user_id: UUID | None, revision: Revision) -> Variants:
    variants = Variants(count=revision.manifest["variants"], seen=[], ready=frozenset())
    last = (
        select(Submission.variant)
        .where(Submission.user_id == user_id, Submission.revision_id == revision.id, Submission.mode == "submit")
        .order_by(Submission.created_at.desc(), Submission.id)
        .limit(variants.avoided)
    )
    prepared = select(ExpectedOutput.variant).where(ExpectedOutput.revision_id == revision.id).distinct()
    variants.seen, variants.ready = list(session.scalars(last)), frozenset(session.scalars(prepared))
    return variants


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
    if is_notebook(source):
        raise Invalid("source", f"the source {NOTEBOOK}.")
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
