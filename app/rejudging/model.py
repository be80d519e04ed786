"""The table of rejudgings: sets of submissions that are judged again, and looked at before anything changes."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ForeignKey, Index, Text, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column

from app.accounts.model import User
from app.database import Base

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
