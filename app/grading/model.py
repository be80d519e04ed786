"""The tables of adjustments, feedback, and grades as they were shown. A grade itself has no table: it is computed."""

from datetime import datetime
from decimal import Decimal
from typing import Literal
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ForeignKey, Index, Numeric, Text, func, text
from sqlalchemy.orm import Mapped, mapped_column

from app.accounts.model import User
from app.catalog.model import Problem
from app.courses.model import Assignment
from app.database.engine import Base
from app.submissions.model import Submission

AdjustmentKind = Literal["points", "add", "zero", "excused", "submission"]
ShownWhy = Literal["release", "export"]


class Adjustment(Base):
    """An instructor's decision on a student's assignment, or on one problem of it. Rows are added, never changed.

    - `kind`: other `points`, points to `add`, `zero`, `excused` (not counted at all), or another `submission` counts.
    - `replaced_at`: when a later decision on the same place replaced it, or it was taken back.
    """

    __tablename__ = "adjustments"
    __table_args__ = (
        CheckConstraint("kind IN ('points', 'add', 'zero', 'excused', 'submission')", name="kind"),
        CheckConstraint("(points IS NOT NULL) = (kind IN ('points', 'add'))", name="points"),
        CheckConstraint("submission_id IS NULL OR kind = 'submission'", name="submission"),
        Index(
            "uq_adjustments_current",
            *("assignment_id", "user_id", text("coalesce(problem_id, assignment_id)")),
            unique=True,
            postgresql_where=text("replaced_at IS NULL"),
        ),
        Index("ix_adjustments_user_id", "user_id"),
        Index("ix_adjustments_submission_id", "submission_id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    assignment_id: Mapped[UUID] = mapped_column(ForeignKey(Assignment.id, ondelete="CASCADE"))
    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id, ondelete="CASCADE"))
    problem_id: Mapped[UUID | None] = mapped_column(ForeignKey(Problem.id))
    kind: Mapped[AdjustmentKind] = mapped_column(Text)
    points: Mapped[Decimal | None] = mapped_column(Numeric(8, 2))
    submission_id: Mapped[UUID | None] = mapped_column(ForeignKey(Submission.id, ondelete="SET NULL"))
    reason: Mapped[str]
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey(User.id))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    replaced_at: Mapped[datetime | None]


class ShownGrade(Base):
    """The points of a student's assignment as they were released or exported: a record, never read for a grade."""

    __tablename__ = "shown_grades"
    __table_args__ = (
        CheckConstraint("why IN ('release', 'export')", name="why"),
        Index("ix_shown_grades_assignment_id", "assignment_id", "user_id"),
        Index("ix_shown_grades_user_id", "user_id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    assignment_id: Mapped[UUID] = mapped_column(ForeignKey(Assignment.id, ondelete="CASCADE"))
    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id, ondelete="CASCADE"))
    at: Mapped[datetime] = mapped_column(server_default=func.now())
    why: Mapped[ShownWhy] = mapped_column(Text)
    points: Mapped[Decimal | None] = mapped_column(Numeric(10, 2))


class Comment(Base):
    """A comment of the staff on a hand-in; `line` is None for the whole."""

    __tablename__ = "comments"
    __table_args__ = (CheckConstraint("line > 0", name="line"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    submission_id: Mapped[UUID] = mapped_column(ForeignKey(Submission.id, ondelete="CASCADE"), index=True)
    author_id: Mapped[UUID | None] = mapped_column(ForeignKey(User.id))
    line: Mapped[int | None]
    text: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class RegradeRequest(Base):
    """A student asks for another look at the points of an assignment. It is open until it has an answer."""

    __tablename__ = "regrade_requests"
    __table_args__ = (
        CheckConstraint("(answer IS NULL) = (answered_at IS NULL)", name="answered"),
        Index("ix_regrade_requests_assignment_id", "assignment_id", "user_id"),
        Index("ix_regrade_requests_user_id", "user_id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    assignment_id: Mapped[UUID] = mapped_column(ForeignKey(Assignment.id, ondelete="CASCADE"))
    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id, ondelete="CASCADE"))
    text: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    answer: Mapped[str | None]
    answered_by: Mapped[UUID | None] = mapped_column(ForeignKey(User.id))
    answered_at: Mapped[datetime | None]
