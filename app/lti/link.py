"""Link the courses, persons and activities of a platform with courses, accounts and assignments here.

A course of a platform is linked by its instructor. A copy of it has another ID there, so it is not linked, and its
students are not graded into the old course. A person is found by the platform and its subject, never by e-mail address:
an admin of a platform can type any address.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy import Select, delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.permission import AccountSuspended, Viewer, a_role
from app.accounts.reauthentication import Reauthentication, require_reauthentication
from app.accounts.session import end_course_sessions
from app.accounts.single_sign_on import make_account
from app.audit import Act, Actor, record
from app.courses.course import NewCourse, create_course
from app.courses.member import MAX_TEXT, WasRemoved, claim, lock_course
from app.courses.model import Assignment, Course, Member
from app.courses.role import STAFF, CourseRight, Seat, get_seat, select_seats, take_seat
from app.errors import Conflict, NotFound, Refused
from app.lti.launch import Launch
from app.lti.model import LineItem, Platform, PlatformCourse, PlatformMember, PlatformPerson
from app.validation import read_fields


class NotLinked(Refused):
    def __init__(self, launch: Launch, platform: Platform) -> None:
        super().__init__(
            f"{launch.context_title} in {platform.name} is not linked with a course here yet. "
            "Its instructor opens this link first, and chooses the course."
        )


class StaffAccount(Refused):
    """A learning platform signs no author or admin in."""

    def __init__(self, user: User) -> None:
        super().__init__(
            f"{user.username} is {a_role(user.role)} here, whom no learning platform can sign in. "
            "Sign in here with your password, then open the course under Courses."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedCourse:
    """A course of a platform, and the course here."""

    platform: Platform
    linked: PlatformCourse
    course: Course


def find_linked(session: Session, platform: Platform, launch: Launch) -> LinkedCourse | None:
    """Return the linked course, with its services as this launch names them."""
    of_launch = (PlatformCourse.platform_id == platform.id, PlatformCourse.deployment_id == launch.deployment_id)
    query = _select_linked().where(*of_launch, PlatformCourse.context_id == launch.context_id)
    found = session.execute(query).one_or_none()
    if found is None:
        return None
    _note_services(found[1], launch)
    return LinkedCourse(platform=found[0], linked=found[1], course=found[2])


def list_linked(session: Session, course_id: UUID) -> list[LinkedCourse]:
    query = _select_linked().where(PlatformCourse.course_id == course_id).order_by(PlatformCourse.linked_at)
    return [
        LinkedCourse(platform=platform, linked=linked, course=course)
        for platform, linked, course in session.execute(query)
    ]


def get_linked(session: Session, seat: Seat, linked_id: UUID) -> LinkedCourse:
    """Raises NotFound."""
    found = next((each for each in list_linked(session, seat.course.id) if each.linked.id == linked_id), None)
    if found is None:
        raise NotFound("This course has no such link. See its page “Learning platforms”.")
    return found


def _select_linked() -> Select[Platform, PlatformCourse, Course]:
    query = select(Platform, PlatformCourse, Course).join(PlatformCourse, PlatformCourse.platform_id == Platform.id)
    return query.join(Course, Course.id == PlatformCourse.course_id)


def _note_services(linked: PlatformCourse, launch: Launch) -> None:
    """Keep what a launch names. One without a service, such as a preview, takes none away."""
    linked.title = launch.context_title
    linked.members_url = launch.members_url or linked.members_url
    if launch.line_items_url:
        linked.line_items_url, linked.scopes = launch.line_items_url, list(launch.scopes)


def list_linkable(session: Session, viewer: Viewer) -> list[tuple[Course, list[LinkedCourse]]]:
    """List the courses that the viewer may link, the newest first, each with its present links."""
    query = select_seats(viewer).where(Course.state != "archived").order_by(Course.created_at.desc())
    seats = [seat for course, member in session.execute(query) if (seat := take_seat(viewer, course, member))]
    courses = [seat.course for seat in seats if seat.may(CourseRight.CHANGE_COURSE)]
    return [(course, list_linked(session, course.id)) for course in courses]


def link_course(session: Session, actor: Actor, viewer: Viewer, platform: Platform, launch: Launch, slug: str) -> None:
    """Link the launch's course with one that the viewer teaches. Raises Refused, CourseNotFound and Conflict."""
    if viewer.course_ids is not None:
        raise Refused("Sign in here with your password first: a learning platform can't link courses.")
    seat = get_seat(session, viewer, slug, CourseRight.CHANGE_COURSE)
    _link(session, actor, platform, launch, seat.course)


def create_linked_course(session: Session, actor: Actor, platform: Platform, launch: Launch, timezone: str) -> None:
    """Create a course for the launch's instructor, and link it. Raises Refused where the platform may not."""
    if not platform.may_create_courses:
        raise Refused(f"{platform.name} may not create courses here. Ask an admin of this site for a course.")
    user = find_person(session, platform, launch) or make_person(session, actor, platform, launch)
    _require_student_account(user)
    actor = _act_as(user, actor)
    course = create_course(
        session, actor, read_fields(NewCourse, {"title": launch.context_title, "timezone": timezone})
    )
    _link(session, actor, platform, launch, course)


def _link(session: Session, actor: Actor, platform: Platform, launch: Launch, course: Course) -> None:
    if launch.role != "instructor":
        raise Refused(f"You are no instructor of {launch.context_title} in {platform.name}.")
    made = insert(PlatformCourse).values(
        platform_id=platform.id,
        deployment_id=launch.deployment_id,
        context_id=launch.context_id,
        title=launch.context_title,
        course_id=course.id,
    )
    if session.scalar(made.on_conflict_do_nothing().returning(PlatformCourse.id)) is None:
        raise Conflict(f"{launch.context_title} is linked already. Open it again from {platform.name}.")
    after = {"platform": str(platform.id), "context": launch.context_id}
    record(session, actor, Act(action="course.platform_linked", target=course.id, after=after))


def unlink_course(session: Session, actor: Actor, found: LinkedCourse) -> None:
    """Forget the link. Members and their accounts stay; the platform's grade book keeps the scores it has."""
    session.execute(delete(PlatformCourse).where(PlatformCourse.id == found.linked.id))
    before = {"platform": str(found.platform.id), "context": found.linked.context_id}
    record(session, actor, Act(action="course.platform_unlinked", target=found.course.id, before=before))


def find_person(session: Session, platform: Platform, launch: Launch) -> User | None:
    """Return the person's account, which may be of an author or admin by now."""
    query = select(User).join(PlatformPerson, PlatformPerson.user_id == User.id)
    is_person = (PlatformPerson.platform_id == platform.id, PlatformPerson.subject == launch.subject)
    return session.scalar(query.where(*is_person))


def make_person(session: Session, actor: Actor, platform: Platform, launch: Launch) -> User:
    """Make an account for the person, whatever the sign-up mode is: an admin has approved the platform."""
    user = make_account(session, launch.name, None, "student")
    _insert_person(session, actor, platform, launch, user)
    return user


def link_person(
    session: Session,
    actor: Actor,
    viewer: Viewer,
    platform: Platform,
    launch: Launch,
    reauthentication: Reauthentication,
) -> None:
    """Let the platform sign the person in as the viewer. Raises StaffAccount, Conflict and as reauthentication does."""
    if viewer.course_ids is not None:
        raise Refused("Sign in here with your password first: a learning platform can't link accounts.")
    if viewer.role != "student":
        raise StaffAccount(viewer.user)
    require_reauthentication(viewer.user, reauthentication)
    _insert_person(session, actor, platform, launch, viewer.user)


def list_platforms_of(session: Session, user_id: UUID) -> list[Platform]:
    """List the platforms that sign the user in."""
    persons = select(PlatformPerson.platform_id).where(PlatformPerson.user_id == user_id)
    return list(session.scalars(select(Platform).where(Platform.id.in_(persons)).order_by(Platform.name)))


def unlink_person(session: Session, actor: Actor, user_id: UUID, platform_id: UUID) -> None:
    """Let a platform sign the user in no more, and get no more points. The caller has another way to sign in.

    Raises NotFound.
    """
    of_user = (PlatformPerson.user_id == user_id, PlatformPerson.platform_id == platform_id)
    subjects = session.scalars(delete(PlatformPerson).where(*of_user).returning(PlatformPerson.subject)).all()
    if not subjects:
        raise NotFound("This learning platform does not sign you in.")
    courses = select(PlatformCourse.id).where(PlatformCourse.platform_id == platform_id)
    members = delete(PlatformMember).where(PlatformMember.lti_course_id.in_(courses))
    session.execute(members.where(PlatformMember.subject.in_(subjects)))
    end_course_sessions(session, [user_id])
    issuer = session.get_one(Platform, platform_id).issuer
    record(session, actor, Act(action="identity.removed", target=user_id, before={"issuer": issuer}))


def _insert_person(session: Session, actor: Actor, platform: Platform, launch: Launch, user: User) -> None:
    made = insert(PlatformPerson).values(platform_id=platform.id, subject=launch.subject, user_id=user.id)
    if session.scalar(made.on_conflict_do_nothing().returning(PlatformPerson.user_id)) is None:
        raise Conflict(f"Your account in {platform.name} is linked already. Open it again from there.")
    act = Act(action="identity.linked", target=user.id, after={"issuer": platform.issuer})
    record(session, _act_as(user, actor), act)


def _act_as(user: User, actor: Actor) -> Actor:
    """A launch signs its person in only afterwards."""
    return Actor(user_id=user.id, channel=actor.channel, address=actor.address)


def enter(session: Session, actor: Actor, found: LinkedCourse, launch: Launch, user: User) -> str:
    """Make the user a member as the platform says, and return the path of what the launch opens.

    A member keeps the role and the place. Raises StaffAccount, AccountSuspended, Refused and NotFound.
    """
    _require_student_account(user)
    if launch.role is None:
        raise Refused(f"{found.platform.name} says neither student nor assistant nor instructor of you. Ask there.")
    course = found.course
    if course.state == "draft" and launch.role not in STAFF:
        raise Refused(f"{course.title} is not open yet. Come back when your instructor has opened it.")
    path = f"/courses/{course.slug}{_open_assignment(session, found, launch)}"
    member = _join(session, _act_as(user, actor), found, launch, user)
    known = insert(PlatformMember).values(
        lti_course_id=found.linked.id,
        subject=launch.subject,
        member_id=member.id,
        is_learner=launch.role == "student",
    )
    changed = {"member_id": known.excluded.member_id, "is_learner": known.excluded.is_learner}
    keys = [PlatformMember.lti_course_id, PlatformMember.subject]
    session.execute(known.on_conflict_do_update(index_elements=keys, set_=changed))
    return path


def _require_student_account(user: User) -> None:
    if user.role != "student":
        raise StaffAccount(user)
    if not user.is_active:
        raise AccountSuspended


def number_of(found: LinkedCourse, subject: str) -> str:
    """Return the number on the roster of a person for whom the platform names no number of the institution."""
    return f"{found.linked.id.hex[:8]}:{subject}"[:MAX_TEXT]


def _join(session: Session, actor: Actor, found: LinkedCourse, launch: Launch, user: User) -> Member:
    """Return the member: as it was, the pending one with the person's number, or a new one."""
    course = found.course
    lock_course(session, course.id)
    own = session.scalar(select(Member).where(Member.course_id == course.id, Member.user_id == user.id))
    if own is not None and own.left_at is not None:
        raise WasRemoved(course)
    numbers = [launch.number] if launch.number else []
    numbers.append(number_of(found, launch.subject))
    of_course = (Member.course_id == course.id, Member.number.in_(numbers))
    is_pending = (Member.user_id.is_(None), Member.left_at.is_(None))
    pending = session.scalar(select(Member).where(*of_course, *is_pending).limit(1))
    if pending is not None and launch.role == "student" and (own is None or own.role == "student"):
        return claim(session, actor, pending, user)
    number = "" if session.scalar(select(Member.id).where(*of_course).limit(1)) else numbers[0]
    if own is not None:
        own.number = own.number or number
        return own
    own = Member(course_id=course.id, user_id=user.id, role=launch.role, name=launch.name, number=number)
    own.joined_at = datetime.now(UTC)
    session.add(own)
    session.flush()
    after = {"course": str(course.id), "role": str(launch.role)}
    record(session, actor, Act(action="member.added", target=own.id, after=after, subject_id=user.id))
    return own


def _open_assignment(session: Session, found: LinkedCourse, launch: Launch) -> str:
    """Return the rest of the path, and note the activity of the assignment. Raises NotFound."""
    if not launch.assignment:
        return ""
    assignment = find_assignment(session, found.course, launch.assignment)
    if assignment is None:
        raise NotFound(
            f"This link opens an assignment of another course than {found.course.title}. "
            f"Its instructor makes the link again in {found.platform.name}."
        )
    item = insert(LineItem).values(
        lti_course_id=found.linked.id, assignment_id=assignment.id, resource_link_id=launch.resource_link_id
    )
    keys = [LineItem.lti_course_id, LineItem.assignment_id]
    noted = {"resource_link_id": item.excluded.resource_link_id}
    session.execute(item.on_conflict_do_update(index_elements=keys, set_=noted))
    return f"/assignments/{assignment.slug}"


def find_assignment(session: Session, course: Course, text: str) -> Assignment | None:
    """Return the course's assignment with this ID."""
    try:
        wanted = UUID(text)
    except ValueError:
        return None
    return session.scalar(select(Assignment).where(Assignment.id == wanted, Assignment.course_id == course.id))
