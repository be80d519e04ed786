"""How far a user has come with one problem."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Session

from app.learning.completion import find_completed_at
from app.learning.hint import Hints, read_hints
from app.learning.lesson import get_lesson
from app.learning.quiz import Quiz, read_quiz
from app.learning.solution import Lock, read_lock


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """What was read, answered and done of one problem."""

    hints: Hints
    quiz: Quiz
    lock: Lock
    completed_at: datetime | None


def read_learning(session: Session, user_id: UUID, slug: str) -> Learning:
    """Raises NotFound."""
    lesson = get_lesson(session, slug)
    return Learning(
        hints=read_hints(session, user_id, lesson),
        quiz=read_quiz(session, user_id, lesson),
        lock=read_lock(session, user_id, lesson.problem_id),
        completed_at=find_completed_at(session, user_id, lesson.problem_id),
    )
