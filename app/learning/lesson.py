"""The hints and quiz of a problem's current revision, with the answers. Only this package may read them.

Hints are revealed one at a time and in order. Allclose stores which hints each user has read. Read hints stay read in a
new revision, since its hints usually follow the same order.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.catalog.availability import is_open_to
from app.catalog.model import IS_CURRENT, Problem, Revision
from app.errors import Conflict, NotFound, ProblemNotFound
from app.learning.model import HintReveal


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """Hints and quiz. `quiz` has the manifest's form: question, choices, answer, explanation."""

    slug: str
    problem_id: UUID
    revision_id: UUID
    hints: tuple[str, ...]
    quiz: tuple[dict[str, Any], ...]


def get_lesson(session: Session, slug: str, user_id: UUID) -> Lesson:
    """Return the lesson. Raises NotFound, also for an unpublished problem, and for a draft unless for an author."""
    texts = (Revision.manifest["hints"], Revision.manifest["quiz"])
    query = select(Problem.id, Revision.id, *texts).join(Revision, IS_CURRENT)
    found = session.execute(query.where(Problem.slug == slug, is_open_to(user_id))).one_or_none()
    if found is None:
        raise ProblemNotFound(slug)
    problem_id, revision_id, hints, quiz = found
    return Lesson(
        slug=slug,
        problem_id=problem_id,
        revision_id=revision_id,
        hints=tuple(hints or ()),
        quiz=tuple(quiz or ()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """`number` counts from 1."""

    number: int
    text: str
    revealed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """The revealed hints in order, out of `total`."""

    total: int
    revealed: tuple[Hint, ...]

    @property
    def next_number(self) -> int | None:
        """The number of the next hint, or None after the last."""
        return len(self.revealed) + 1 if len(self.revealed) < self.total else None


def reveal_hint(session: Session, user_id: UUID, slug: str, number: int) -> Hints:
    """Reveal a hint; a revealed one stays unchanged. Raises NotFound, and Conflict if an earlier hint is unread."""
    lesson = get_lesson(session, slug, user_id)
    _check(lesson, number, read_hints(session, user_id, lesson).next_number)
    row = {"user_id": user_id, "problem_id": lesson.problem_id, "number": number, "revision_id": lesson.revision_id}
    session.execute(insert(HintReveal).values(row).on_conflict_do_nothing())
    return read_hints(session, user_id, lesson)


def read_hints(session: Session, user_id: UUID, lesson: Lesson) -> Hints:
    of_this_problem = (HintReveal.user_id == user_id, HintReveal.problem_id == lesson.problem_id)
    query = select(HintReveal.number, HintReveal.revealed_at).where(*of_this_problem).order_by(HintReveal.number)
    revealed = session.execute(query.limit(len(lesson.hints))).all()
    return Hints(
        total=len(lesson.hints),
        revealed=tuple(
            Hint(number=number, text=lesson.hints[number - 1], revealed_at=moment) for number, moment in revealed
        ),
    )


def _check(lesson: Lesson, number: int, next_number: int | None) -> None:
    if not 1 <= number <= len(lesson.hints):
        count = len(lesson.hints)
        have = f"its hints are numbered 1 to {count}" if count else "it has none"
        raise NotFound(f"{lesson.slug!r} has no hint {number}: {have}")
    if next_number is not None and number > next_number:
        raise Conflict(f"hint {number} comes after hint {next_number}; read that one first")
