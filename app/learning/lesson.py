"""The hints and quiz of a problem's current revision, with the answers. Only this package may read them."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.catalog.availability import is_open_to
from app.catalog.model import IS_CURRENT, Problem, Revision
from app.errors import ProblemNotFound


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
