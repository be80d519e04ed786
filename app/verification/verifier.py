"""The worker's loop for verifications: one package at a time, in a slot and boxes apart from judgings.

A verification takes minutes, a judging seconds, so verifications use no slots of judgings. Bubblewrap boxes run at a
lower CPU priority than judgings; Docker starts containers itself, and they share the cores evenly.
"""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.exc import DBAPIError, TimeoutError

from app.authoring.model import Verification
from app.catalog.fault import PackageInvalid
from app.catalog.folder import digest
from app.catalog.package import Package, package_from_files
from app.catalog.verification_report import VERIFICATION_VERSION, Report, report_of, report_overdue
from app.database.engine import Database, retry
from app.queue.background_work import lower_priority
from app.queue.heartbeat import Capacity
from app.queue.lease_loop import LeaseLoop, Rhythm
from app.settings import Settings
from app.verification.trial import Effort, open_pools, private_launcher
from app.verification.verification_record import VerificationClaim, VerificationResult, finish, record_step
from app.verification.verify import FULL, verify
from sandbox.gpu.gpu_lease import Gpus
from sandbox.interface import Aborted

# A verification that takes longer ends, because it holds the worker's only slot for them. Our problems take minutes.
LONGEST_SECONDS = 30 * 60.0
POLL_SECONDS = 0.1
# The least time between two writes of progress within a step.
WRITE_SECONDS = 0.5
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verifier:
    """Verifies claimed packages. Each gets boxes of its own, which close after it."""

    settings: Settings
    database: Database
    gpus: Gpus | None
    effort: Effort = FULL
    seconds: float = LONGEST_SECONDS

    def loop(self, capacity: Capacity, rhythm: Rhythm | None = None) -> LeaseLoop[VerificationClaim]:
        """Return the lease loop. `capacity` is that of judgings. It needs 3 more connections to the database."""
        queues = [f"verify-{queue}" for queue in capacity.queues]
        own = Capacity(
            queues=queues,
            slots=1,
            device=capacity.device,
            gpus=capacity.gpus,
            versions=capacity.versions,
            lacks=capacity.lacks,
        )
        return LeaseLoop(self.database, own, VerificationClaim, self.verify, rhythm)

    def verify(self, claim: VerificationClaim, abort: threading.Event) -> None:
        """Verify a claimed package and finish its row. An exception means that the verification failed by our fault."""
        lower_priority()
        slug, files = retry(lambda: self._read(claim), abort)
        try:
            package = package_from_files(slug, files)
        except PackageInvalid as invalid:  # a rule is newer than the package
            finish(self.database, claim, VerificationResult(report=report_of(invalid), package=None), abort)
            return
        report = retry(lambda: self._find_passed(package), abort) or self._verify_in_time(
            package, _Progress(self.database, claim), abort
        )
        finish(self.database, claim, VerificationResult(report=report, package=package), abort)

    def _find_passed(self, package: Package) -> Report | None:
        """Return the last report by which a package of the same content passed the same checks, if there is one."""
        passed = (
            select(Verification.report)
            .where(Verification.slug == package.slug, Verification.digest == digest(package.files))
            .where(Verification.verdict == "passed")
            .order_by(Verification.finished_at.desc())
            .limit(1)
        )
        with self.database.transaction() as session:
            text = session.scalar(passed)
        report = Report.model_validate_json(text) if text else None
        if report is None or report.verification_version != VERIFICATION_VERSION:
            return None
        return report if report.is_quick == self.effort.is_quick else None

    def _verify_in_time(self, package: Package, progress: "_Progress", abort: threading.Event) -> Report:
        """Return a report that says so if the time is over. Raises Aborted only if `abort` is set."""
        try:
            with (
                private_launcher(self.settings, self.gpus) as launcher,
                open_pools(self.settings, launcher) as pools,
                aborted_after(self.seconds, abort) as over,
            ):
                return verify(package if self.gpus else package.interpreted, pools, progress, over, self.effort)
        except Aborted:
            if abort.is_set():
                raise
            return report_overdue(package, self.seconds, progress.step)

    def _read(self, claim: VerificationClaim) -> tuple[str, dict[str, bytes]]:
        columns = select(Verification.slug, Verification.files).where(Verification.id == claim.verification_id)
        with self.database.transaction() as session:
            slug, files = session.execute(columns).one()
        return slug, {path: text.encode() for path, text in files.items()}


@dataclass(slots=True)
class _Progress:
    """Writes a verification's progress to its row, at most every `WRITE_SECONDS` within a step."""

    database: Database
    claim: VerificationClaim
    step: str = ""
    _written_at: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, step: str, done: int, total: int) -> None:
        with self._lock:
            now = time.monotonic()
            if step == self.step and done < total and now - self._written_at < WRITE_SECONDS:
                return
            self.step, self._written_at = step, now
        try:
            with self.database.transaction() as session:
                record_step(session, self.claim, step, done, total)
        except (DBAPIError, TimeoutError) as error:
            _log.warning("%s: could not write the progress: %s", self.claim, error)


@contextmanager
def aborted_after(seconds: float, abort: threading.Event) -> Iterator[threading.Event]:
    """Yield an event that is set when `abort` is, after `seconds`, or at the end of the block."""
    over = threading.Event()
    watcher = threading.Thread(target=_watch, args=(over, time.monotonic() + seconds, abort), name="deadline")
    watcher.start()
    try:
        yield over
    finally:
        over.set()
        watcher.join()


def _watch(over: threading.Event, until: float, abort: threading.Event) -> None:
    while not over.wait(POLL_SECONDS):
        if abort.is_set() or time.monotonic() >= until:
            over.set()
