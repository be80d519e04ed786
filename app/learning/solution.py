"""The solution of a problem: the reference, other accepted solutions, and the editorial.

It opens when one of the user's submissions is accepted, or when the user asks to view it, which is stored. A locked
solution is never read from the database. While a student can hand the problem in for an assignment, it is closed, and
so is all that opens with it: shared solutions and code in discussions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.accounts.permission import Permission, Viewer
from app.catalog.figure import figures_of
from app.catalog.model import Revision
from app.catalog.package import Package, package_from_files
from app.courses.due import find_lock, require_unlocked
from app.errors import Refused
from app.judging.verdicts import Verdict
from app.learning.lesson import Lesson, get_lesson
from app.learning.model import SolutionView
from app.submissions.solved import first_solved, solved_at

OpenedBy = Literal["accepted", "asked"]


class SolutionLocked(Refused):
    """The user has neither solved the problem nor asked to view its solution."""

    def __init__(self) -> None:
        super().__init__("the solution opens when one of your submissions is accepted, or when you ask to view it")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """The lock's state. `opened_by` is None while locked. `solved_at`: when the first accepted submission was sent."""

    solved_at: datetime | None
    shown_at: datetime | None

    @property
    def opened_by(self) -> OpenedBy | None:
        if self.solved_at:
            return "accepted"
        return "asked" if self.shown_at else None

    @property
    def is_solved_after_seeing(self) -> bool:
        return self.solved_at is not None and self.shown_at is not None and self.shown_at < self.solved_at


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedSolution:
    name: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """The solution, without code that draws hidden inputs or calls the solution.

    `editorial` is Markdown, and `figures` are the SVG files that it may show, by path.
    """

    lock: Lock
    opened_by: OpenedBy
    reference: str
    accepted: tuple[AcceptedSolution, ...]
    editorial: str | None
    figures: Mapping[str, str]


def get_solution(session: Session, user_id: UUID, slug: str) -> Solution:
    """Raises NotFound, SolutionLocked and AssignmentOpen."""
    lesson = get_lesson(session, slug, user_id)
    require_unlocked(session, user_id, lesson.problem_id)
    lock = read_lock(session, user_id, lesson.problem_id)
    if lock.opened_by is None:
        raise SolutionLocked
    return _read(_package(session, lesson), lock, lock.opened_by)


def show_solution(session: Session, user_id: UUID, slug: str) -> Solution:
    """Open the solution, and store the view unless the problem is solved. Raises NotFound and AssignmentOpen."""
    lesson = get_lesson(session, slug, user_id)
    require_unlocked(session, user_id, lesson.problem_id)
    if read_lock(session, user_id, lesson.problem_id).opened_by is None:
        row = {"user_id": user_id, "problem_id": lesson.problem_id, "revision_id": lesson.revision_id}
        session.execute(insert(SolutionView).values(row).on_conflict_do_nothing())
    return get_solution(session, user_id, slug)


def is_solution_open(session: Session, viewer: Viewer, problem_id: UUID) -> bool:
    """Whether the viewer may read solutions of the problem. Moderators may: authors can read its files."""
    if viewer.may(Permission.MODERATE):
        return True
    is_opened = read_lock(session, viewer.id, problem_id).opened_by is not None
    return is_opened and find_lock(session, viewer.id, problem_id) is None


def require_open_solution(session: Session, viewer: Viewer, slug: str) -> UUID:
    """Return the problem's ID. Raises NotFound, SolutionLocked and AssignmentOpen."""
    lesson = get_lesson(session, slug, viewer.id)
    if not viewer.may(Permission.MODERATE):
        require_unlocked(session, viewer.id, lesson.problem_id)
    if not is_solution_open(session, viewer, lesson.problem_id):
        raise SolutionLocked
    return lesson.problem_id


def read_lock(session: Session, user_id: UUID, problem_id: UUID) -> Lock:
    of_this_problem = (SolutionView.user_id == user_id, SolutionView.problem_id == problem_id)
    shown_at = select(SolutionView.shown_at).where(*of_this_problem).scalar_subquery()
    first, shown = session.execute(select(solved_at(user_id, problem_id), shown_at)).one()
    return Lock(solved_at=first, shown_at=shown)


def count_solved_after_seeing(session: Session, user_id: UUID) -> int:
    """Count problems whose first accepted submission was sent after the user viewed the solution."""
    first = first_solved(user_id).subquery()
    seen = select(func.count()).select_from(SolutionView).join(first, first.c.problem_id == SolutionView.problem_id)
    return session.scalars(seen.where(SolutionView.user_id == user_id, SolutionView.shown_at < first.c.solved_at)).one()


def _package(session: Session, lesson: Lesson) -> Package:
    files = session.scalars(select(Revision.files).where(Revision.id == lesson.revision_id)).one()
    return package_from_files(lesson.slug, {path: text.encode() for path, text in files.items()})


def _read(package: Package, lock: Lock, opened_by: OpenedBy) -> Solution:
    return Solution(
        lock=lock,
        opened_by=opened_by,
        reference=package.reference,
        accepted=tuple(
            AcceptedSolution(name=known.name, source=known.source)
            for known in package.submissions
            if known.verdict is Verdict.ACCEPTED
        ),
        editorial=package.editorial,
        figures=figures_of(
            {path: content.decode() for path, content in package.files.items()}, package.editorial or ""
        ),
    )
