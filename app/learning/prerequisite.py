"""What a problem builds on."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.catalog.model import Problem, Revision


@dataclass(frozen=True, slots=True, kw_only=True)
class Prerequisite:
    slug: str
    title: str


def list_prerequisites(session: Session, slugs: Sequence[str]) -> tuple[Prerequisite, ...]:
    """In the order that is given; those that are not published are left out."""
    current = select(Problem.slug, Revision.manifest["title"].astext.label("title")).join(
        Revision, Revision.id == Problem.current_revision_id
    )
    titles = {row.slug: row.title for row in session.execute(current.where(Problem.slug.in_(slugs)))}
    return tuple(Prerequisite(slug=slug, title=titles[slug]) for slug in slugs if slug in titles)
