"""The members of a course: list, add, change and remove them, and turn a pending one into one with an account.

A pending member is claimed by the personal link, by an e-mail address that a sign-in verified, or by an account that an
instructor names. A name or address that anyone can type claims nothing.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field
from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from app.accounts.model import User, digest, new_secret
from app.accounts.user import find_user
from app.audit import Act, Actor, record
from app.courses.deadlines import unsettle_student
from app.courses.model import Course, CourseRole, Member
from app.courses.role import CourseRight, Seat
from app.database.engine import storable
from app.errors import Conflict, Invalid, NotFound, Refused
from app.validation import ONE_LINE, Body, FrozenModel

MAX_TEXT = 200
MAX_SECTION = 40
LINK_DAYS = 60

MemberState = Literal["member", "pending"]
RosterText = Annotated[str, Field(max_length=MAX_TEXT), ONE_LINE]
Section = Annotated[str, Field(max_length=MAX_SECTION), ONE_LINE]
TimeFactor = Annotated[Decimal, Field(ge=1, le=3, decimal_places=2)]


class NewMember(Body):
    """A user to add to the course."""

    username: str = Field(max_length=MAX_SECTION, examples=["ada"])
    role: CourseRole = "student"
    section: Section = Field("", examples=["Monday"])


class MemberChange(Body):
    """A field that you leave out stays as it is."""

    role: CourseRole = "student"
    name: RosterText = ""
    number: RosterText = Field("", description="the person's number at your institution")
    section: Section = Field("", examples=["Monday"])
    time_factor: TimeFactor = Field(Decimal(1), description="how much longer the person has in exams", examples=[1.5])
    username: str = Field("", max_length=MAX_SECTION, description="for a pending member: the account of this person")


class MemberView(FrozenModel):
    id: UUID
    state: MemberState = Field(description="`pending`: on the roster, and without an account so far")
    role: CourseRole
    username: str | None = Field(description="of the account; null while pending")
    name: str
    number: str = Field(description="the person's number at your institution")
    email: str
    section: str
    time_factor: Decimal | None = Field(description="how much longer the person has in exams; null: not for you to see")
    joined_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalLink:
    """Only this object ever holds `secret`."""

    member: Member
    secret: str = field(repr=False)

    def address(self, base_url: str) -> str:
        return f"{base_url}/courses/claim/{self.secret}"


class MemberNotFound(NotFound):
    def __init__(self, member_id: object) -> None:
        super().__init__(f"This course has no member {member_id}. See its list of members.")


class WasRemoved(Refused):
    """A removed student comes back only if an instructor says so."""

    def __init__(self, course: Course) -> None:
        super().__init__(f"An instructor removed you from {course.title}. Ask them to add you again.")


class OwnRow(Refused):
    def __init__(self) -> None:
        super().__init__("Nobody changes their own role, time or grade. Ask another instructor.")


class LinkSpent(NotFound):
    def __init__(self) -> None:
        text = "This personal link was used, renewed or has ended, or its course is not open."
        super().__init__(f"{text} Ask your instructor for a new one.")


def list_members(session: Session, seat: Seat, section: str | None = None) -> list[MemberView]:
    """List staff, then students by section and name. Removed members are left out."""
    query = _rows(seat.course.id)
    if section is not None:
        query = query.where(Member.section == storable(section))
    name = func.coalesce(func.nullif(Member.name, ""), User.username, Member.email)
    ranked = query.order_by(Member.role != "instructor", Member.role != "assistant", Member.section, name, Member.id)
    return [view_member(seat, member, username) for member, username in session.execute(ranked)]


def get_member_view(session: Session, seat: Seat, member_id: UUID) -> MemberView:
    """Raises MemberNotFound."""
    found = session.execute(_rows(seat.course.id).where(Member.id == member_id)).one_or_none()
    if found is None:
        raise MemberNotFound(member_id)
    return view_member(seat, *found)


def list_sections(session: Session, course_id: UUID) -> list[str]:
    """List the names of sections; members without one are left out."""
    sections = select(Member.section).where(Member.course_id == course_id, Member.section != "").distinct()
    return sorted(session.scalars(sections.where(Member.left_at.is_(None))))


def _rows(course_id: UUID) -> Select[Member, str]:
    query = select(Member, User.username).outerjoin(User, User.id == Member.user_id)
    return query.where(Member.course_id == course_id, Member.left_at.is_(None))


def view_member(seat: Seat, member: Member, username: str | None) -> MemberView:
    return MemberView(
        id=member.id,
        state="member" if member.user_id else "pending",
        role=member.role,
        username=username,
        name=member.name,
        number=member.number,
        email=member.email,
        section=member.section,
        time_factor=member.time_factor if seat.may(CourseRight.CHANGE_MEMBERS) else None,
        joined_at=member.joined_at,
    )


def add_member(session: Session, actor: Actor, seat: Seat, new: NewMember) -> Member:
    """Add a user, or a removed member again. Raises Invalid for an unknown user, and Conflict for a member."""
    lock_course(session, seat.course.id)
    user = _get_user(session, new.username)
    member = _find_by_user(session, seat.course.id, user.id)
    if member is not None and member.left_at is None:
        raise Conflict(f"{user.username} is a member already. Change the role in the list of members.")
    member = member or Member(course_id=seat.course.id, user_id=user.id)
    member.role, member.section = new.role, new.section.strip()
    member.joined_at, member.left_at = datetime.now(UTC), None
    session.add(member)
    session.flush()
    record(session, actor, _act("member.added", member, role=member.role))
    return member


def change_member(session: Session, actor: Actor, seat: Seat, member_id: UUID, change: MemberChange) -> Member:
    """Change what `change` sets. Raises NotFound, Invalid, OwnRow, and Conflict for the last instructor."""
    member = lock_member(session, seat.course.id, member_id)
    if "username" in change.model_fields_set:
        member = claim(session, actor, member, _get_user(session, change.username))
    if "number" in change.model_fields_set:
        _check_number(session, member, change.number.strip())
    for name in change.model_fields_set & {"name", "number", "section"}:
        setattr(member, name, getattr(change, name).strip())
    if "time_factor" in change.model_fields_set and change.time_factor != member.time_factor:
        refuse_own_row(actor, member.user_id)
        member.time_factor = change.time_factor
    if "role" in change.model_fields_set and change.role != member.role:
        _change_role(session, actor, member, change.role)
    session.flush()
    if change.model_fields_set & {"section", "time_factor"}:
        unsettle_student(session, seat.course.id, member.user_id)
    return member


def remove_member(session: Session, actor: Actor, seat: Seat, member_id: UUID) -> None:
    """Remove a member, whose work stays. A pending one is deleted. Raises NotFound, and Conflict for the last one."""
    member = lock_member(session, seat.course.id, member_id)
    keep_an_instructor(session, member)
    record(session, actor, _act("member.removed", member))
    remove(session, member)


def remove(session: Session, member: Member) -> None:
    if member.user_id is None:
        session.delete(member)
    else:
        member.left_at = datetime.now(UTC)
    session.flush()


def _change_role(session: Session, actor: Actor, member: Member, role: CourseRole) -> None:
    if member.user_id is None:
        raise Invalid("role", "A pending member is a student. Change the role when the account is known.")
    keep_an_instructor(session, member)
    refuse_own_row(actor, member.user_id)  # else what an instructor handed in without limits would count
    act = _act("member.changed", member, role=role)
    member.role = role
    record(session, actor, act)


def refuse_own_row(actor: Actor, user_id: UUID | None) -> None:
    """Raises OwnRow."""
    if user_id is not None and user_id == actor.user_id:
        raise OwnRow


def keep_an_instructor(session: Session, member: Member) -> None:
    """Raises Conflict if the member is the course's only instructor. The caller has locked the course."""
    others = (Member.course_id == member.course_id, Member.role == "instructor", Member.left_at.is_(None))
    query = select(Member.id).where(*others, Member.id != member.id).limit(1)
    if member.role == "instructor" and session.scalar(query) is None:
        raise Conflict("This is the only instructor. Make another member an instructor first.")


def lock_member(session: Session, course_id: UUID, member_id: UUID) -> Member:
    """Return the member, with the course locked, so that changes of members wait for each other. Raises NotFound."""
    lock_course(session, course_id)
    member = session.get(Member, member_id, populate_existing=True)
    if member is None or member.course_id != course_id or member.left_at is not None:
        raise MemberNotFound(member_id)
    return member


def lock_course(session: Session, course_id: UUID) -> None:
    session.execute(select(Course.id).where(Course.id == course_id).with_for_update())


def make_links(session: Session, actor: Actor, seat: Seat) -> list[PersonalLink]:
    """Make a new personal link for each pending member; the old ones end."""
    lock_course(session, seat.course.id)
    pending = select(Member).where(Member.course_id == seat.course.id, Member.user_id.is_(None))
    links = [
        PersonalLink(member=member, secret=new_secret()) for member in session.scalars(pending.order_by(Member.name))
    ]
    for link in links:
        link.member.claim_hash = digest(link.secret)
        link.member.claim_until = datetime.now(UTC) + timedelta(days=LINK_DAYS)
    session.flush()
    record(session, actor, Act(action="course.links_made", target=seat.course.id, after={"links": len(links)}))
    return links


def get_link(session: Session, secret: str) -> tuple[Course, Member]:
    """Return what a personal link is for. It changes nothing. Raises LinkSpent."""
    of_link = (Member.claim_hash == digest(secret), Member.claim_until > func.now(), Member.user_id.is_(None))
    query = select(Course, Member).join(Member, Member.course_id == Course.id).where(*of_link, Course.state == "open")
    found = session.execute(query).one_or_none()
    if found is None:
        raise LinkSpent
    return found[0], found[1]


def claim_by_link(session: Session, actor: Actor, user: User, secret: str) -> Course:
    """Make the user the member that the link is for. Raises LinkSpent, WasRemoved, and Refused for staff."""
    course, member = get_link(session, secret)
    lock_course(session, course.id)
    get_link(session, secret)  # another request may have used it until the lock
    own = _find_by_user(session, course.id, user.id)
    if own is not None and own.left_at is not None:
        raise WasRemoved(course)
    claim(session, actor, member, user)
    return course


def claim_by_email(session: Session, actor: Actor, user: User, email: str) -> None:
    """Make the user each pending member with this address, which the identity provider has verified."""
    pending = select(Member).join(Course, Course.id == Member.course_id)
    pending = pending.where(func.lower(Member.email) == email.lower(), Member.user_id.is_(None))
    for member in session.scalars(pending.where(Course.state != "archived").order_by(Member.course_id)):
        lock_course(session, member.course_id)
        own = _find_by_user(session, member.course_id, user.id)
        if own is None or (own.role == "student" and own.left_at is None):
            claim(session, actor, member, user)


def claim(session: Session, actor: Actor, member: Member, user: User) -> Member:
    """Give a pending member its account, and return the member.

    A user who is a student of the course already, by its code, gets what the roster says. Raises Conflict for a member
    with an account, and Refused for staff. The caller has locked the course.
    """
    if member.user_id is not None:
        raise Conflict("This member has an account already. Remove the member, and add the right account.")
    own = _find_by_user(session, member.course_id, user.id)
    if own is None:
        own = member
        own.user_id, own.joined_at = user.id, datetime.now(UTC)
    elif own.role != "student":
        raise Refused(f"{user.username} is {own.role} of this course, and can't be a student of it too.")
    else:
        _take_over(session, own, member)
    own.left_at = own.claim_hash = own.claim_until = None
    session.flush()
    record(session, actor, _act("member.claimed", own))
    return own


def _take_over(session: Session, own: Member, pending: Member) -> None:
    told = {name: getattr(pending, name) for name in ("name", "number", "email", "username", "section")}
    session.delete(pending)
    session.flush()
    for name, text in told.items():
        setattr(own, name, text or getattr(own, name))
    unsettle_student(session, own.course_id, own.user_id)


def _act(action: str, member: Member, **after: str) -> Act:
    subject = member.user_id
    return Act(action=action, target=member.id, after={"course": str(member.course_id), **after}, subject_id=subject)


def _find_by_user(session: Session, course_id: UUID, user_id: UUID) -> Member | None:
    return session.scalar(select(Member).where(Member.course_id == course_id, Member.user_id == user_id))


def _get_user(session: Session, username: str) -> User:
    user = find_user(session, username)
    if user is None or user.erased_at is not None:
        raise Invalid("username", f"There is no user {username[:40]!r}. Ask the person for their user name here.")
    return user


def _check_number(session: Session, member: Member, number: str) -> None:
    """Raises Invalid if another member has this number."""
    same = (Member.course_id == member.course_id, Member.number == number, Member.id != member.id)
    if number and session.scalar(select(Member.id).where(*same)) is not None:
        raise Invalid("number", f"Another member has the number {number}. Correct one of them.")
