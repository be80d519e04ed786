"""Change who can open a problem, as an author asks for it: a problem for a course, and one that assignments use."""

from uuid import UUID

from pydantic import Field
from sqlalchemy.orm import Session

from app.accounts.permission import Viewer
from app.audit import Actor
from app.catalog.access import require_editable
from app.catalog.model import Availability, Problem
from app.catalog.publish import change_availability, get_availability, lock_problem, set_availability
from app.courses.due import list_uses
from app.courses.role import CourseRight, get_seat
from app.errors import Conflict, Invalid
from app.validation import Body

SHOWN = 5


class AvailabilityWish(Body):
    availability: Availability = Field(
        description="`listed`; `unlisted`: in no list, but open to everyone who knows the address; `course`: for the "
        "members of `course`, once an assignment with it opens; `draft`: for authors only; `withdrawn`: everyone can "
        "read it, and it takes no new submissions. A course's problem stays closed to others as a draft and withdrawn"
    )
    course: str | None = Field(None, max_length=100, description="for `course`: its slug. You are its instructor")
    confirmed: bool = Field(False, description="also if students then can't hand the problem in for an assignment")


class StillUsed(Conflict):
    """Assignments need the problem."""

    def __init__(self, slug: str, uses: list[str]) -> None:
        named = ", ".join(uses[:SHOWN]) + (f" and {len(uses) - SHOWN} more" if len(uses) > SHOWN else "")
        super().__init__(f"{slug} is in {named}, and students could not hand it in any more. Confirm it to go on.")


def choose_availability(session: Session, viewer: Viewer, actor: Actor, slug: str, wish: AvailabilityWish) -> None:
    """Raises ProblemNotFound, CourseNotFound, Invalid, and StillUsed unless it is confirmed."""
    require_editable(session, viewer.id, slug)
    get_availability(session, slug)  # so that the lock adds no problem
    lock_problem(session, slug)
    require_unused(session, slug, wish)
    change_availability(session, slug, wish.availability, actor, find_course(session, viewer, wish))


def require_unused(session: Session, slug: str, wish: AvailabilityWish) -> None:
    """Raises StillUsed."""
    is_closing = wish.availability in ("draft", "withdrawn") and not wish.confirmed
    if is_closing and (uses := list_uses(session, slug)):
        raise StillUsed(slug, uses)


def find_course(session: Session, viewer: Viewer, wish: AvailabilityWish) -> UUID | None:
    """Return the course of a problem that becomes a course's. Raises CourseNotFound, Refused and Invalid."""
    if wish.availability != "course":
        return None
    if not wish.course:
        raise Invalid("course", "Name the course to which the problem belongs.")
    return get_seat(session, viewer, wish.course, CourseRight.CHANGE_COURSE).course.id


def prepare(session: Session, viewer: Viewer, slug: str, wish: AvailabilityWish) -> None:
    """Check what a package that is sent asks for. The slug of a course's new problem is the course's from now on.

    So its files are closed to others before it is published. Raises as `find_course`, StillUsed, and Conflict if the
    problem exists and does not belong to the course.
    """
    require_editable(session, viewer.id, slug)
    require_unused(session, slug, wish)
    course_id = find_course(session, viewer, wish)
    if course_id is None:
        return
    problem: Problem = lock_problem(session, slug)
    if problem.current_revision_id is None:
        set_availability(problem, "course", course_id)
    elif problem.course_id != course_id:
        raise Conflict(f"{slug} exists. Change its availability first, and send the new version then.")
