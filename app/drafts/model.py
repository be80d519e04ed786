"""The table of drafts."""

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column

from app.accounts.model import User
from app.catalog.model import Problem
from app.database import Base


class Draft(Base):
    """What a user has typed for a problem. `other_source` is a draft that this one overtook, until it is given up."""

    __tablename__ = "drafts"
    __table_args__ = (CheckConstraint("(other_source IS NULL) = (other_saved_at IS NULL)", name="other_has_time"),)

    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id, ondelete="CASCADE"), primary_key=True)
    problem_id: Mapped[UUID] = mapped_column(ForeignKey(Problem.id, ondelete="CASCADE"), primary_key=True)
    source: Mapped[str]
    version: Mapped[UUID] = mapped_column(default=uuid4)
    saved_at: Mapped[datetime] = mapped_column(server_default=func.now())
    other_source: Mapped[str | None]
    other_saved_at: Mapped[datetime | None]
