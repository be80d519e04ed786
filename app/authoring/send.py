"""Send a package to verification, and cancel a verification."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Text, cast, func, select, update
from sqlalchemy.orm import Session, defer

from app.accounts.model import serialise_requests
from app.audit import Act, Actor, record
from app.authoring.model import Verification
from app.catalog.access import require_editable
from app.catalog.folder import digest
from app.catalog.model import Availability
from app.catalog.package import Package
from app.catalog.publish import check_current
from app.errors import LimitReached
from app.limits import MAX_UNFINISHED_VERIFICATIONS
from app.queue.lease import cancelled, enqueue
from app.queue.model import CANCELLED, CHANNEL, Job
from app.queue.route import Route, find_route, require_frameworks


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """A package to verify. `replaces`: the digest of the revision that it may replace, empty for none, None for any.

    `availability`: what the problem gets when the package is published; None leaves it as it is.
    """

    user_id: UUID
    package: Package
    publish: bool
    replaces: str | None = None
    availability: Availability | None = None


def send(session: Session, wanted: Sending) -> Verification:
    """Queue a verification, or return the unfinished one of an equal request.

    Raises Outdated, LimitReached, Invalid if no worker has its frameworks, and ProblemNotFound for a problem of a
    course whose files the author may not read.
    """
    slug, name = wanted.package.slug, digest(wanted.package.files)
    same = (slug, name, wanted.publish, wanted.replaces, wanted.availability)
    require_editable(session, wanted.user_id, slug)
    serialise_requests(session, wanted.user_id)
    unfinished = _unfinished(session, wanted.user_id)
    for earlier in unfinished:
        if _request_of(earlier) == same:
            return earlier
    if wanted.replaces is not None:
        check_current(session, slug, wanted.replaces)
    if len(unfinished) >= MAX_UNFINISHED_VERIFICATIONS:
        raise LimitReached(
            f"{len(unfinished)} of your packages wait for verification; the limit is {MAX_UNFINISHED_VERIFICATIONS}. "
            "Cancel one, or send this package again when one is done"
        )
    manifest = wanted.package.manifest
    route = find_route(session, manifest.limits.model_dump(), manifest.frameworks)
    require_frameworks(session, route)
    return _write(session, wanted, route, priority=-len(unfinished))


def cancel_as(session: Session, actor: Actor, verification: Verification) -> None:
    """Cancel a verification, and record it in the audit log if it belongs to another user."""
    if verification.state != "done" and actor.user_id != verification.user_id:
        act = Act(
            action="verification.cancelled",
            target=verification.id,
            after={"problem": verification.slug},
            subject_id=verification.user_id,
        )
        record(session, actor, act)
    cancel(session, verification)


def cancel(session: Session, verification: Verification) -> None:
    """End a queued or running verification. After the COMMIT no worker can write its report or publish the package.

    A NOTIFY tells its worker to stop.
    """
    job = cancelled(Job.verification_id == verification.id)
    ended = (
        update(Verification)
        .where(Verification.id == job.c.verification_id)
        .values(
            verdict="failed",
            is_cancelled=True,
            finished_at=func.now(),
            reason=func.concat_ws("\n", job.c.reason, CANCELLED),
        )
        .returning(func.pg_notify("progress", cast(Verification.id, Text)), func.pg_notify(CHANNEL, CANCELLED))
    )
    session.execute(ended, execution_options={"synchronize_session": False}).all()
    session.refresh(verification)


def _request_of(row: Verification) -> tuple[object, ...]:
    return (row.slug, row.digest, row.publish, row.replaces, row.availability)


def _unfinished(session: Session, user_id: UUID) -> list[Verification]:
    unfinished = select(Verification).join(Job, Job.verification_id == Verification.id)
    mine = unfinished.where(Verification.user_id == user_id)
    return list(session.scalars(mine.options(defer(Verification.files))))


def _write(session: Session, wanted: Sending, route: Route, priority: int) -> Verification:
    package = wanted.package
    verification = Verification(
        user_id=wanted.user_id,
        slug=package.slug,
        files={path: content.decode() for path, content in package.files.items()},
        digest=digest(package.files),
        replaces=wanted.replaces,
        publish=wanted.publish,
        availability=wanted.availability,
    )
    session.add(verification)
    session.flush()
    verification.job = Job(
        watched=verification.id,
        queue=f"verify-{route.queue}",  # of workers with the device that judges its submissions
        frameworks=list(route.frameworks),
        priority=priority,
    )
    enqueue(session, verification.job)
    return verification
