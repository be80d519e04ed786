"""Problems that a mistyped name may have meant."""

from dataclasses import dataclass
from difflib import get_close_matches

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.catalog.model import Problem, Revision

MAX_LENGTH = 100  # characters of a name; what is longer is no typing mistake


@dataclass(frozen=True, slots=True, kw_only=True)
class NearProblem:
    slug: str
    title: str


def list_near_problems(session: Session, name: str, limit: int = 3) -> tuple[NearProblem, ...]:
    """The nearest first; none where no slug resembles `name`."""
    if len(name) > MAX_LENGTH:
        return ()
    query = select(Problem.slug, Revision.manifest["title"].astext).join(
        Revision, Revision.id == Problem.current_revision_id
    )
    titles: dict[str, str] = dict(session.execute(query).all())
    wanted = name.lower().replace("-", "_")
    return tuple(NearProblem(slug=slug, title=titles[slug]) for slug in get_close_matches(wanted, titles, limit))
