"""Load what is to be judged: a submission, its revision, and that revision's package."""

from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from sqlalchemy import bindparam, func, select

from app.catalog.model import IS_CURRENT, Device, Problem, Revision, SolveCount
from app.catalog.package import Package, package_from_files
from app.database.engine import Database
from app.queue.model import Job
from app.submissions.judging_record import JudgingClaim
from app.submissions.model import Judging, Submission

# A revision takes 90 to 150 ms to read: its files are parsed.
REVISIONS_KEPT = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """`kind`: interactive, when a student waits, rejudge, or visitor. `waited_seconds`: in the queue."""

    submission: Submission
    revision: Revision
    package: Package
    request_id: str | None
    queue: str
    kind: str
    waited_seconds: float

    @property
    def variant(self) -> int:
        """The submission's variant; a later revision than its own may have fewer."""
        return self.submission.variant % self.package.manifest.variants


# Built once, because each judging runs it.
_JUDGED = (
    select(Submission, Judging.revision_id, Judging.request_id, Judging.queue, Judging.rejudging_id)
    .add_columns(func.extract("epoch", Job.started_at - Judging.queued_at))
    .join(Judging, Judging.submission_id == Submission.id)
    .outerjoin(Job, Job.judging_id == Judging.id)
    .where(Judging.id == bindparam("judging_id"))
)


class Works:
    """Reads from the database. Revisions are cached with their packages: they take longest to read and never change.

    For a worker without GPUs, a problem for GPUs whose kernels may be interpreted is one without.
    """

    def __init__(self, database: Database, device: Device = "cpu") -> None:
        self._database = database
        self._device = device
        self.revision = lru_cache(REVISIONS_KEPT)(self._read_revision)

    @property
    def url(self) -> str:
        return self._database.url

    def get(self, claim: JudgingClaim) -> Work:
        with self._database.transaction() as session:
            found = session.execute(_JUDGED, {"judging_id": claim.judging_id}).one()
        submission, revision_id, request_id, queue, rejudging_id, waited_seconds = found
        revision, package = self.revision(revision_id)
        return Work(
            submission=submission,
            revision=revision,
            package=package,
            request_id=request_id,
            queue=queue,
            kind="visitor" if submission.user_id is None else "interactive" if rejudging_id is None else "rejudge",
            waited_seconds=float(waited_seconds or 0),
        )

    def current(self) -> list[Revision]:
        """Return every problem's current revision, the most popular first."""
        current = select(Revision).join(Problem, IS_CURRENT).where(Problem.availability != "withdrawn")
        current = current.outerjoin(SolveCount, SolveCount.problem_id == Problem.id)
        current = current.order_by(SolveCount.submissions.desc().nulls_last(), Problem.slug)
        with self._database.transaction() as session:
            return list(session.scalars(current))

    def _read_revision(self, revision_id: UUID) -> tuple[Revision, Package]:
        """Raises PackageInvalid: a revision may be older than a rule of the package format."""
        with self._database.transaction() as session:
            revision = session.get_one(Revision, revision_id)
            slug = session.get_one(Problem, revision.problem_id).slug
        package = package_from_files(slug, {path: text.encode() for path, text in revision.files.items()})
        return revision, package.interpreted if self._device == "cpu" else package
