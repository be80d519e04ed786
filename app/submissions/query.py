"""Finding submissions: one, for whoever may see it; a user's, newest first."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Row, Select, select, tuple_
from sqlalchemy.orm import Session, aliased

from app.accounts.model import User
from app.catalog.model import Problem, Revision
from app.errors import Invalid, NotFound
from app.judging.verdicts import Verdict
from app.submissions.model import Judging, Mode, State, Submission

PAGE = 50

Summaries = Select[Submission, Problem, str, Judging]


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionSummary:
    """One line of a history; `problem` is the slug."""

    id: UUID
    problem: str
    title: str
    mode: Mode
    created_at: datetime
    state: State
    verdict: Verdict | None
    score: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionPage:
    """`next` is the cursor of the page after this one, None at the end."""

    items: tuple[SubmissionSummary, ...]
    next: str | None


def get_submission(session: Session, submission_id: UUID, viewer: User) -> Submission:
    """Raises NotFound, also when the viewer is neither its owner nor an admin."""
    submission = session.get(Submission, submission_id)
    if submission is None or (submission.user_id != viewer.id and viewer.role != "admin"):
        raise NotFound(f"you have no submission {submission_id}")
    return submission


def list_submissions(
    session: Session, user_id: UUID, slug: str | None = None, cursor: str | None = None
) -> SubmissionPage:
    """Newest first, to one problem or to all. Raises Invalid for a cursor that no page gave."""
    query = _summaries().where(Submission.user_id == user_id).limit(PAGE + 1)
    if slug is not None:
        query = query.where(Problem.slug == slug)
    if cursor is not None:
        query = query.where(tuple_(Submission.created_at, Submission.id) < _place(session, cursor))
    rows = session.execute(query).all()
    items = tuple(_summary(row) for row in rows[:PAGE])
    return SubmissionPage(items=items, next=str(items[-1].id) if len(rows) > PAGE else None)


def _summaries() -> Summaries:
    latest = (
        select(Judging).where(Judging.submission_id == Submission.id).order_by(Judging.id.desc()).limit(1).lateral()
    )
    judging = aliased(Judging, latest)
    return (
        select(Submission, Problem, Revision.manifest["title"].astext, judging)
        .join(Revision, Revision.id == Submission.revision_id)
        .join(Problem, Problem.id == Submission.problem_id)
        .join(judging, judging.submission_id == Submission.id)
        .order_by(Submission.created_at.desc(), Submission.id.desc())
    )


def _place(session: Session, cursor: str) -> ColumnElement[Any]:
    try:
        last = session.get(Submission, UUID(cursor))
    except ValueError:
        last = None
    if last is None:
        raise Invalid("cursor", f"{cursor!r} is not a cursor; leave it out, or use `next` of the page before")
    return tuple_(last.created_at, last.id)


def _summary(row: Row[Submission, Problem, str, Judging]) -> SubmissionSummary:
    submission, problem, title, judging = row
    return SubmissionSummary(
        id=submission.id,
        problem=problem.slug,
        title=title,
        mode=submission.mode,
        created_at=submission.created_at,
        state=judging.state,
        verdict=Verdict(judging.verdict) if judging.verdict else None,
        score=judging.score,
    )
