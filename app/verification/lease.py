"""Leases of verifications: claim, beat, finish and publish. A row of `verifications` is its own job."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from threading import Event
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, func, update
from sqlalchemy.orm import Session

from app.audit import Actor
from app.authoring.model import Outcome, Verification
from app.authoring.publication import Publisher, publish_package
from app.authoring.send import VERIFICATION_CHANNEL
from app.catalog.model import Revision
from app.catalog.package import Package
from app.catalog.verification_report import Report
from app.database.engine import Database
from app.errors import Outdated
from app.queue.lease import JobKind, Wanted, storable_reason
from app.queue.lease_sql import VERIFYING
from app.queue.retry import NEVER, retry, retry_briefly

NOT_PUBLISHED = "The package passed but was not published"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationClaim:
    """The right of one attempt to verify a package. It ends when a later attempt begins."""

    verification_id: UUID
    attempt: int

    def __str__(self) -> str:
        return f"verification {self.verification_id}, attempt {self.attempt}"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationResult:
    """The result of a verification. `package` is None if its files no longer make a valid package."""

    report: Report
    package: Package | None


def claim(session: Session, wanted: Wanted) -> list[VerificationClaim]:
    rows = session.execute(VERIFYING.claim, wanted.values)
    return [VerificationClaim(verification_id=row.id, attempt=row.attempt) for row in rows]


def beat(session: Session, claims: Collection[VerificationClaim], lease: timedelta) -> set[VerificationClaim]:
    held = list(claims)
    values = {"ids": [c.verification_id for c in held], "attempts": [c.attempt for c in held], "lease": lease}
    rows = session.execute(VERIFYING.beat, values)
    kept = {(row.id, row.attempt) for row in rows if not row.cancel_requested}
    return {c for c in held if (c.verification_id, c.attempt) not in kept}


def bury(session: Session) -> int:
    return len(session.execute(VERIFYING.bury).all())


def fail(database: Database, claim: VerificationClaim, reason: str, abort: Event = NEVER) -> None:
    retry(lambda: _execute(database, claim, reason=storable_reason(reason)), abort)


def give_back(database: Database, claim: VerificationClaim) -> None:
    retry_briefly(lambda: _execute(database, claim, reason=None))


def record_step(session: Session, claim: VerificationClaim, step: str, done: int, total: int) -> None:
    """Write the progress, unless another attempt has taken over."""
    session.execute(
        update(Verification)
        .where(*_held(claim))
        .values(step=step, step_done=done, step_total=total)
        .returning(_told(claim))
    )


def finish(
    database: Database, claim: VerificationClaim, verified: VerificationResult, abort: Event = NEVER
) -> Revision | None:
    """Write the report, publish the package if it passed and the author asked for it, and return the new revision.

    All in one transaction. Writes nothing if another attempt has taken over. Tries again while the database is
    unavailable, until `abort` is set.
    """
    return retry(lambda: _finish(database, claim, verified), abort)


def _finish(database: Database, claim: VerificationClaim, verified: VerificationResult) -> Revision | None:
    outcome: Outcome = "passed" if verified.report.passed and verified.package is not None else "refused"
    values = {"state": "done", "verdict": outcome, "report": verified.report.model_dump_json()}
    with database.transaction() as session:
        ended = session.execute(
            update(Verification)
            .where(*_held(claim))
            .values(**values, finished_at=func.now(), lease_until=None)
            .returning(_told(claim))
        )
        if ended.first() is None or outcome != "passed" or verified.package is None:
            return None
        row = session.get_one(Verification, claim.verification_id)
        return _publish_as_wished(session, row, verified.package)


def _publish_as_wished(session: Session, row: Verification, package: Package) -> Revision | None:
    """Publish unless cancelled. The row is locked until the commit, so a later cancellation finds it done."""
    if not row.publish:
        return None
    if row.cancel_requested:
        row.reason = f"{NOT_PUBLISHED}: the verification was cancelled."
        return None
    return _publish(session, row, package)


def _publish(session: Session, row: Verification, package: Package) -> Revision | None:
    """Return None if the problem got another revision meanwhile, which the author must see first."""
    actor = Actor(user_id=row.user_id, channel="worker")
    publisher = Publisher(actor=actor, verification_id=row.id, availability=row.availability)
    try:
        revision = publish_package(session, package, publisher, row.replaces)
    except Outdated as outdated:
        row.reason = f"{NOT_PUBLISHED}: {outdated}."
        return None
    row.revision_id = revision.id
    return revision


def _execute(database: Database, claim: VerificationClaim, reason: str | None) -> None:
    key: dict[str, object] = {"id": claim.verification_id, "attempt": claim.attempt}
    with database.transaction() as session:
        if reason is None:
            session.execute(VERIFYING.give_back, key)
        else:
            session.execute(VERIFYING.fail, {**key, "reason": reason})


def _held(claim: VerificationClaim) -> tuple[ColumnElement[bool], ...]:
    return (
        Verification.id == claim.verification_id,
        Verification.attempt == claim.attempt,
        Verification.state == "verifying",
    )


def _told(claim: VerificationClaim) -> ColumnElement[Any]:
    return func.pg_notify("progress", str(claim.verification_id))


VERIFICATIONS = JobKind(channel=VERIFICATION_CHANNEL, claim=claim, beat=beat, bury=bury, fail=fail, give_back=give_back)
