"""Visitors' runs: a browser that is not signed in has its code judged on the samples of a listed problem.

A run is a submission without a user. It passes through the queue behind every student's submission. Its page needs its
ID, which is random and is given only to the browser that sent it. No list, count, statistic or export includes it, and
it is deleted soon after its verdict.
"""

import threading
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID, uuid4

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session, defer

from app.catalog.access import IS_LISTED
from app.catalog.model import IS_CURRENT, Problem, Revision
from app.database.engine import Database, storable
from app.errors import Invalid, LimitReached, ProblemNotFound
from app.limits import LIMITS_OF, MAX_UNFINISHED_VISITOR_RUNS, Limits, SubmissionKind, SubmissionLimit
from app.queue.model import VISITOR, Job
from app.queue.route import Route, find_route, require_frameworks
from app.submissions.cancel import end_judgings
from app.submissions.model import Judging, Submission
from app.submissions.submit import check_source, enqueue, read_variants

# Visitors get no GPU: the walls around such a box are thinner (docs/sandbox.md).
QUEUE = "cpu"
# A run is kept for this time after its verdict: a hint may follow, and its page can be loaded again.
KEPT = timedelta(minutes=2)
# A run without a verdict is cancelled after this time.
LONGEST = timedelta(minutes=10)
# The key of the advisory lock. Nothing else in Allclose may use it.
LOCK = 0x76697369


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitorRun:
    """A request for a run. `network`: the client's. The same `key` again returns the same unfinished run."""

    network: str
    slug: str
    source: str
    key: str


class VisitorRuns:
    """Starts runs, one at a time for each network. Each web process knows the networks of its own runs only."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._unfinished: dict[str, tuple[UUID, str]] = {}

    def start(self, database: Database, run: VisitorRun, long_queues: Collection[str]) -> UUID:
        """Return the run's ID. Raises Invalid, NotFound and LimitReached."""
        check_source(run.source)
        self._limits.network_runs.use(run.network)
        with self._lock, database.transaction() as session:
            revision, route = _get_listed(session, run.slug)
            unfinished = _lock_unfinished(session)
            self._unfinished = {key: own for key, own in self._unfinished.items() if own[0] in unfinished}
            if (own := self._unfinished.get(run.network)) is not None:
                return _repeat(own, run.key)
            _check_limits(len(unfinished), is_queue_long=QUEUE in long_queues)
            submission = _make(session, run, revision)
            enqueue(session, submission, route, VISITOR)
            self._unfinished[run.network] = (submission.id, run.key)
            return submission.id


def _get_listed(session: Session, slug: str) -> tuple[Revision, Route]:
    """Raises ProblemNotFound and Invalid."""
    current = select(Revision).join(Problem, IS_CURRENT).where(Problem.slug == storable(slug), IS_LISTED)
    revision = session.scalars(current.options(defer(Revision.files, raiseload=True))).one_or_none()
    if revision is None:
        raise ProblemNotFound(slug)
    route = find_route(session, revision.manifest["limits"], revision.manifest["frameworks"])
    if route.queue != QUEUE:
        raise Invalid("problem", "this problem needs a GPU; sign in to run its samples")
    require_frameworks(session, route)
    return revision, route


def _lock_unfinished(session: Session) -> set[UUID]:
    """Return the unfinished runs of all visitors. No other process adds one before this transaction ends."""
    session.execute(select(func.pg_advisory_xact_lock(LOCK)))
    return set(session.scalars(select(Job.watched).where(Job.priority == VISITOR)))


def _check_limits(unfinished: int, *, is_queue_long: bool) -> None:
    """Raises LimitReached. `unfinished`: the number of all visitors' runs."""
    limits = LIMITS_OF[SubmissionKind.VISITOR_RUN]
    is_full = SubmissionLimit.UNFINISHED in limits and unfinished >= MAX_UNFINISHED_VISITOR_RUNS
    if is_full or (SubmissionLimit.QUEUE in limits and is_queue_long):
        raise LimitReached("Too many submissions are waiting. Try again in a few minutes, or sign in.")


def _repeat(own: tuple[UUID, str], key: str) -> UUID:
    """Return the network's unfinished run if it has this key. Raises LimitReached."""
    if own[1] != key:
        raise LimitReached("A run from your network is still being judged. Wait for its result, or sign in.")
    return own[0]


def _make(session: Session, run: VisitorRun, revision: Revision) -> Submission:
    submission = Submission(
        id=uuid4(),
        problem_id=revision.problem_id,
        revision_id=revision.id,
        source=run.source,
        mode="sample",
        variant=read_variants(session, None, revision).draw(),
    )
    session.add(submission)
    session.flush()
    return submission


def delete_old_runs(database: Database) -> None:
    """Delete the runs that ended more than KEPT ago. Cancel those that are older than LONGEST and not judged."""
    visitors = select(Submission.id).where(Submission.user_id.is_(None))
    ended = select(Judging.submission_id).where(Judging.finished_at < func.now() - KEPT)
    with database.transaction() as session:
        late = visitors.where(Submission.created_at < func.now() - LONGEST)
        end_judgings(session, Judging.submission_id.in_(late))
        session.execute(delete(Submission).where(Submission.user_id.is_(None), Submission.id.in_(ended)))
