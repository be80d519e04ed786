"""What a problem's current revision has to teach, answers included: for this package alone, not for a page."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.catalog.model import IS_CURRENT, Problem, Revision
from app.errors import ProblemNotFound


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """`quiz` is as the manifest has it: question, choices, answer, explanation."""

    slug: str
    problem_id: UUID
    revision_id: UUID
    hints: tuple[str, ...]
    quiz: tuple[dict[str, Any], ...]


def get_lesson(session: Session, slug: str) -> Lesson:
    """Raises NotFound, also where nothing is published."""
    texts = (Revision.manifest["hints"], Revision.manifest["quiz"])
    query = select(Problem.id, Revision.id, *texts).join(Revision, IS_CURRENT)
    found = session.execute(query.where(Problem.slug == slug)).one_or_none()
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
