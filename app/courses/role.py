"""Rights of each role in a course, and a viewer's seat in one course.

The role in a course has nothing to do with the role on the site. Admins may do in every course what instructors may.
The page /help/rights shows the table.
"""

from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Select, and_, select
from sqlalchemy.orm import Session

from app.accounts.permission import Permission, Viewer
from app.courses.model import Course, CourseRole, Member
from app.database.engine import storable
from app.errors import NotFound, Refused

COURSE_ROLES: tuple[CourseRole, ...] = ("student", "assistant", "instructor")
STAFF: tuple[CourseRole, ...] = ("assistant", "instructor")
INSTRUCTORS: tuple[CourseRole, ...] = ("instructor",)


class CourseRight(StrEnum):
    SEE = "see"
    SEE_MEMBERS = "see members"
    CHANGE_MEMBERS = "change members"
    SEE_GRADES = "see grades"
    EXTEND = "extend"
    COMMENT = "comment"
    GRADE = "grade"
    REJUDGE = "rejudge"
    COMPARE = "compare"
    CHANGE_COURSE = "change course"


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseRule:
    """The roles that have a right. `allows` ends the sentence "This allows you to …"."""

    roles: tuple[CourseRole, ...]
    allows: str


COURSE_RULES: dict[CourseRight, CourseRule] = {
    CourseRight.SEE: CourseRule(roles=COURSE_ROLES, allows="see the course, and hand in"),
    CourseRight.SEE_MEMBERS: CourseRule(roles=STAFF, allows="see the members and drafts"),
    CourseRight.CHANGE_MEMBERS: CourseRule(
        roles=INSTRUCTORS, allows="upload the roster, and add, change and remove members"
    ),
    CourseRight.SEE_GRADES: CourseRule(roles=STAFF, allows="see the grade book, and what students handed in"),
    CourseRight.EXTEND: CourseRule(roles=STAFF, allows="give extensions, and see, end and unlock exams"),
    CourseRight.COMMENT: CourseRule(roles=STAFF, allows="comment on hand-ins, and answer questions about grades"),
    CourseRight.GRADE: CourseRule(roles=INSTRUCTORS, allows="adjust and release points"),
    CourseRight.REJUDGE: CourseRule(roles=INSTRUCTORS, allows="rejudge what students handed in for an assignment"),
    CourseRight.COMPARE: CourseRule(
        roles=INSTRUCTORS, allows="compare hand-ins to find similar ones, and dismiss pairs"
    ),
    CourseRight.CHANGE_COURSE: CourseRule(
        roles=INSTRUCTORS, allows="change the course, its join code and its assignments"
    ),
}


class CourseNotFound(NotFound):
    """There is no such course, or the viewer is no member, or it is a draft and the viewer is not staff."""

    def __init__(self, slug: str) -> None:
        super().__init__(f"You are in no course {slug[:80]!r}. See /courses, or join it with its code.")


class CourseRightMissing(Refused):
    def __init__(self, role: CourseRole, right: CourseRight) -> None:
        rule = COURSE_RULES[right]
        least = f"{rule.roles[0]}s of this course"
        super().__init__(f"This is for {least}. You are here as {role}, who may not {rule.allows}. Ask an instructor.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """A viewer's place in a course. `member` is None for an admin who is not in the course."""

    course: Course
    role: CourseRole
    member: Member | None

    @property
    def is_staff(self) -> bool:
        return self.role in STAFF

    def may(self, right: CourseRight) -> bool:
        return self.role in COURSE_RULES[right].roles

    def require(self, right: CourseRight) -> None:
        """Raises CourseRightMissing."""
        if not self.may(right):
            raise CourseRightMissing(self.role, right)


def get_seat(session: Session, viewer: Viewer, slug: str, right: CourseRight = CourseRight.SEE) -> Seat:
    """Raises CourseNotFound, and CourseRightMissing for a member without the right."""
    seat = _find_seat(session, viewer, slug)
    if seat is None:
        raise CourseNotFound(slug)
    seat.require(right)
    return seat


def _find_seat(session: Session, viewer: Viewer, slug: str) -> Seat | None:
    query = select_seats(viewer).where(Course.slug == storable(slug))
    found = session.execute(query).one_or_none()
    return None if found is None else take_seat(viewer, *found)


def select_seats(viewer: Viewer) -> Select[Course, Member | None]:
    """Select courses, each with the viewer's row as a member. A learning platform opens only those that are its own."""
    is_own = and_(Member.course_id == Course.id, Member.user_id == viewer.id, Member.left_at.is_(None))
    query = select(Course, Member).outerjoin(Member, is_own)
    return query if viewer.course_ids is None else query.where(Course.id.in_(viewer.course_ids))


def take_seat(viewer: Viewer, course: Course, member: Member | None) -> Seat | None:
    """Return the viewer's seat; None if they may not know that the course exists."""
    role = "instructor" if viewer.may(Permission.ADMINISTER_COURSES) else member.role if member else None
    if role is None or (course.state == "draft" and role not in STAFF):
        return None
    return Seat(course=course, role=role, member=member)
