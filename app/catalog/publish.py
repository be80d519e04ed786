"""Making a package the one that students get."""

import json
from secrets import token_bytes
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.catalog.model import Problem, Revision
from app.catalog.package import Package
from app.catalog.revision import digest

SEED_BYTES = 32


def publish(session: Session, package: Package) -> Revision:
    """The revision with this content, made or found again, and now the problem's current one."""
    problem = _locked_problem(session, package.slug)
    revision = _find_revision(session, problem, digest(package.files)) or _add_revision(session, problem, package)
    if problem.current_revision_id != revision.id:
        problem.current_revision_id = revision.id
        session.flush()
    return revision


def _locked_problem(session: Session, slug: str) -> Problem:
    # Two publishers of one problem take turns, so that revisions are numbered without a gap or a clash.
    session.execute(insert(Problem).values(slug=slug).on_conflict_do_nothing(index_elements=[Problem.slug]))
    return session.scalars(select(Problem).where(Problem.slug == slug).with_for_update()).one()


def _find_revision(session: Session, problem: Problem, name: str) -> Revision | None:
    return session.scalar(select(Revision).where(Revision.problem_id == problem.id, Revision.digest == name))


def _add_revision(session: Session, problem: Problem, package: Package) -> Revision:
    last = session.scalar(select(func.max(Revision.number)).where(Revision.problem_id == problem.id))
    revision = Revision(
        problem_id=problem.id,
        number=(last or 0) + 1,
        digest=digest(package.files),
        manifest=_stored_manifest(package),
        files={path: content.decode() for path, content in package.files.items()},
        secret_seed=token_bytes(SEED_BYTES),
    )
    session.add(revision)
    session.flush()
    return revision


def _stored_manifest(package: Package) -> dict[str, Any]:
    """The manifest, with the two texts that every reader of the problem needs.

    By way of JSON, which turns the NaN of an input into null: PostgreSQL takes none. The files keep it.
    """
    manifest: dict[str, Any] = json.loads(package.manifest.model_dump_json())
    return manifest | {"statement": package.statement, "starter": package.starter}
