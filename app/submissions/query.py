"""Finding submissions: one by ID, a filtered list, newest first, or two to compare."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field
from sqlalchemy import ColumnElement, Row, Select, and_, exists, false, func, or_, select, true, tuple_
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.permission import Permission, Viewer
from app.accounts.user import get_user_id
from app.catalog.access import is_open_to
from app.catalog.diff import FileDifference, compare_file
from app.catalog.model import Problem, Revision
from app.catalog.name import NamedProblem, get_problem_id, list_named
from app.catalog.publish import MAX_NUMBER, get_revision
from app.database.cursor import PAGE, read_uuid_cursor, split_page, write_cursor
from app.database.engine import storable
from app.errors import Invalid, NotFound, ProblemNotFound
from app.judging.verdicts import Verdict
from app.queue.model import Job
from app.submissions.model import CaseRow, Judging, Submission
from app.submissions.solved import IS_WITHHELD
from app.submissions.view import Mode, State
from app.validation import FrozenModel, Moment, check_span

NOWHERE = false()
STARTER_FILE = "starter.py"
NEWEST = (Submission.created_at.desc(), Submission.id.desc())

Summaries = Select[Submission, str, str, int, str, Judging, float | None, int | None, bool]


class HistoryFilters(FrozenModel):
    """Filters that must all match."""

    problem: str | None = Field(None, description="submissions to this problem")
    state: State | None = Field(None, description="`queued`: waiting; `judging`: being judged; `done`: with a verdict")
    verdict: Verdict | None = Field(None, description="submissions with this verdict")
    mode: Mode | None = Field(None, description="`submit`: all cases; `sample`: sample cases only")
    user: str | None = Field(None, description="with `everyone`: submissions of this user")
    revision: int | None = Field(
        None, ge=1, le=MAX_NUMBER, description="with `problem`: submissions judged on the revision with this number"
    )
    digest: str | None = Field(
        None, description="submissions judged on the revision whose digest is or starts with this text"
    )
    since: Moment | None = Field(None, description="sent at this time or later")
    until: Moment | None = Field(None, description="sent before this time")


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionSummary:
    """One line of a history. `problem` is a slug, `revision` the number of the revision that judges it.

    `wall_seconds` and `memory_bytes` are the maximum over the cases. Those of hidden cases are coarse. An invalid
    submission has none, because no case was run. `is_withheld`: an assignment hides the result from its student.
    """

    id: UUID
    user: str
    problem: str
    title: str
    revision: int
    mode: Mode
    created_at: datetime
    state: State
    verdict: Verdict | None
    score: int | None
    wall_seconds: float | None
    memory_bytes: int | None
    is_withheld: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionPage:
    """`next` is the cursor of the next page, None on the last one."""

    items: tuple[SubmissionSummary, ...]
    next: str | None


class SubmissionNotFound(NotFound):
    def __init__(self, submission_id: UUID) -> None:
        super().__init__(f"you have no submission {submission_id}")


def get_submission(session: Session, submission_id: UUID, viewer: Viewer | None) -> Submission:
    """Raises NotFound, also if the viewer is not the owner and may not inspect other users' submissions.

    Without a viewer it returns visitors' runs only. No viewer may read these, not even an admin.
    """
    submission = session.get(Submission, submission_id)
    if submission is None or not may_read(viewer, submission.user_id):
        raise SubmissionNotFound(submission_id)
    return submission


def require_readable(session: Session, submission_id: UUID, viewer: Viewer) -> None:
    """Raises NotFound as `get_submission` does."""
    owner_id = session.scalar(select(Submission.user_id).where(Submission.id == submission_id))
    if not may_read(viewer, owner_id):
        raise SubmissionNotFound(submission_id)


def may_read(viewer: Viewer | None, owner_id: UUID | None) -> bool:
    """Whether the viewer may read a submission of this owner, as `get_submission` says."""
    if viewer is None or owner_id is None:
        return viewer is None and owner_id is None
    return owner_id == viewer.id or viewer.may(Permission.INSPECT_SUBMISSIONS)


def list_submissions(
    session: Session,
    user_id: UUID | None,
    filters: HistoryFilters | None = None,
    cursor: str | None = None,
    limit: int = PAGE,
) -> SubmissionPage:
    """List submissions, newest first. Without a user, list all users'. Raises like `choose`, and CursorInvalid."""
    filters = filters or HistoryFilters()
    is_hidden = NOWHERE if user_id is None else IS_WITHHELD
    query, read = choose(session, filters, is_hidden), summarise
    if user_id is not None:
        query, read = query.where(Submission.user_id == user_id), summarise_own
        if filters.problem is not None:
            _require_known(session, user_id, filters.problem)
    if cursor is not None:
        query = query.where(tuple_(Submission.created_at, Submission.id) < tuple_(*read_uuid_cursor(cursor)))
    items, last = split_page(read(session, query.limit(limit + 1)), limit)
    return SubmissionPage(items=tuple(items), next=write_cursor(last.created_at, last.id) if last else None)


def _require_known(session: Session, user_id: UUID, slug: str) -> None:
    """Raises ProblemNotFound for a problem that the user may not open and has never submitted to."""
    is_tried = exists().where(Submission.problem_id == Problem.id, Submission.user_id == user_id)
    known = select(Problem.id).where(Problem.slug == storable(slug), or_(is_open_to(user_id), is_tried))
    if session.scalar(known) is None:
        raise ProblemNotFound(slug)


def choose(session: Session, filters: HistoryFilters, is_hidden: ColumnElement[bool] = NOWHERE) -> Select[UUID]:
    """Select the IDs of the users' submissions that match, newest first. Hidden ones match no verdict, and are done.

    Raises NotFound for an unknown problem, revision or user. Raises Invalid for a revision number without a problem and
    for an empty span of time.
    """
    check_span(filters.since, filters.until)
    query = select(Submission.id).where(Submission.user_id.is_not(None), *_conditions(session, filters))
    if conditions := tuple(_judging_conditions(session, filters, is_hidden)):
        is_current = and_(Judging.submission_id == Submission.id, Judging.is_current)
        query = query.join(Judging, is_current).where(*conditions)
    return query.order_by(*NEWEST)


def summarise(session: Session, chosen: Select[UUID]) -> tuple[SubmissionSummary, ...]:
    """Return the summaries. The chosen IDs come first, so that the database aggregates only what is shown."""
    return tuple(map(_summary, session.execute(_summaries().where(Submission.id.in_(chosen)))))


def summarise_own(session: Session, chosen: Select[UUID]) -> tuple[SubmissionSummary, ...]:
    """Return the summaries as the students of the submissions may see them."""
    return tuple(map(_withhold, summarise(session, chosen)))


def list_recent(session: Session, user_id: UUID, problem_id: UUID, limit: int) -> tuple[SubmissionSummary, ...]:
    """List the user's last submissions to the problem, newest first."""
    own = select(Submission.id).where(Submission.user_id == user_id, Submission.problem_id == problem_id)
    return summarise_own(session, own.order_by(*NEWEST).limit(limit))


def list_attempted(session: Session, user_id: UUID) -> list[NamedProblem]:
    """List the problems that a user has submitted to, by title."""
    attempted = select(Submission.problem_id).where(Submission.user_id == user_id)
    return list_named(session, Problem.id.in_(attempted))


def get_summary(session: Session, submission: Submission) -> SubmissionSummary:
    """Return the summary as the student of the submission may see it."""
    return _withhold(_summary(session.execute(_summaries().where(Submission.id == submission.id)).one()))


def find_previous(session: Session, submission: Submission) -> Submission | None:
    """Return the user's previous submission to the same problem."""
    before = tuple_(Submission.created_at, Submission.id) < tuple_(submission.created_at, submission.id)
    of_both = (Submission.user_id == submission.user_id, Submission.problem_id == submission.problem_id)
    return session.scalars(select(Submission).where(before, *of_both).order_by(*NEWEST).limit(1)).one_or_none()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two submissions. `old` is None if the user's first submission is compared with the starter code."""

    old: Submission | None
    new: Submission
    difference: FileDifference


def compare_submissions(session: Session, viewer: Viewer, new_id: UUID, old_id: UUID | None = None) -> Pair:
    """Compare two submissions. `old_id` defaults to the user's previous one for the problem.

    Raises NotFound for a submission that the viewer may not see, Invalid for submissions to different problems.
    """
    new = get_submission(session, new_id, viewer)
    old = find_previous(session, new) if old_id is None else get_submission(session, old_id, viewer)
    if old is not None and old.problem_id != new.problem_id:
        raise Invalid("old", "these submissions are to different problems; choose two of the same problem")
    files = session.get_one(Revision, new.revision_id).files
    before = str(files.get(STARTER_FILE, "")) if old is None else old.source
    return Pair(old=old, new=new, difference=compare_file("the code", _ended(before), _ended(new.source)))


def _ended(source: str) -> str:
    """Add a missing newline at the end, which means nothing to Python."""
    return source if source.endswith("\n") else source + "\n"


def _summaries() -> Summaries:
    """Select submissions with their current judging, and the cost of its last attempt's cases."""
    cost = (
        select(func.max(CaseRow.wall_seconds).label("wall_seconds"), func.max(CaseRow.memory_bytes).label("memory"))
        .where(CaseRow.judging_id == Judging.id, CaseRow.attempt == Judging.attempt, Judging.verdict.is_not(None))
        .lateral()
    )
    about = (Submission, User.username, Problem.slug, Revision.number, Revision.listing["title"].astext, Judging)
    return (
        select(*about, cost.c["wall_seconds"], cost.c["memory"], IS_WITHHELD)
        .join(User, User.id == Submission.user_id)
        .join(Problem, Problem.id == Submission.problem_id)
        .join(Judging, and_(Judging.submission_id == Submission.id, Judging.is_current))
        .join(Revision, Revision.id == Judging.revision_id)
        .join(cost, true())
        .order_by(*NEWEST)
    )


def _conditions(session: Session, filters: HistoryFilters) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions on submissions. Names become IDs first, for the database's row estimates."""
    if filters.problem is not None:
        yield Submission.problem_id == get_problem_id(session, filters.problem)
    if filters.user is not None:
        yield Submission.user_id == get_user_id(session, filters.user)
    if filters.mode is not None:
        yield Submission.mode == filters.mode
    if filters.since is not None:
        yield Submission.created_at >= filters.since
    if filters.until is not None:
        yield Submission.created_at < filters.until


def _judging_conditions(
    session: Session, filters: HistoryFilters, is_hidden: ColumnElement[bool]
) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions on current judgings, whose revision may differ from the submission's."""
    if filters.state == "done":
        yield or_(has_state("done"), is_hidden)
    elif filters.state is not None:
        yield and_(has_state(filters.state), ~is_hidden)
    if filters.verdict is not None:
        yield and_(Judging.verdict == filters.verdict, ~is_hidden)
    if filters.revision is not None:
        yield Judging.revision_id == _revision_id(session, filters.revision, filters.problem)
    if filters.digest is not None:
        beginning = Revision.digest.startswith(storable(filters.digest), autoescape=True)
        yield Judging.revision_id.in_(session.scalars(select(Revision.id).where(beginning)).all())


def has_state(state: State) -> ColumnElement[bool]:
    """Return the condition that a judging is in this state."""
    if state == "done":
        return Judging.verdict.is_not(None)
    is_running = exists().where(Job.judging_id == Judging.id, Job.lease_until.is_not(None))
    return and_(Judging.verdict.is_(None), is_running if state == "judging" else ~is_running)


def _revision_id(session: Session, revision: int, problem: str | None) -> UUID:
    if problem is None:
        raise Invalid("revision", f"revision {revision} needs a problem: name the problem too, or give the digest")
    return get_revision(session, problem, revision).id


def _withhold(summary: SubmissionSummary) -> SubmissionSummary:
    hidden: dict[str, Any] = dict.fromkeys(("verdict", "score", "wall_seconds", "memory_bytes"))
    return replace(summary, state="done", **hidden) if summary.is_withheld else summary


def _summary(row: Row[Submission, str, str, int, str, Judging, float | None, int | None, bool]) -> SubmissionSummary:
    submission, username, slug, number, title, judging, wall_seconds, memory_bytes, is_hidden = row
    ran = judging.verdict != Verdict.INVALID_SUBMISSION
    return SubmissionSummary(
        id=submission.id,
        user=username,
        problem=slug,
        title=title,
        revision=number,
        mode=submission.mode,
        created_at=submission.created_at,
        state=judging.state,
        verdict=Verdict(judging.verdict) if judging.verdict else None,
        score=judging.score,
        wall_seconds=wall_seconds if ran else None,
        memory_bytes=memory_bytes if ran else None,
        is_withheld=is_hidden,
    )
