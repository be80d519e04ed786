"""Publish a package: make it the current revision of its problem, and change who can find and open the problem."""

import json
from secrets import token_bytes
from typing import Any
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.audit import Act, Actor, record
from app.catalog.folder import digest
from app.catalog.model import IS_CURRENT, Availability, Problem, Revision
from app.catalog.package import Package
from app.errors import NotFound, Outdated, ProblemNotFound

SEED_BYTES = 32
MAX_NUMBER = 2**31 - 1
# The channel that tells workers the revision of a problem that students will want to submit to.
PROBLEM_OPENED = "opened"


def publish(session: Session, package: Package, replaces: str | None = None) -> Revision:
    """Create or find the revision with this content, and make it the problem's current one.

    `replaces` is the digest of the current revision, empty if there is none. Raises Outdated if it is another one.
    """
    problem = lock_problem(session, package.slug)
    if replaces is not None:
        check_current(session, problem.slug, replaces)
    revision = _find_revision(session, problem, digest(package.files)) or _add_revision(session, problem, package)
    _make_current(session, problem, revision)
    return revision


def publish_again(session: Session, slug: str, number: int) -> Revision:
    """Make an earlier revision the current one again. Raises NotFound."""
    revision = get_revision(session, slug, number)
    _make_current(session, lock_problem(session, slug), revision)
    return revision


def get_revision(session: Session, slug: str, number: int) -> Revision:
    """Raises NotFound."""
    of_slug = select(Revision).join(Problem, Problem.id == Revision.problem_id).where(Problem.slug == slug)
    revision = session.scalar(of_slug.where(Revision.number == number)) if 0 < number <= MAX_NUMBER else None
    if revision is None:
        raise NotFound(f"there is no revision {number} of {slug!r}; the problem's list of revisions has all of them")
    return revision


def find_current(session: Session, slug: str) -> Revision | None:
    return session.scalar(select(Revision).join(Problem, IS_CURRENT).where(Problem.slug == slug))


def check_current(session: Session, slug: str, replaces: str) -> None:
    """Raise Outdated unless the current revision has this digest. An empty digest means that there is none."""
    current = find_current(session, slug)
    if (current.digest if current else "") != replaces:
        found = f"its revision is {current.number} ({current.digest[:12]})" if current else "it has no revision yet"
        meant = f"you started from revision {replaces[:12]}" if replaces else "you sent it as a new problem"
        raise Outdated(f"{slug} has changed: {found}, but {meant}; compare the two and send it again")


def _make_current(session: Session, problem: Problem, revision: Revision) -> None:
    if problem.current_revision_id != revision.id:
        problem.current_revision_id = revision.id
        session.flush()
        notify_problem_opened(session, revision.id)


def notify_problem_opened(session: Session, revision_id: UUID) -> None:
    """Tell workers to get ready for a submission to this problem, and for the next one."""
    session.execute(select(func.pg_notify(PROBLEM_OPENED, str(revision_id))))


def lock_problem(session: Session, slug: str) -> Problem:
    # The lock makes two publications of one problem wait for each other, so that revision numbers stay in order.
    session.execute(insert(Problem).values(slug=slug).on_conflict_do_nothing(index_elements=[Problem.slug]))
    # An object that this session has read before the lock is read again.
    locked = select(Problem).where(Problem.slug == slug).with_for_update()
    return session.scalars(locked.execution_options(populate_existing=True)).one()


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
        samples=package.samples.model_dump(mode="json", exclude={"digest"}) if package.samples else None,
    )
    session.add(revision)
    session.flush()
    return revision


def _stored_manifest(package: Package) -> dict[str, Any]:
    """Return the manifest as JSON, with the statement and the starter.

    JSON turns the NaN of an input into null, because PostgreSQL's JSON has no NaN. The files keep it.
    """
    manifest: dict[str, Any] = json.loads(package.manifest.model_dump_json())
    return manifest | {"statement": package.statement, "starter": package.starter}


def get_availability(session: Session, slug: str) -> Availability:
    """Raises ProblemNotFound."""
    return _get(session, slug).availability


def change_availability(
    session: Session, slug: str, availability: Availability, actor: Actor, course_id: UUID | None = None
) -> None:
    """Change who can open a problem. `course_id`: for the availability `course`. Raises ProblemNotFound."""
    lock_problem(session, slug)
    problem = _get(session, slug)
    before = problem.availability
    if (before, problem.course_id) == (availability, course_id or problem.course_id):
        return
    set_availability(problem, availability, course_id)
    act = Act(
        action="problem.availability_changed",
        target=slug,
        before={"availability": before},
        after={"availability": availability},
    )
    record(session, actor, act)
    session.flush()


def set_availability(problem: Problem, availability: Availability, course_id: UUID | None = None) -> None:
    """A course's problem stays its own as a draft and when it is withdrawn. Without its course it is a draft."""
    problem.course_id = None if availability in ("listed", "unlisted") else course_id or problem.course_id
    problem.availability = "draft" if availability == "course" and problem.course_id is None else availability


def _get(session: Session, slug: str) -> Problem:
    problem = session.query(Problem).filter_by(slug=slug).one_or_none()
    if problem is None or problem.current_revision_id is None:
        raise ProblemNotFound(slug)
    return problem
