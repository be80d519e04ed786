"""Send a package to verification, and cancel a verification."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session, defer

from app.accounts.model import serialise_requests
from app.audit import Act, Actor, record
from app.authoring.model import Verification
from app.catalog.folder import digest
from app.catalog.model import Availability
from app.catalog.package import Package
from app.catalog.publish import check_current
from app.errors import LimitReached
from app.limits import MAX_UNFINISHED_VERIFICATIONS

VERIFICATION_CHANNEL = "verification"
CANCELLED = "cancelled"


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


def queue_of(package: Package) -> str:
    """Return the queue of workers with the device that the package's submissions need."""
    return "verify-gpu" if package.manifest.limits.gpu else "verify-cpu"


def send(session: Session, wanted: Sending) -> Verification:
    """Queue a verification, or return the unfinished one of an equal request. Raises Outdated, LimitReached."""
    slug, name = wanted.package.slug, digest(wanted.package.files)
    same = (slug, name, wanted.publish, wanted.replaces, wanted.availability)
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
    return _write(session, wanted, priority=-len(unfinished))


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
    """End a queued verification now, and a running one at its worker's next heartbeat."""
    reason = func.concat_ws("\n", Verification.reason, CANCELLED)
    waiting = (
        update(Verification)
        .where(Verification.id == verification.id, Verification.state == "queued")
        .values(state="done", verdict="failed", reason=reason, finished_at=func.now(), cancel_requested=True)
        .returning(Verification.id)
    )
    if session.execute(waiting).first() is None:
        running = update(Verification).where(Verification.id == verification.id, Verification.state == "verifying")
        session.execute(running.values(cancel_requested=True, reason=reason))
    session.execute(select(func.pg_notify("progress", str(verification.id))))
    session.refresh(verification)


def _request_of(row: Verification) -> tuple[object, ...]:
    return (row.slug, row.digest, row.publish, row.replaces, row.availability)


def _unfinished(session: Session, user_id: UUID) -> list[Verification]:
    # Not `!= "done"`: the index on unfinished verifications has these states in its condition.
    is_unfinished = Verification.state.in_(("queued", "verifying"))
    mine = (Verification.user_id == user_id, is_unfinished, ~Verification.cancel_requested)
    return list(session.scalars(select(Verification).options(defer(Verification.files)).where(*mine)))


def _write(session: Session, wanted: Sending, priority: int) -> Verification:
    package = wanted.package
    verification = Verification(
        user_id=wanted.user_id,
        slug=package.slug,
        files={path: content.decode() for path, content in package.files.items()},
        digest=digest(package.files),
        replaces=wanted.replaces,
        publish=wanted.publish,
        availability=wanted.availability,
        queue=queue_of(package),
        priority=priority,
    )
    session.add(verification)
    session.flush()
    session.execute(select(func.pg_notify(VERIFICATION_CHANNEL, verification.queue)))
    return verification
