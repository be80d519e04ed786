"""Make a revision the current one, and record the actor and the verification."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from app.audit import Act, Actor, record
from app.authoring.model import Publication, Verification
from app.catalog.folder import digest
from app.catalog.model import IS_CURRENT, Availability, Problem, Revision
from app.catalog.package import Package, package_from_files
from app.catalog.publish import (
    change_availability,
    get_revision,
    lock_problem,
    publish,
    publish_again,
    set_availability,
)
from app.errors import Conflict


@dataclass(frozen=True, slots=True, kw_only=True)
class Publisher:
    """`actor` is None for `allclose serve`. `verification_id` is None if the revision existed before.

    `availability`: what an actor wants the problem to have from now on; None leaves it as it is.
    """

    actor: Actor | None = None
    verification_id: UUID | None = None
    availability: Availability | None = None


def publish_package(session: Session, package: Package, publisher: Publisher, replaces: str | None = None) -> Revision:
    """Publish a package as `app.catalog.publish` does. Raises Outdated."""
    problem = lock_problem(session, package.slug)
    before = _current_number(session, package.slug)
    if before is None and publisher.availability:
        set_availability(problem, publisher.availability)  # a new problem was never listed, so nothing is changed
    revision = _noted(session, publish(session, package, replaces), publisher, before)
    if publisher.actor and publisher.availability:
        change_availability(session, package.slug, publisher.availability, publisher.actor)
    return revision


def list_from_folder(session: Session) -> dict[str, str]:
    """Return the digest of the package that `allclose serve` last published of each problem, by slug."""
    last = (
        select(Problem.slug, Revision.digest)
        .join_from(Publication, Revision, Publication.revision_id == Revision.id)
        .join(Problem, Problem.id == Publication.problem_id)
        .where(Publication.user_id.is_(None))
        .ext(distinct_on(Problem.slug))
        .order_by(Problem.slug, Publication.id.desc())
    )
    return {row.slug: row.digest for row in session.execute(last)}


def publish_folder(session: Session, package: Package) -> Revision | None:
    """Publish a package of the server's folder, unless it equals the last one from there; then return None.

    Revisions that authors published since then stay current until the folder changes.
    """
    last = list_from_folder(session).get(package.slug)
    return None if last == digest(package.files) else publish_package(session, package, Publisher())


def publish_verified(session: Session, verification: Verification, actor: Actor) -> Revision:
    """Publish a package that has passed. If it is published already, return its revision.

    Only a new problem gets the verification's availability. That of others may have changed since the author sent it.
    Raises Conflict, Outdated, PackageInvalid.
    """
    # A concurrent call waits here and finds it published.
    session.refresh(verification, with_for_update={"of": Verification})
    if done := _current_of(session, verification):
        return done
    if verification.verdict != "passed":
        state = verification.verdict or verification.state
        raise Conflict(f"this package is {state}; only a package that has passed its verification can be published")
    package = _read(verification.slug, verification.files)
    is_new = lock_problem(session, package.slug).current_revision_id is None
    availability = verification.availability if is_new else None
    publisher = Publisher(actor=actor, verification_id=verification.id, availability=availability)
    revision = publish_package(session, package, publisher, verification.replaces)
    verification.revision_id = revision.id
    session.flush()
    return revision


def _current_of(session: Session, verification: Verification) -> Revision | None:
    """Return the revision that it was published as, if that is still the current one."""
    current = select(Revision).join(Problem, IS_CURRENT)
    return session.scalar(current.where(Revision.id == verification.revision_id))


def bring_back(session: Session, slug: str, number: int, actor: Actor) -> Revision:
    """Make an earlier revision the current one again.

    Raises NotFound, and PackageInvalid if the package format has changed since.
    """
    _read(slug, get_revision(session, slug, number).files)
    lock_problem(session, slug)
    before = _current_number(session, slug)
    return _noted(session, publish_again(session, slug, number), Publisher(actor=actor), before)


def _current_number(session: Session, slug: str) -> int | None:
    return session.scalar(select(Revision.number).join(Problem, IS_CURRENT).where(Problem.slug == slug))


def _read(slug: str, files: dict[str, str]) -> Package:
    return package_from_files(slug, {path: text.encode() for path, text in files.items()})


def _noted(session: Session, revision: Revision, publisher: Publisher, before: int | None) -> Revision:
    """Record the publication, unless a user published the revision that was current `before`.

    Publications from the server's folder are always recorded, because `publish_folder` compares with the last one.
    """
    actor = publisher.actor
    if actor and before == revision.number:
        return revision
    session.add(
        Publication(
            problem_id=revision.problem_id,
            revision_id=revision.id,
            user_id=actor.user_id if actor else None,
            verification_id=publisher.verification_id,
        )
    )
    if actor:
        slug = session.get_one(Problem, revision.problem_id).slug
        after: dict[str, object] = {"revision": revision.number}
        if before is None and publisher.availability:
            after["availability"] = publisher.availability
        record(session, actor, Act(action="problem.published", target=slug, before={"revision": before}, after=after))
    session.flush()
    return revision
