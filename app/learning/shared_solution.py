"""Accepted submissions that their users share with everyone to whom the problem's solution is open.

The user of a submission shares it, and can withdraw it at any time. A shared solution is listed while its current
judging is accepted and its user is active. A moderator can hide it (`app.learning.moderation`).
"""

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Float,
    ForeignKey,
    Index,
    Select,
    and_,
    bindparam,
    cast,
    delete,
    func,
    or_,
    select,
    text,
    tuple_,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.accounts.model import User, serialise_requests
from app.accounts.permission import Permission, Viewer
from app.catalog.access import is_open_to
from app.catalog.model import IS_CURRENT, Problem, Revision
from app.database.cursor import (
    Slice,
    read_amount_cursor,
    read_uuid_cursor,
    split_page,
    write_amount_cursor,
    write_cursor,
)
from app.database.engine import Base
from app.errors import Conflict, NotFound
from app.learning.solution import require_open_solution
from app.submissions.leaderboard import IS_OF_REFERENCE, Measurement, ReferenceMeasurement, round_ratio
from app.submissions.model import Judging, Submission
from app.submissions.query import get_submission
from app.submissions.solved import is_solving

Order = Literal["fastest", "shortest", "newest"]
# `none`: the submission can't be shared, since it is not accepted. `hidden`: by a moderator.
Sharing = Literal["none", "private", "shared", "hidden"]
# One user's shared solutions to one problem.
MAX_SHARED = 5


class SharedSolution(Base):
    """A shared submission. `length`: the characters of its source. The owner and problem are the submission's."""

    __tablename__ = "shared_solutions"
    __table_args__ = (
        Index("ix_shared_solutions_problem_id", "problem_id", text("shared_at DESC"), text("submission_id DESC")),
        Index("ix_shared_solutions_user_id", "user_id", "problem_id"),
    )

    submission_id: Mapped[UUID] = mapped_column(ForeignKey(Submission.id, ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id))
    problem_id: Mapped[UUID] = mapped_column(ForeignKey(Problem.id, ondelete="CASCADE"))
    length: Mapped[int]
    shared_at: Mapped[datetime] = mapped_column(server_default=func.now())
    hidden_at: Mapped[datetime | None]


Chosen = Select[SharedSolution, str, float, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedSummary:
    """`ratio` is the solution's time over the reference's on the same machine, or None if it was not measured."""

    submission_id: UUID
    username: str
    ratio: float | None
    length: int
    shared_at: datetime
    is_own: bool
    is_hidden: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPage:
    """`next` is the cursor of the next page, None on the last one."""

    items: tuple[SharedSummary, ...]
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedSource:
    """A shared solution with its code."""

    problem: str
    title: str
    summary: SharedSummary
    source: str


def share(session: Session, viewer: Viewer, submission_id: UUID) -> None:
    """Share a submission; a shared one stays as it is. Raises NotFound, and Conflict unless it is accepted."""
    submission = _get_own(session, viewer, submission_id)
    if not _is_accepted(session, submission_id):
        raise Conflict("only a submission that is accepted on all cases can be shared")
    serialise_requests(session, viewer.id)
    others = select(func.count()).where(
        SharedSolution.user_id == viewer.id,
        SharedSolution.problem_id == submission.problem_id,
        SharedSolution.submission_id != submission_id,
    )
    if session.scalars(others).one() >= MAX_SHARED:
        raise Conflict(f"you share {MAX_SHARED} solutions to this problem, which is the limit; withdraw one first")
    owner = {"user_id": viewer.id, "problem_id": submission.problem_id}
    row = {"submission_id": submission_id, "length": len(submission.source), **owner}
    session.execute(insert(SharedSolution).values(row).on_conflict_do_nothing())


def withdraw(session: Session, viewer: Viewer, submission_id: UUID) -> None:
    """Stop sharing a submission, if it is shared. A hidden one stays hidden. Raises NotFound."""
    _get_own(session, viewer, submission_id)
    own = (SharedSolution.submission_id == submission_id, SharedSolution.hidden_at.is_(None))
    session.execute(delete(SharedSolution).where(*own))


def read_sharing(session: Session, submission: Submission) -> Sharing:
    is_accepted, shared_at, hidden_at = session.execute(_SHARING, {"submission_id": submission.id}).one()
    if shared_at is not None:
        return "hidden" if hidden_at else "shared"
    return "private" if is_accepted else "none"


# Built once: building takes longer than running.
_SHARING = (
    select(is_solving(), SharedSolution.shared_at, SharedSolution.hidden_at)
    .join_from(Submission, Judging, and_(Judging.submission_id == Submission.id, Judging.is_current))
    .outerjoin(SharedSolution, SharedSolution.submission_id == Submission.id)
    .where(Submission.id == bindparam("submission_id"))
)


def find_shareable(session: Session, user_id: UUID, slug: str) -> UUID | None:
    """Return the user's last accepted submission to a problem, if it is not shared."""
    accepted = (
        select(Submission.id, SharedSolution.submission_id)
        .join(Problem, Problem.id == Submission.problem_id)
        .join(Judging, Judging.submission_id == Submission.id)
        .outerjoin(SharedSolution, SharedSolution.submission_id == Submission.id)
        .where(Submission.user_id == user_id, Problem.slug == slug, is_solving())
        .order_by(Submission.created_at.desc(), Submission.id.desc())
    )
    last = session.execute(accepted.limit(1)).one_or_none()
    return last[0] if last and last[1] is None else None


def list_shared(session: Session, viewer: Viewer, slug: str, order: Order, wanted: Slice) -> SharedPage:
    """Raises NotFound, SolutionLocked and CursorInvalid."""
    problem_id = require_open_solution(session, viewer, slug)
    query = _select(viewer).where(SharedSolution.problem_id == problem_id, _is_visible(viewer))
    rows = session.execute(_in_order(query, order, wanted.cursor).limit(wanted.limit + 1)).all()
    items, last = split_page(rows, wanted.limit)
    return SharedPage(items=tuple(_summary(row) for row in items), next=_cursor(last, order) if last else None)


def get_shared(session: Session, viewer: Viewer, submission_id: UUID) -> SharedSource:
    """Raises NotFound and SolutionLocked."""
    texts = (Problem.slug, Revision.listing["title"].astext.label("title"), Submission.source)
    query = (
        _select(viewer)
        .add_columns(*texts)
        .join(Problem, Problem.id == SharedSolution.problem_id)
        .join(Revision, IS_CURRENT)
        .where(SharedSolution.submission_id == submission_id, _is_visible(viewer), is_open_to(viewer.id))
    )
    row = session.execute(query).one_or_none()
    if row is None:
        raise SharedNotFound(submission_id)
    if not row.is_own:
        require_open_solution(session, viewer, row.slug)
    return SharedSource(problem=row.slug, title=row.title, summary=_summary(row), source=row.source)


class SharedNotFound(NotFound):
    def __init__(self, submission_id: UUID) -> None:
        super().__init__(f"There is no shared solution {submission_id}. Its author may have withdrawn it.")


def _get_own(session: Session, viewer: Viewer, submission_id: UUID) -> Submission:
    """An admin who may read a submission of another user may not share it."""
    submission = get_submission(session, submission_id, viewer)
    if submission.user_id != viewer.id:
        raise NotFound(f"you have no submission {submission_id}")
    return submission


def _is_accepted(session: Session, submission_id: UUID) -> bool:
    accepted = (
        select(Submission.id)
        .join(Judging, Judging.submission_id == Submission.id)
        .where(Submission.id == submission_id, is_solving())
    )
    return session.scalar(accepted) is not None


def _ratio() -> ColumnElement[float]:
    """A solution without a measurement comes after all others."""
    return func.coalesce(Measurement.wall_seconds / ReferenceMeasurement.wall_seconds, cast(math.inf, Float))


def _select(viewer: Viewer) -> Chosen:
    is_own = SharedSolution.user_id == viewer.id
    return (
        select(SharedSolution, User.username, _ratio().label("ratio"), is_own.label("is_own"))
        .join(Submission, Submission.id == SharedSolution.submission_id)
        .join(Judging, Judging.submission_id == Submission.id)
        .join(User, User.id == SharedSolution.user_id)
        .outerjoin(Measurement, Measurement.judging_id == Judging.id)
        .outerjoin(ReferenceMeasurement, IS_OF_REFERENCE)
        .where(is_solving(), User.is_active)
    )


def _is_visible(viewer: Viewer) -> ColumnElement[bool]:
    if viewer.may(Permission.MODERATE):
        return SharedSolution.submission_id.is_not(None)
    return or_(SharedSolution.hidden_at.is_(None), SharedSolution.user_id == viewer.id)


def _in_order(query: Chosen, order: Order, cursor: str | None) -> Chosen:
    if order == "newest":
        newest = (SharedSolution.shared_at, SharedSolution.submission_id)
        if cursor is not None:
            query = query.where(tuple_(*newest) < tuple_(*read_uuid_cursor(cursor)))
        return query.order_by(*(column.desc() for column in newest))
    key = (_amount(order), SharedSolution.submission_id)
    if cursor is not None:
        amount, submission_id = read_amount_cursor(cursor, order)
        query = query.where(tuple_(*key) > tuple_(cast(amount, Float), submission_id))
    return query.order_by(*key)


def _amount(order: Order) -> ColumnElement[float]:
    return _ratio() if order == "fastest" else cast(SharedSolution.length, Float)


def _cursor(row: Any, order: Order) -> str:
    shared: SharedSolution = row.SharedSolution
    if order == "newest":
        return write_cursor(shared.shared_at, shared.submission_id)
    return write_amount_cursor(order, row.ratio if order == "fastest" else shared.length, shared.submission_id)


def _summary(row: Any) -> SharedSummary:
    shared: SharedSolution = row.SharedSolution
    return SharedSummary(
        submission_id=shared.submission_id,
        username=row.username,
        ratio=round_ratio(row.ratio) if math.isfinite(row.ratio) else None,
        length=shared.length,
        shared_at=shared.shared_at,
        is_own=row.is_own,
        is_hidden=shared.hidden_at is not None,
    )
