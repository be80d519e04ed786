"""Move a verification through its states with the functions of the lease."""

from datetime import timedelta

from sqlalchemy import select

from app.authoring.model import Verification
from app.catalog.package import package_from_files
from app.database.engine import Database
from app.queue.lease import Wanted, claim
from app.verification.verification_record import VerificationClaim, VerificationResult, finish, record_step
from tests.authoring.rows import make_report

WANTED = Wanted(queues=("verify-cpu",), slots=1, worker="test", lease=timedelta(seconds=15))


def take(database: Database) -> VerificationClaim:
    with database.transaction() as session:
        (taken,) = claim(session, WANTED, VerificationClaim)
    return taken


def tell(database: Database, taken: VerificationClaim, step: str, done: int, total: int) -> None:
    with database.transaction() as session:
        record_step(session, taken, step, done, total)


def end(database: Database, taken: VerificationClaim, *, passed: bool = True) -> None:
    columns = select(Verification.slug, Verification.files).where(Verification.id == taken.verification_id)
    with database.transaction() as session:
        slug, files = session.execute(columns).one()
    package = package_from_files(slug, {path: text.encode() for path, text in files.items()})
    finish(database, taken, VerificationResult(report=make_report(passed), package=package))


def verify(database: Database, *, passed: bool = True) -> None:
    """Verify the waiting package."""
    end(database, take(database), passed=passed)
