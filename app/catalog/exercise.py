"""The problems that are one exercise in several frameworks."""

from sqlalchemy import Integer, collate, select
from sqlalchemy.orm import Session

from app.catalog.model import IS_CURRENT, Problem, Revision
from app.catalog.view import ExerciseVersion

MOST_SHOWN = 20


def list_versions(session: Session, revision: Revision) -> tuple[ExerciseVersion, ...]:
    """In the order of their tracks, the revision's own problem among them; none where it is the only one."""
    exercise = revision.manifest.get("exercise")
    if exercise is None:
        return ()
    manifest = Revision.manifest
    query = (
        select(Problem.slug, manifest["title"], manifest["exercise"]["label"], manifest["frameworks"])
        .join(Revision, IS_CURRENT)
        .where(manifest["exercise"]["name"].astext == exercise["name"])
        .order_by(manifest["position"].astext.cast(Integer), collate(Problem.slug, "C"))
        .limit(MOST_SHOWN)
    )
    found = tuple(
        ExerciseVersion(slug=slug, title=title, label=label, frameworks=frameworks)
        for slug, title, label, frameworks in session.execute(query)
    )
    return found if len(found) > 1 else ()
