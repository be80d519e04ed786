"""Tables of revealed hints, viewed solutions, and quiz answers. Only `app.learning` writes them."""

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ForeignKey, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from app.accounts.model import User
from app.catalog.model import Problem, Revision
from app.database.engine import Base


class HintReveal(Base):
    """A user has read hint `number` (from 1) of a problem, first in this revision."""

    __tablename__ = "hint_reveals"
    __table_args__ = (CheckConstraint("number >= 1", name="number"),)

    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id, ondelete="CASCADE"), primary_key=True)
    problem_id: Mapped[UUID] = mapped_column(ForeignKey(Problem.id, ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    revision_id: Mapped[UUID] = mapped_column(ForeignKey(Revision.id))
    revealed_at: Mapped[datetime] = mapped_column(server_default=func.now())


class SolutionView(Base):
    """A user viewed the solution of a problem before solving it."""

    __tablename__ = "solution_views"

    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id, ondelete="CASCADE"), primary_key=True)
    problem_id: Mapped[UUID] = mapped_column(ForeignKey(Problem.id, ondelete="CASCADE"), primary_key=True)
    revision_id: Mapped[UUID] = mapped_column(ForeignKey(Revision.id))
    shown_at: Mapped[datetime] = mapped_column(server_default=func.now())


class QuizAttempt(Base):
    """One attempt at a problem's quiz in this revision. `number` counts a user's attempts from 1."""

    __tablename__ = "quiz_attempts"
    __table_args__ = (
        UniqueConstraint("user_id", "problem_id", "number", name="uq_quiz_attempts_user_id_problem_id_number"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id, ondelete="CASCADE"))
    problem_id: Mapped[UUID] = mapped_column(ForeignKey(Problem.id, ondelete="CASCADE"))
    revision_id: Mapped[UUID] = mapped_column(ForeignKey(Revision.id))
    number: Mapped[int]
    started_at: Mapped[datetime] = mapped_column(server_default=func.now())


class QuizAnswer(Base):
    """The choice for one question of an attempt. `question` and `choice` count from 0, as in the manifest."""

    __tablename__ = "quiz_answers"
    __table_args__ = (CheckConstraint("question >= 0 AND choice >= 0", name="indices"),)

    attempt_id: Mapped[UUID] = mapped_column(ForeignKey(QuizAttempt.id, ondelete="CASCADE"), primary_key=True)
    question: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    choice: Mapped[int]
    is_right: Mapped[bool]
    answered_at: Mapped[datetime] = mapped_column(server_default=func.now())
