"""Finding submissions: one, for whoever may see it; a user's, newest first."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Row, Select, and_, func, select, true, tuple_
from sqlalchemy.orm import Session

from app.accounts.right import Right
from app.accounts.viewer import Viewer
from app.catalog.model import Problem, Revision
from app.catalog.name import NamedProblem, list_named
from app.cursor import CursorInvalid
from app.errors import NotFound
from app.judging.verdicts import Verdict
from app.submissions.model import CaseRow, Judging, Mode, State, Submission

PAGE = 50

Summaries = Select[Submission, Problem, str, Judging, float | None, int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryFilters:
    """All that are given must hold; `problem` is a slug."""

    problem: str | None = None
    verdict: Verdict | None = None
    mode: Mode | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionSummary:
    """One line of a history; `problem` is the slug.

    `wall_seconds` of the slowest case and `memory_bytes` of the largest, as coarse as hidden cases tell them.
    """

    id: UUID
    problem: str
    title: str
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
    session: Session, user_id: UUID, filters: HistoryFilters | None = None, cursor: str | None = None
) -> SubmissionPage:
    """Newest first. Raises CursorInvalid for a cursor that no page of this user gave."""
    query = _summaries().where(Submission.user_id == user_id, *_conditions(filters or HistoryFilters()))
    if cursor is not None:
        query = query.where(tuple_(Submission.created_at, Submission.id) < _place(session, user_id, cursor))
    rows = session.execute(query.limit(PAGE + 1)).all()
    items = tuple(_summary(row) for row in rows[:PAGE])
    return SubmissionPage(items=items, next=str(items[-1].id) if len(rows) > PAGE else None)


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
    newest = (Submission.created_at.desc(), Submission.id.desc())
    return session.scalars(select(Submission).where(before, *of_both).order_by(*newest).limit(1)).one_or_none()


def _summaries() -> Summaries:
    """With the judging of each that counts; its cost is that of the cases of its last attempt."""
    cost = (
        select(func.max(CaseRow.wall_seconds).label("wall_seconds"), func.max(CaseRow.memory_bytes).label("memory"))
        .where(CaseRow.judging_id == Judging.id, CaseRow.attempt == Judging.attempt, Judging.state == "done")
        .lateral()
    )
    return (
        select(
            Submission, Problem, Revision.manifest["title"].astext, Judging, cost.c["wall_seconds"], cost.c["memory"]
        )
        .join(Revision, Revision.id == Submission.revision_id)
        .join(Problem, Problem.id == Submission.problem_id)
        .join(Judging, and_(Judging.submission_id == Submission.id, Judging.is_current))
        .join(cost, true())
        .order_by(Submission.created_at.desc(), Submission.id.desc())
    )


def _conditions(filters: HistoryFilters) -> list[ColumnElement[bool]]:
    wanted = ((Problem.slug, filters.problem), (Judging.verdict, filters.verdict), (Submission.mode, filters.mode))
    return [column == value for column, value in wanted if value is not None]


def _place(session: Session, user_id: UUID, cursor: str) -> ColumnElement[Any]:
    try:
        last = session.get(Submission, UUID(cursor))
    except ValueError:
        last = None
    if last is None or last.user_id != user_id:
        raise CursorInvalid(cursor)
    return tuple_(last.created_at, last.id)


def _summary(row: Row[Submission, Problem, str, Judging, float | None, int | None]) -> SubmissionSummary:
    submission, problem, title, judging, wall_seconds, memory_bytes = row
    return SubmissionSummary(
        id=submission.id,
        problem=problem.slug,
        title=title,
        mode=submission.mode,
        created_at=submission.created_at,
        state=judging.state,
        verdict=Verdict(judging.verdict) if judging.verdict else None,
        score=judging.score,
        wall_seconds=wall_seconds,
        memory_bytes=memory_bytes,
    )
