"""The table of rejudgings: sets of submissions that are judged again, and looked at before anything changes.

What became of a submission by judging it again.
"""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ColumnElement, ForeignKey, Index, Text, UniqueConstraint, and_, case, func, text
from sqlalchemy.orm import Mapped, aliased, mapped_column

from app.accounts.model import User
from app.database.engine import Base
from app.judging.verdicts import Verdict
from app.submissions.model import Judging

Onto = Literal["own", "current"]
Decision = Literal["applied", "cancelled"]


class Rejudging(Base):
    """`chosen`: by what the submissions were chosen. `onto`: the revisions that judged them, or the current ones.

    `total`: how many there are. `decision` is None until an admin has applied or cancelled all of it as one; `judged`,
    how many had been judged again then, is None before.
    """

    __tablename__ = "rejudgings"
    __table_args__ = (
        CheckConstraint("onto IN ('own', 'current')", name="onto"),
        CheckConstraint("decision IN ('applied', 'cancelled')", name="decision"),
        CheckConstraint("(decision IS NULL) = (judged IS NULL)", name="decided_is_counted"),
        UniqueConstraint("created_by", "idempotency_key", name="uq_rejudgings_created_by"),
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
    idempotency_key: Mapped[str | None]
    request_digest: Mapped[str | None]


# `different`: another verdict, and no better or worse. `failed`: by our fault, so that the old verdict stays.
Kind = Literal["same", "better", "worse", "different", "failed", "cancelled", "waiting"]

OLD, NEW = aliased(Judging, name="old"), aliased(Judging, name="new")


def kind() -> ColumnElement[Any]:
    """Of NEW, which replaces OLD: accepted is better than not, and more points are better than fewer."""
    before, after = _rank(OLD), _rank(NEW)
    return case(
        (NEW.state != "done", "waiting"),
        (NEW.verdict == Verdict.CANCELLED, "cancelled"),
        (NEW.verdict == Verdict.JUDGE_ERROR, "failed"),
        (and_(OLD.verdict == NEW.verdict, func.coalesce(OLD.score, 0) == func.coalesce(NEW.score, 0)), "same"),
        (after > before, "better"),
        (after < before, "worse"),
        else_="different",
    )


def _rank(judging: type[Judging]) -> ColumnElement[Any]:
    return func.coalesce(judging.score, 0) + case((judging.verdict == Verdict.ACCEPTED, 1), else_=0)
