"""Submitting: check a submission, draw its variant, and write it with its judging and job in one transaction."""

import hashlib
import json
import secrets
from dataclasses import dataclass, replace
from uuid import UUID, uuid4

from sqlalchemy import and_, select
from sqlalchemy.orm import Session, defer

from app.accounts.model import serialise_requests
from app.catalog.access import is_open_to
from app.catalog.answers import read_case_inputs
from app.catalog.custom_inputs import read_own_inputs
from app.catalog.model import IS_CURRENT, ExpectedOutput, Problem, Revision
from app.catalog.publish import notify_problem_opened
from app.catalog.query import ProblemWithdrawn
from app.catalog.source import NOTEBOOK
from app.courses.disclosure import require_practice
from app.courses.due import require_custom_inputs
from app.database.engine import storable
from app.errors import Conflict, Invalid, ProblemNotFound
from app.limits import LIMITS_OF, SOURCE_BYTES, SubmissionKind, SubmissionLimit
from app.log import note_submission, request_id
from app.queue import lease
from app.queue.model import Job
from app.queue.route import Route, find_route, require_frameworks
from app.submissions.hand_in import HandIn, check_hand_in
from app.submissions.model import Judging, Submission
from app.submissions.quota import QuotaCheck, SubmitLimits, check_quotas
from app.submissions.usage import Usage, compute_priority, read_front, read_usage
from app.submissions.view import Mode

KEY_CHARACTERS = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Submit:
    """A request to submit. The same request with the same `idempotency_key` returns the first submission.

    `inputs`: custom inputs as YAML, which replace the sample cases. `is_admitted`: the queue has admitted the request
    before its body was read. `hand_in`: the assignment that it is handed in for. `revision_id`: of an exam; None: the
    problem's current revision.
    """

    user_id: UUID
    slug: str
    source: str
    mode: Mode
    idempotency_key: str | None = None
    inputs: str | None = None
    is_admitted: bool = False
    hand_in: HandIn | None = None
    revision_id: UUID | None = None

    @property
    def kind(self) -> SubmissionKind:
        if self.hand_in is not None:
            return SubmissionKind.HAND_IN
        return SubmissionKind.SOLUTION if self.inputs is None else SubmissionKind.CUSTOM_INPUT

    @property
    def size_bytes(self) -> int:
        return len(self.source.encode()) + len((self.inputs or "").encode())

    @property
    def digest(self) -> str:
        parts = [self.slug, self.mode, self.source, *([] if self.inputs is None else [self.inputs])]
        parts += [] if self.hand_in is None or self.hand_in.is_default else [str(self.hand_in.assignment.id)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def submit(session: Session, request: Submit, limits: SubmitLimits) -> Submission:
    """Submit a solution. Raises Invalid, NotFound, LimitReached, and Conflict for a reused idempotency key.

    For a hand-in, it raises as `check_hand_in` too, for practice as `require_practice`, and for custom inputs as
    `require_custom_inputs`.
    """
    serialise_requests(session, request.user_id)  # also for the idempotency keys and the quotas
    check_source(request.source)
    if original := _find_original(session, request):
        return original
    if request.hand_in is not None:
        check_hand_in(session, request.hand_in)
    revision = _get_revision(session, request)
    if request.hand_in is None and request.mode == "submit":
        require_practice(session, request.user_id, revision.problem_id)
    if request.inputs is not None:
        require_custom_inputs(session, request.user_id, revision.problem_id)
        _check_inputs(request, revision)
    route = find_route(session, revision.manifest["limits"], revision.manifest["frameworks"])
    if request.hand_in is None:
        require_frameworks(session, route)
    usage = read_usage(session, request.user_id)
    _check_limits(session, request, usage, limits, route.queue)
    submission = _make(session, request, revision)
    priority = compute_priority(usage, read_front(session, route.queue))
    enqueue(session, submission, route, priority)
    notify_problem_opened(session, revision.id)
    return submission


def _find_original(session: Session, request: Submit) -> Submission | None:
    """Return the submission of the user's first request with this key. Raises Invalid, and Conflict if it differs."""
    key = request.idempotency_key
    if key is None:
        return None
    if not (0 < len(key) <= KEY_CHARACTERS and key.isascii() and key.isprintable()):
        message = f"an idempotency key is 1 to {KEY_CHARACTERS} printable ASCII characters, such as a UUID"
        raise Invalid("idempotency_key", message)
    own = select(Submission).where(Submission.user_id == request.user_id, Submission.idempotency_key == key)
    original = session.scalars(own).one_or_none()
    if original is not None and original.request_digest != request.digest:
        raise Conflict("this idempotency key was used for a different request; use a new key for each request")
    return original


def _get_revision(session: Session, request: Submit) -> Revision:
    """Raises ProblemNotFound and ProblemWithdrawn."""
    is_wanted = IS_CURRENT if request.revision_id is None else Revision.id == request.revision_id
    current = select(Revision, Problem.availability).join(Problem, and_(Problem.id == Revision.problem_id, is_wanted))
    current = current.options(defer(Revision.files, raiseload=True))
    is_this = (Problem.slug == storable(request.slug), is_open_to(request.user_id))
    found = session.execute(current.where(*is_this)).one_or_none()
    if found is None:
        raise ProblemNotFound(request.slug)
    if found.availability == "withdrawn":
        raise ProblemWithdrawn(request.slug)
    revision: Revision = found[0]
    return revision


def _check_limits(session: Session, request: Submit, usage: Usage, limits: SubmitLimits, queue: str) -> None:
    """Raises LimitReached."""
    new = QuotaCheck(session=session, user_id=request.user_id, usage=usage, limits=limits, size=request.size_bytes)
    check_quotas(new, request.kind)
    is_admitted = request.is_admitted or SubmissionLimit.QUEUE not in LIMITS_OF[request.kind]
    if limits.waits is not None and limits.max_queue_minutes is not None and not is_admitted:
        limits.waits.check(queue, request.user_id, limits.max_queue_minutes)
        limits.waits.add(queue, request.user_id)


def _make(session: Session, request: Submit, revision: Revision) -> Submission:
    submission = Submission(
        id=uuid4(),
        user_id=request.user_id,
        problem_id=revision.problem_id,
        revision_id=revision.id,
        source=request.source,
        mode=request.mode,
        inputs=request.inputs,
        variant=read_variants(session, request.user_id, revision).draw(),
        idempotency_key=request.idempotency_key,
        request_digest=request.digest if request.idempotency_key else None,
        assignment_id=request.hand_in.assignment.id if request.hand_in else None,
    )
    if request.hand_in is not None:
        submission.created_at, submission.is_draft = request.hand_in.arrived_at, request.hand_in.is_draft
    session.add(submission)
    session.flush()
    return submission


@dataclass(frozen=True, slots=True, kw_only=True)
class Variants:
    """A problem's variants. `seen`: those of the user's last submissions, the latest first. `ready`: prepared ones."""

    count: int
    seen: tuple[int, ...] = ()
    ready: frozenset[int] = frozenset()

    @property
    def avoided(self) -> int:
        """The number of last submissions whose variants are not drawn: half of the variants, rounded up."""
        return min((self.count + 1) // 2, self.count - 1)

    def draw(self) -> int:
        """Draw a variant that the user's last submissions did not have, so that knowledge of its inputs does not help.

        Variants with expected outputs come first, because they need no preparation. If there is none, everyone gets the
        first of the others, so that it is prepared only once.
        """
        new = [variant for variant in range(self.count) if variant not in self.seen[: self.avoided]]
        return secrets.choice(sorted(self.ready.intersection(new)) or new[:1])


def read_variants(session: Session, user_id: UUID | None, revision: Revision) -> Variants:
    variants = Variants(count=revision.manifest["variants"])
    last = (
        select(Submission.variant)
        .where(Submission.user_id == user_id, Submission.revision_id == revision.id, Submission.mode == "submit")
        .order_by(Submission.created_at.desc(), Submission.id)
        .limit(variants.avoided)
    )
    prepared = select(ExpectedOutput.variant).where(ExpectedOutput.revision_id == revision.id).distinct()
    return replace(variants, seen=tuple(session.scalars(last)), ready=frozenset(session.scalars(prepared)))


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
    if _is_notebook(source):
        raise Invalid("source", f"the source {NOTEBOOK}.")
    if "\0" in source:
        line = source.count("\n", 0, source.index("\0")) + 1
        raise Invalid("source", f"the source has a NUL character in line {line}, which Python can't read; remove it")


def _is_notebook(source: str) -> bool:
    if not source.lstrip("\ufeff \t\r\n").startswith("{") or '"cells"' not in source:
        return False
    try:
        content = json.loads(source.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) and isinstance(content.get("cells"), list)


def _check_inputs(request: Submit, revision: Revision) -> None:
    if request.mode != "sample":
        raise Invalid("inputs", "custom inputs need mode sample: set the mode to sample, or leave the inputs out")
    assert request.inputs is not None
    read_own_inputs(request.inputs, read_case_inputs(revision.manifest))


def enqueue(session: Session, submission: Submission, route: Route, priority: int = 0) -> Judging:
    """Add a judging of a flushed submission, and its job. Workers see them when the caller's transaction commits.

    The reference may run long on custom inputs, and a worker runs one such reference at a time
    (`app.engine.prepare`). So those judgings are rationed: a second one would hold a slot while it only waits.
    """
    judging = Judging(
        submission_id=submission.id, revision_id=submission.revision_id, queue=route.queue, request_id=request_id.get()
    )
    session.add(judging)
    judging.job = Job(
        watched=submission.id,
        queue=route.queue,
        frameworks=list(route.frameworks),
        priority=priority,
        is_rationed=submission.inputs is not None,
    )
    lease.enqueue(session, judging.job)
    note_submission(submission.id)
    return judging
