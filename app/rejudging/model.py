"""The table of rejudgings, and how a new judging compares with the old one."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ColumnElement, ForeignKey, Index, Text, and_, case, func, text
from sqlalchemy.orm import Mapped, aliased, mapped_column

from app.accounts.model import User
from app.database.engine import Base
from app.judging.verdicts import Verdict
from app.submissions.model import Judging

Onto = Literal["own", "current"]
Decision = Literal["applied", "cancelled"]


class Rejudging(Base):
    """A set of submissions that are judged again. `chosen` has the criteria.

    `onto`: judge on each submission's own revision, or on the problem's current one. `total` counts the submissions.
    `decision` and `judged`, the number judged by then, are None until an admin applies or cancels the rejudging.
    """

    __tablename__ = "rejudgings"
    __table_args__ = (
        CheckConstraint("onto IN ('own', 'current')", name="onto"),
        CheckConstraint("decision IN ('applied', 'cancelled')", name="decision"),
        CheckConstraint("(decision IS NULL) = (judged IS NULL)", name="decided_is_counted"),
        Index("ix_rejudgings_created_at", text("created_at DESC"), "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey(User.id))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    note: Mapped[str] = mapped_column(default="", server_default="")
    chosen: Mapped[dict[str, Any]]
    onto: Mapped[Onto] = mapped_column(Text)
    total: Mapped[int]
    judged: Mapped[int | None]
    decision: Mapped[Decision | None] = mapped_column(Text)
    decided_by: Mapped[UUID | None] = mapped_column(ForeignKey(User.id))
    decided_at: Mapped[datetime | None]


# `different`: another verdict, neither better nor worse. `failed`: a judge error, so the old verdict stays.
Kind = Literal["same", "better", "worse", "different", "failed", "cancelled", "waiting"]

OLD, NEW = aliased(Judging, name="old"), aliased(Judging, name="new")


def kind() -> ColumnElement[Any]:
    """Compare NEW with OLD, which it replaces: accepted beats other verdicts, and more points beat fewer."""
    before, after = _rank(OLD), _rank(NEW)
    return case(
        (NEW.verdict.is_(None), "waiting"),
        (NEW.verdict == Verdict.CANCELLED, "cancelled"),
        (NEW.verdict == Verdict.JUDGE_ERROR, "failed"),
        (and_(OLD.verdict == NEW.verdict, func.coalesce(OLD.score, 0) == func.coalesce(NEW.score, 0)), "same"),
        (after > before, "better"),
        (after < before, "worse"),
        else_="different",
    )


def _rank(judging: type[Judging]) -> ColumnElement[Any]:
    return func.coalesce(judging.score, 0) + case((judging.verdict == Verdict.ACCEPTED, 1), else_=0)
