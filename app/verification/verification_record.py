"""The writes of a worker about the verification that it holds: its progress, its report, and the published package."""

from dataclasses import dataclass
from threading import Event
from uuid import UUID

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from app.audit import Actor
from app.authoring.model import Outcome, Verification
from app.authoring.publication import Publisher, publish_package
from app.catalog.model import Revision
from app.catalog.package import Package
from app.catalog.verification_report import Report
from app.database.engine import NEVER, Database, retry
from app.errors import Outdated
from app.queue.lease import Claim, end, hold

NOT_PUBLISHED = "The package passed but was not published"


class VerificationClaim(Claim):
    """The right of one attempt to verify a package."""

    COLUMN = "verification_id"
    FAILURE = """
        UPDATE verifications SET verdict = 'failed', finished_at = now(), reason = ended.reason
        FROM ended WHERE verifications.id = ended.verification_id
    """

    @property
    def verification_id(self) -> UUID:
        return self.watched

    def __str__(self) -> str:
        return f"verification {self.verification_id}, attempt {self.attempt}"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationResult:
    """The result of a verification. `package` is None if its files no longer make a valid package."""

    report: Report
    package: Package | None


def record_step(session: Session, claim: VerificationClaim, step: str, done: int, total: int) -> None:
    """Write the progress, unless the claim has ended."""
    if hold(session, claim):
        own = update(Verification).where(Verification.id == claim.verification_id)
        session.execute(own.values(step=step, step_done=done, step_total=total))
        session.execute(select(func.pg_notify("progress", str(claim.verification_id))))


def finish(
    database: Database, claim: VerificationClaim, verified: VerificationResult, abort: Event = NEVER
) -> Revision | None:
    """Write the report, publish the package if it passed and the author asked for it, and return the new revision.

    All in one transaction. Writes nothing if another attempt has taken over, or if the verification was cancelled.
    Tries again while the database is unavailable, until `abort` is set.
    """
    return retry(lambda: _finish(database, claim, verified), abort)


def _finish(database: Database, claim: VerificationClaim, verified: VerificationResult) -> Revision | None:
    outcome: Outcome = "passed" if verified.report.passed and verified.package is not None else "refused"
    with database.transaction() as session:
        job = end(session, claim)
        if job is None:
            return None
        row = session.get_one(Verification, claim.verification_id)
        row.verdict, row.finished_at = outcome, func.now()
        row.report, row.reason = verified.report.model_dump_json(), job.reason
        session.flush()
        if outcome != "passed" or verified.package is None or not row.publish:
            return None
        return _publish(session, row, verified.package)


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
