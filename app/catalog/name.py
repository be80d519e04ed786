"""Find published problems by slug, for places that show only the title."""

from dataclasses import dataclass
from difflib import get_close_matches
from uuid import UUID

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from app.catalog.access import IS_LISTED
from app.catalog.model import IS_CURRENT, Problem, Revision
from app.database.engine import storable
from app.errors import ProblemNotFound

MAX_LENGTH = 100  # characters; a longer name is not a typing mistake


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedProblem:
    slug: str
    title: str


def get_problem_id(session: Session, slug: str) -> UUID:
    """Return the ID of a problem that is or was published. Raises ProblemNotFound."""
    problem_id = session.scalar(select(Problem.id).where(Problem.slug == storable(slug)))
    if problem_id is None:
        raise ProblemNotFound(slug)
    return problem_id


def list_named(session: Session, *which: ColumnElement[bool]) -> list[NamedProblem]:
    """Return the published problems that meet all conditions on `Problem`, by title.

    Without the condition `IS_LISTED`, they include drafts.
    """
    title = Revision.listing["title"].astext
    query = select(Problem.slug, title).join(Revision, IS_CURRENT).where(*which)
    query = query.order_by(title, Problem.slug)
    return [NamedProblem(slug=slug, title=name) for slug, name in session.execute(query)]


def list_near(session: Session, name: str, limit: int = 3) -> list[NamedProblem]:
    """Return the listed problems with similar slugs, the most similar first."""
    if len(name) > MAX_LENGTH:
        return []
    named = {problem.slug: problem for problem in list_named(session, IS_LISTED)}
    return [named[slug] for slug in get_close_matches(name.lower().replace("-", "_"), named, limit)]
