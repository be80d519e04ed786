"""Load what is to be judged: a submission, its revision, and that revision's package."""

from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from sqlalchemy import select

from app.catalog.model import IS_CURRENT, Problem, Revision
from app.catalog.package import Package, package_from_files
from app.database.engine import Database
from app.queue.lease import Claim
from app.submissions.model import Judging, Submission

PACKAGES_KEPT = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    submission: Submission
    revision: Revision
    package: Package

    @property
    def variant(self) -> int:
        """The submission's variant; a later revision than its own may have fewer."""
        return self.submission.variant % self.package.manifest.variants


class Works:
    """Reads from the database. Packages are cached, since they take longest to read and a revision never changes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._package = lru_cache(PACKAGES_KEPT)(self._read_package)

    @property
    def url(self) -> str:
        return self._database.url

    def get(self, claim: Claim) -> Work:
        with self._database.transaction() as session:
            submission = session.get_one(Submission, claim.submission_id)
            revision = session.get_one(Revision, session.get_one(Judging, claim.judging_id).revision_id)
        return Work(submission=submission, revision=revision, package=self.package(revision))

    def package(self, revision: Revision) -> Package:
        """Raises PackageInvalid: a revision may be older than a rule of the package format."""
        return self._package(revision.id)

    def current(self) -> list[Revision]:
        """Return every problem's current revision, in the order of the slugs."""
        current = select(Revision).join(Problem, IS_CURRENT).where(Problem.availability != "withdrawn")
        current = current.order_by(Problem.slug)
        with self._database.transaction() as session:
            return list(session.scalars(current))

    def current_of(self, slug: str) -> tuple[Revision, Package] | None:
        """Return None if the problem does not exist. Raises PackageInvalid."""
        with self._database.transaction() as session:
            revision = session.scalars(select(Revision).join(Problem, IS_CURRENT).where(Problem.slug == slug)).first()
        return None if revision is None else (revision, self.package(revision))

    def _read_package(self, revision_id: UUID) -> Package:
        with self._database.transaction() as session:
            revision = session.get_one(Revision, revision_id)
            slug = session.get_one(Problem, revision.problem_id).slug
        return package_from_files(slug, {path: text.encode() for path, text in revision.files.items()})
