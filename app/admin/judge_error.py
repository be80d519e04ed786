"""Judge errors for admins: the list, newest first, and groups by cause."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from pydantic import BaseModel
from sqlalchemy import ColumnElement, func, select, tuple_
from sqlalchemy.orm import Session

from app.catalog.model import Problem
from app.catalog.name import get_problem_id
from app.database.cursor import PAGE, read_number_cursor, split_page, write_cursor
from app.submissions.cause import CAUSE, IS_ERROR, has_cause
from app.submissions.model import Judging, Submission
from app.validation import FrozenModel

GROUPS_SHOWN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorFilters:
    """`cause` as in `JudgeErrorView`; `kind` is the part of the cause before its colon."""

    problem: str | None = None
    kind: str | None = None
    cause: str | None = None


class JudgeErrorView(FrozenModel):
    """`kind`: the class of the last attempt's error; `cause`: with its first line, without digits.

    `reason`: the error of each attempt. `is_current`: no later judging of the submission counts.
    """

    judging: int
    submission: UUID
    problem: str
    mode: str
    kind: str
    cause: str
    reason: str | None
    worker: str | None
    attempts: int
    is_current: bool
    request_id: str | None
    finished_at: datetime


class JudgeErrorPage(BaseModel):
    items: list[JudgeErrorView]
    next: str | None


class CauseView(FrozenModel):
    """`open`: the judge errors that still count."""

    kind: str
    cause: str
    count: int
    open: int
    latest_at: datetime


def list_judge_errors(
    session: Session, filters: ErrorFilters, cursor: str | None = None, limit: int = PAGE
) -> JudgeErrorPage:
    """Return a page, newest first. Raises ProblemNotFound and CursorInvalid."""
    query = (
        select(Judging, CAUSE, Problem.slug, Submission.mode)
        .join(Submission, Submission.id == Judging.submission_id)
        .join(Problem, Problem.id == Submission.problem_id)
        .where(IS_ERROR, *_conditions(session, filters))
        .order_by(Judging.finished_at.desc(), Judging.id.desc())
        .limit(limit + 1)
    )
    if cursor is not None:
        query = query.where(tuple_(Judging.finished_at, Judging.id) < read_number_cursor(cursor))
    rows, end = split_page(session.execute(query).all(), limit)
    last = end[0] if end is not None else None
    return JudgeErrorPage(
        items=[_view(judging, cause, slug, mode) for judging, cause, slug, mode in rows],
        next=write_cursor(last.finished_at, last.id) if last is not None and last.finished_at else None,
    )


def list_causes(session: Session) -> list[CauseView]:
    """Return the causes, those with the most open judge errors first."""
    count, latest = func.count(), func.max(Judging.finished_at)
    still_open = func.count().filter(Judging.is_current)
    grouped = (
        select(CAUSE, count, still_open, latest)
        .where(IS_ERROR)
        .group_by(CAUSE)
        .order_by(still_open.desc(), latest.desc())
        .limit(GROUPS_SHOWN)
    )
    return [
        CauseView(kind=_kind(cause), cause=cause, count=total, open=left, latest_at=at)
        for cause, total, left, at in session.execute(grouped)
    ]


def _conditions(session: Session, filters: ErrorFilters) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if filters.problem is not None:
        found.append(Submission.problem_id == get_problem_id(session, filters.problem))
    if filters.kind is not None:
        found.append(func.split_part(CAUSE, ":", 1) == filters.kind)
    if filters.cause is not None:
        found.append(has_cause(filters.cause))
    return found


def _view(judging: Judging, cause: str, slug: str, mode: str) -> JudgeErrorView:
    assert judging.finished_at is not None
    return JudgeErrorView(
        judging=judging.id,
        submission=judging.submission_id,
        problem=slug,
        mode=mode,
        kind=_kind(cause),
        cause=cause,
        reason=judging.reason,
        worker=judging.worker,
        attempts=judging.attempt,
        is_current=judging.is_current,
        request_id=judging.request_id,
        finished_at=judging.finished_at,
    )


def _kind(cause: str) -> str:
    return cause.partition(":")[0]
