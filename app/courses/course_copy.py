"""A copy of a course for another term: its texts and assignments, with dates moved by whole weeks of local time."""

from pydantic import Field
from sqlalchemy.orm import Session

from app.audit import Actor
from app.courses.assignment import list_assignments
from app.courses.course import NewCourse, Title, create_course
from app.courses.local_time import move_by_weeks
from app.courses.model import Assignment, AssignmentProblem, Course
from app.courses.role import Seat
from app.validation import Body

MAX_WEEKS = 520
DATES = ("opens_at", "due_at", "closes_at", "shows_at")
COPIED = (
    *("slug", "title", "text", "grace_seconds", "late_steps", "counts", "attempts", "weight", "shows", "shows_hints"),
    *("kind", "minutes", "networks", "seb_keys", "hands_in_draft"),
)


class CopyWish(Body):
    """The new course. You become its instructor, and it has no other member."""

    title: Title = Field(examples=["Deep learning, winter 2027"])
    weeks: int = Field(ge=0, le=MAX_WEEKS, description="how many weeks later its dates are", examples=[52])


def copy_course(session: Session, actor: Actor, seat: Seat, wish: CopyWish) -> Course:
    """Make a draft with the course's assignments. Members, extensions and hand-ins are not copied."""
    old = seat.course
    new = create_course(session, actor, NewCourse(title=wish.title, timezone=old.timezone, description=old.description))
    new.drop_lowest = old.drop_lowest
    for assignment in list_assignments(session, seat):
        copied = {name: getattr(assignment, name) for name in COPIED}
        dates = {name: getattr(assignment, name) for name in DATES}
        moved = {name: at and move_by_weeks(at, wish.weeks, old.timezone) for name, at in dates.items()}
        problems = [
            AssignmentProblem(
                problem_id=each.problem_id, position=each.position, points=each.points, scoring=each.scoring
            )
            for each in assignment.problems
        ]
        session.add(Assignment(course_id=new.id, problems=problems, **copied, **moved))
    return new
