"""Finding submissions: one, for whoever may see it; a user's or everybody's, newest first."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Row, Select, and_, false, func, select, true, tuple_
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.right import Right
from app.accounts.viewer import Viewer
from app.catalog.model import Problem, Revision
from app.catalog.name import NamedProblem, list_named
from app.cursor import read_uuid_cursor, write_cursor
from app.database import storable
from app.errors import Invalid, NotFound
from app.judging.verdicts import Verdict
from app.submissions.model import CaseRow, Judging, Mode, State, Submission

PAGE = 50
NEWEST = (Submission.created_at.desc(), Submission.id.desc())
# Of a revision's number; what is longer is a digest.

Summaries = Select[Submission, str, str, int, str, Judging, float | None, int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryFilters:
    """All that are given must hold. `problem` is a slug, `user` a name; `since` is within, `until` is not.

    `revision` is a number of the problem's; `digest` a revision's, or how one begins.
    """

    problem: str | None = None
    verdict: Verdict | None = None
    mode: Mode | None = None
    user: str | None = None
    revision: int | None = None
    digest: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionSummary:
    """One line of a history; `problem` is the slug, `revision` the number of the one that it was sent for.

    `wall_seconds` of the slowest case and `memory_bytes` of the largest, as coarse as hidden cases tell them.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionPage:
    """`next` is the cursor of the page after this one, None at the end."""

    items: tuple[SubmissionSummary, ...]
    next: str | None


def get_submission(session: Session, submission_id: UUID, viewer: Viewer) -> Submission:
    """Raises NotFound, also when the viewer is not its owner and may not inspect others'."""
    submission = session.get(Submission, submission_id)
    if submission is None or (submission.user_id != viewer.id and not viewer.may(Right.INSPECT_SUBMISSIONS)):
        raise NotFound(f"you have no submission {submission_id}")
    return submission


def list_submissions(
    session: Session, user_id: UUID | None, filters: HistoryFilters | None = None, cursor: str | None = None
) -> SubmissionPage:
    """Newest first; everybody's for no user. Raises CursorInvalid for a cursor that no page of these gave."""
    query = choose(session, filters or HistoryFilters())
    if user_id is not None:
        query = query.where(Submission.user_id == user_id)
    if cursor is not None:
        query = query.where(tuple_(Submission.created_at, Submission.id) < tuple_(*read_uuid_cursor(cursor)))
    items = summarise(session, query.limit(PAGE + 1))
    last = items[PAGE - 1] if len(items) > PAGE else None
    return SubmissionPage(items=items[:PAGE], next=write_cursor(last.created_at, last.id) if last else None)


def choose(session: Session, filters: HistoryFilters) -> Select[UUID]:
    """The ids of submissions, newest first. Raises Invalid for a revision's number without its problem."""
    query = select(Submission.id).where(*_conditions(session, filters))
    if filters.verdict is not None:
        counting = and_(Judging.submission_id == Submission.id, Judging.is_current)
        query = query.join(Judging, counting).where(Judging.verdict == filters.verdict)
    return query.order_by(*NEWEST)


def summarise(session: Session, chosen: Select[UUID]) -> tuple[SubmissionSummary, ...]:
    """Chosen first and looked at then, so that only what is shown is added up."""
    return tuple(map(_summary, session.execute(_summaries().where(Submission.id.in_(chosen)))))


def list_attempted(session: Session, user_id: UUID) -> list[NamedProblem]:
    """Each problem that a user has sent something for, by title."""
    attempted = select(Submission.problem_id).where(Submission.user_id == user_id)
    return list_named(session, Problem.id.in_(attempted))


def get_summary(session: Session, submission: Submission) -> SubmissionSummary:
    return _summary(session.execute(_summaries().where(Submission.id == submission.id)).one())


def find_previous(session: Session, submission: Submission) -> Submission | None:
    """The last one that its user sent for the same problem before it."""
    before = tuple_(Submission.created_at, Submission.id) < tuple_(submission.created_at, submission.id)
    of_both = (Submission.user_id == submission.user_id, Submission.problem_id == submission.problem_id)
    return session.scalars(select(Submission).where(before, *of_both).order_by(*NEWEST).limit(1)).one_or_none()


def _summaries() -> Summaries:
    """With the judging of each that counts; its cost is that of the cases of its last attempt."""
    cost = (
        select(func.max(CaseRow.wall_seconds).label("wall_seconds"), func.max(CaseRow.memory_bytes).label("memory"))
        .where(CaseRow.judging_id == Judging.id, CaseRow.attempt == Judging.attempt, Judging.state == "done")
        .lateral()
    )
    about = (Submission, User.username, Problem.slug, Revision.number, Revision.manifest["title"].astext, Judging)
    return (
        select(*about, cost.c["wall_seconds"], cost.c["memory"])
        .join(User, User.id == Submission.user_id)
        .join(Revision, Revision.id == Submission.revision_id)
        .join(Problem, Problem.id == Submission.problem_id)
        .join(Judging, and_(Judging.submission_id == Submission.id, Judging.is_current))
        .join(cost, true())
        .order_by(*NEWEST)
    )


def _conditions(session: Session, filters: HistoryFilters) -> Iterator[ColumnElement[bool]]:
    """Names are looked up first, so that the database knows how much there is of each."""
    if filters.problem is not None:
        yield _is(Submission.problem_id, session, select(Problem.id).where(Problem.slug == storable(filters.problem)))
    if filters.user is not None:
        yield _is(Submission.user_id, session, select(User.id).where(User.username == storable(filters.user)))
    if filters.revision is not None:
        yield Submission.revision_id.in_(session.scalars(_numbered(filters.revision, filters.problem)).all())
    if filters.digest is not None:
        beginning = Revision.digest.startswith(storable(filters.digest), autoescape=True)
        yield Submission.revision_id.in_(session.scalars(select(Revision.id).where(beginning)).all())
    if filters.mode is not None:
        yield Submission.mode == filters.mode
    if filters.since is not None:
        yield Submission.created_at >= filters.since
    if filters.until is not None:
        yield Submission.created_at < filters.until


def _is(column: Any, session: Session, named: Select[UUID]) -> ColumnElement[bool]:
    found = session.scalar(named)
    return column == found if found else false()


def _numbered(revision: int, problem: str | None) -> Select[UUID]:
    if problem is None:
        raise Invalid("revision", f"revision {revision} of which problem? Name the problem too, or give its digest")
    of_problem = select(Problem.id).where(Problem.slug == storable(problem)).scalar_subquery()
    return select(Revision.id).where(Revision.problem_id == of_problem, Revision.number == revision)


def _summary(row: Row[Submission, str, str, int, str, Judging, float | None, int | None]) -> SubmissionSummary:
    submission, username, slug, number, title, judging, wall_seconds, memory_bytes = row
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
        wall_seconds=wall_seconds,
        memory_bytes=memory_bytes,
    )
