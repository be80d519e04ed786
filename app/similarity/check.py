"""Similarity checks: who may see one, how one begins, and how far it is.

A check of an assignment is seen by the staff of its course, and begun by instructors. One of all submissions for a
problem is for those who may inspect all submissions, and for the author who first published the problem. To everybody
else there is no such check: nothing shows to a student that two programs were found similar.
"""

from datetime import datetime
from uuid import UUID

from pydantic import Field
from sqlalchemy import ColumnElement, exists, select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.permission import Permission, Viewer
from app.audit import Act, Actor, record
from app.authoring.model import Publication
from app.catalog.access import is_editable_by
from app.catalog.model import Problem
from app.courses.assignment import find_key, get_assignment
from app.courses.model import Assignment, AssignmentProblem, Course, Member
from app.courses.role import CourseNotFound, CourseRight, Seat, get_seat
from app.database.engine import storable
from app.errors import NotFound
from app.queue.heartbeat import has_worker, serves
from app.queue.lease import enqueue
from app.queue.model import Job
from app.similarity.model import CheckState, Compared, SimilarityCheck
from app.validation import Body, FrozenModel

QUEUE = "similarity"
# With fewer lines in the median, programs are similar by chance.
SHORT_LINES = 30
MOST_LISTED = 100
NO_WORKER = "No worker is running. The comparison waits until one starts."
OUR_FAULT = "The comparison failed again and again by our fault. Begin another one; tell an admin if it fails again."
ASSIGNMENT_SAYS = "of its hand-ins, as `COURSE/ASSIGNMENT`; without it, of all submissions for the problem"
COMPARED_SAYS = "`counting`: of each student the submission that counts; `all`: all of them"


class NewCheck(Body):
    problem: str = Field(description="its slug", examples=["softmax"])
    assignment: str | None = Field(None, description=ASSIGNMENT_SAYS, examples=["ml-2026/homework-1"])
    compared: Compared = Field("counting", description=COMPARED_SAYS)


class CheckView(FrozenModel):
    """A comparison of programs. It says what is similar, not why: it may be chance, or allowed."""

    id: UUID
    problem: str = Field(description="its slug")
    assignment: str | None = Field(description=ASSIGNMENT_SAYS)
    compared: Compared = Field(description=COMPARED_SAYS)
    state: CheckState
    done: int = Field(description="how many programs are read, of `total`")
    total: int
    created_at: datetime
    created_by: str | None = Field(description="a user name")
    finished_at: datetime | None
    notice: str | None = Field(description="a sentence for people: why it waits or failed")
    programs: int = Field(description="how many were compared")
    median_lines: int = Field(description="of the programs, without empty lines and comments")
    is_short: bool = Field(description=f"the median is below {SHORT_LINES} lines: such programs are similar by chance")
    unread: tuple[UUID, ...] = Field(description="the submissions that could not be read, or are too long")
    histogram: tuple[int, ...] = Field(description="pairs of students, in equal ranges of similarity from 0 to 100 %")


class CheckNotFound(NotFound):
    def __init__(self, check_id: object) -> None:
        super().__init__(f"There is no similarity check {str(check_id)[:80]!r} that you may see.")


def begin_check(session: Session, viewer: Viewer, actor: Actor, wanted: NewCheck) -> SimilarityCheck:
    """Queue a check, or return the unfinished one of the same programs. Raises NotFound, CourseRightMissing."""
    assignment, seat = _get_scope(session, viewer, wanted.assignment, wanted.problem)
    if seat is not None:
        seat.require(CourseRight.COMPARE)
    problem_id = _get_problem(session, wanted.problem, assignment)
    same = (SimilarityCheck.problem_id == problem_id, _is_of(assignment), SimilarityCheck.compared == wanted.compared)
    # The lock keeps two requests at once from both beginning one.
    session.execute(select(Problem.id).where(Problem.id == problem_id).with_for_update(key_share=True))
    earlier = session.scalar(select(SimilarityCheck).where(*same, SimilarityCheck.outcome.is_(None)))
    if earlier is not None:
        return earlier
    check = SimilarityCheck(
        problem_id=problem_id,
        assignment_id=assignment.id if assignment else None,
        compared=wanted.compared,
        created_by=viewer.id,
    )
    session.add(check)
    session.flush()
    check.job = Job(watched=check.id, queue=QUEUE)
    enqueue(session, check.job)
    after = wanted.model_dump(mode="json")
    record(session, actor, Act(action="similarity_check.created", target=check.id, after=after))
    return check


def get_check(session: Session, viewer: Viewer, check_id: UUID) -> tuple[SimilarityCheck, Seat | None]:
    """Return the check, and the viewer's seat in the course of its assignment. Raises CheckNotFound."""
    check = session.get(SimilarityCheck, check_id)
    if check is None:
        raise CheckNotFound(check_id)
    if check.assignment_id is None:
        if not may_compare(session, viewer, session.get_one(Problem, check.problem_id).slug):
            raise CheckNotFound(check_id)
        return check, None
    course = session.scalars(select(Course.slug).join(Assignment).where(Assignment.id == check.assignment_id)).one()
    try:
        return check, _get_staff_seat(session, viewer, course)
    except CourseNotFound:
        raise CheckNotFound(check_id) from None


def list_checks(
    session: Session, viewer: Viewer, assignment: str | None, problem: str | None
) -> tuple[list[SimilarityCheck], Assignment | None, Seat | None]:
    """Return the newest checks of an assignment or of all submissions. Raises NotFound."""
    found, seat = _get_scope(session, viewer, assignment, problem)
    query = select(SimilarityCheck).where(_is_of(found))
    if problem is not None:
        query = query.where(SimilarityCheck.problem_id == _get_problem(session, problem, found))
    query = query.order_by(SimilarityCheck.created_at.desc(), SimilarityCheck.id).limit(MOST_LISTED)
    return list(session.scalars(query)), found, seat


def view_check(session: Session, check: SimilarityCheck) -> CheckView:
    return CheckView(
        id=check.id,
        problem=session.get_one(Problem, check.problem_id).slug,
        assignment=find_key(session, check.assignment_id),
        compared=check.compared,
        state=check.state,
        done=check.step_done,
        total=check.step_total,
        created_at=check.created_at,
        created_by=session.get_one(User, check.created_by).username if check.created_by else None,
        finished_at=check.finished_at,
        notice=_notice(session, check),
        programs=check.programs,
        median_lines=check.median_lines,
        is_short=check.outcome == "done" and check.median_lines < SHORT_LINES,
        unread=tuple(check.unread),
        histogram=tuple(check.histogram),
    )


def _notice(session: Session, check: SimilarityCheck) -> str | None:
    if check.outcome == "failed":
        return OUR_FAULT
    is_waiting = check.job is not None and not check.job.is_held
    return NO_WORKER if is_waiting and not has_worker(session, serves(QUEUE)) else None


def may_compare(session: Session, viewer: Viewer, slug: str | None) -> bool:
    """Whether the viewer may compare all submissions for a problem; None: for any.

    An author may who published its first revision: anyone can publish a later one. A student of a course with the
    problem may not, who would see others' hand-ins.
    """
    if viewer.may(Permission.INSPECT_SUBMISSIONS):
        return True
    if slug is None or not viewer.may(Permission.WRITE_PROBLEMS):
        return False
    first = select(Publication.user_id).where(Publication.problem_id == Problem.id).order_by(Publication.id).limit(1)
    takes = exists().where(
        AssignmentProblem.problem_id == Problem.id,
        Assignment.id == AssignmentProblem.assignment_id,
        Member.course_id == Assignment.course_id,
        Member.user_id == viewer.id,
        Member.role == "student",
    )
    is_own = (first.correlate(Problem).scalar_subquery() == viewer.id, is_editable_by(viewer.id), ~takes)
    return session.scalar(select(Problem.id).where(Problem.slug == storable(slug), *is_own)) is not None


def _get_scope(
    session: Session, viewer: Viewer, key: str | None, problem: str | None
) -> tuple[Assignment | None, Seat | None]:
    """Return the assignment and the viewer's seat; None for all submissions. Raises NotFound."""
    if key is None:
        if not may_compare(session, viewer, problem):
            raise NotFound("There is no such list that you may see. Name an assignment of your course.")
        return None, None
    course, _, slug = key.partition("/")
    seat = _get_staff_seat(session, viewer, course)
    return get_assignment(session, seat, slug), seat


def _get_staff_seat(session: Session, viewer: Viewer, course: str) -> Seat:
    """Raises CourseNotFound, also for a student of the course."""
    seat = get_seat(session, viewer, course)
    if not seat.may(CourseRight.SEE_GRADES):
        raise CourseNotFound(course)
    return seat


def _is_of(assignment: Assignment | None) -> ColumnElement[bool]:
    return SimilarityCheck.assignment_id.is_not_distinct_from(assignment.id if assignment else None)


def _get_problem(session: Session, slug: str, assignment: Assignment | None) -> UUID:
    """Return the ID of a problem, of the assignment if there is one. Raises NotFound."""
    found = session.scalar(select(Problem.id).where(Problem.slug == storable(slug)))
    if found is None or (assignment and found not in [each.problem_id for each in assignment.problems]):
        raise NotFound(f"There is no problem {slug[:80]!r} to compare here.")
    return found
