"""Sittings: the time of one student in an exam, from its beginning to an end of its own.

A sitting goes on in the session or with the token in which the student began it. In another one it goes on only after
staff have unlocked it, so a person outside of the room can't take it over. The password is asked for at the beginning.
The network and the keys of Safe Exam Browser are checked at every request (`app/submissions/exam_door.py`).
"""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network
from typing import Literal
from uuid import UUID

from sqlalchemy import and_, func, select, update
from sqlalchemy.orm import Session

from app.accounts.model import User, serialise_requests
from app.audit import Act, Actor, AuditEvent, record
from app.catalog.model import Problem
from app.courses.deadlines import Window, find_windows, tell_pages
from app.courses.extension import ExtensionWish, extend
from app.courses.local_time import show_local
from app.courses.member import MemberNotFound, lock_course
from app.courses.model import Assignment, AssignmentProblem, Course, Extension, Member, Sitting
from app.courses.role import Seat
from app.errors import Conflict, LimitReached, NotFound, Refused
from app.validation import read_fields

SEB_HEADERS = ("X-SafeExamBrowser-ConfigKeyHash", "X-SafeExamBrowser-RequestHash")
# Wrong passwords of a user in so many minutes. The audit log counts them for all web processes.
MAX_GUESSES, GUESS_MINUTES = 10, 5
# Of a sitting, the first ones.
MOST_ADDRESSES = 20
# What an extension keeps when it gets more minutes.
_KEPT = ("opens_at", "due_at", "closes_at", "extra_attempts", "reason")

SittingState = Literal["not begun", "missed", "writing", "unlocked", "ended", "time up"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a request comes from. `url`: its whole address; `hashes`: what Safe Exam Browser sent with it."""

    credential_id: UUID | None
    address: str
    url: str
    hashes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningExam:
    """A sitting whose time is not over. `now`: by the database's clock."""

    course: Course
    assignment: Assignment
    sitting: Sitting
    window: Window
    now: datetime

    @property
    def path(self) -> str:
        return f"/courses/{self.course.slug}/assignments/{self.assignment.slug}"

    @property
    def clock(self) -> "Clock":
        return Clock(
            path=self.path,
            title=self.assignment.title,
            ends_at=self.window.closes_at,
            timezone=self.course.timezone,
            notice=self.assignment.notice,
            seconds_left=max(0, round((self.window.closes_at - self.now).total_seconds())),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """What the bar of an exam shows. `seconds_left` changes all the time, so it does not tell two clocks apart."""

    path: str
    title: str
    ends_at: datetime
    timezone: str
    notice: str
    seconds_left: int = field(compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SittingRow:
    """A student of the course, and the student's sitting if the exam is begun."""

    member: Member
    username: str
    sitting: Sitting | None
    window: Window
    state: SittingState

    @property
    def name(self) -> str:
        return self.member.name or self.username


class WrongPlace(Refused):
    """The exam can't be written in this network or browser."""


class PasswordWrong(Refused):
    def __init__(self) -> None:
        super().__init__("This is not the password of the exam. Your teacher tells it.")


class SittingElsewhere(Refused):
    def __init__(self, title: str) -> None:
        super().__init__(
            f"You are writing {title} in another browser, or signed in again since you began. "
            "Go on there, or ask your teacher to unlock it here."
        )


def begin(
    session: Session, actor: Actor, seat: Seat, assignment: Assignment, place: Place, password: str
) -> RunningExam | None:
    """Begin the exam, or go on after staff have unlocked it. Return None for a wrong password, which is counted.

    Raises NotFound, Refused, WrongPlace, LimitReached, SittingElsewhere and Conflict.
    """
    user_id = actor.user_id
    if assignment.kind != "exam" or user_id is None:
        raise NotFound(f"{assignment.title} is no exam.")
    if seat.is_staff:
        raise Refused("Staff write no exams. Try it with the account of a student.")
    check_place(assignment, place)
    serialise_requests(session, user_id)
    sitting = session.get(Sitting, (assignment.id, user_id), populate_existing=True)
    if sitting is None:
        _check_window(session, seat, assignment, user_id)  # before the password, or it could be guessed for days
    _check_guesses(session, user_id)
    if not secrets.compare_digest(password.strip().encode(errors="replace"), assignment.password.encode()):
        record(session, actor, Act(action="sitting.password_wrong", target=assignment.id))
        return None
    if sitting is None:
        sitting = _start(session, assignment, user_id, place)
        record(session, actor, _act("sitting.begun", sitting))
    elif sitting.credential_id is None:
        sitting.credential_id = place.credential_id
        note_address(session, sitting, place.address)
        record(session, actor, _act("sitting.continued", sitting))
    elif sitting.credential_id != place.credential_id:
        raise SittingElsewhere(assignment.title)
    session.flush()
    tell_pages(session, assignment.id)
    running = find_running(session, user_id)
    if running is None or running.assignment.id != assignment.id:
        raise Conflict(f"Your time for {assignment.title} is over.")
    return running


def _check_window(session: Session, seat: Seat, assignment: Assignment, user_id: UUID) -> None:
    """Raises Conflict if the user can't begin the exam now."""
    now = session.scalars(select(func.now())).one()
    window = find_windows(session, [assignment], user_id)[assignment.id].of(user_id)
    opens, closes = (show_local(at, seat.course.timezone) for at in (window.opens_at, window.closes_at))
    if seat.course.state != "open":
        raise Conflict(f"{seat.course.title} is {seat.course.state}, so {assignment.title} can't be begun.")
    if now < window.opens_at:
        raise Conflict(f"{assignment.title} can be begun from {opens} on.")
    if now >= window.closes_at:
        raise Conflict(f"{assignment.title} could be begun until {closes}. Ask your teacher for an extension.")
    if running := find_running(session, user_id):
        raise Conflict(f"You are writing {running.assignment.title}. End it first.")


def _check_guesses(session: Session, user_id: UUID) -> None:
    """Raises LimitReached. The caller has locked the user, so the count is exact."""
    window = timedelta(minutes=GUESS_MINUTES)
    own = (AuditEvent.actor_id == user_id, AuditEvent.action == "sitting.password_wrong")
    query = select(func.count(), func.min(AuditEvent.at), func.now())
    count, first, now = session.execute(query.where(*own, AuditEvent.at > func.now() - window)).one()
    if first is not None and count >= MAX_GUESSES:
        left = first + window - now
        text = f"You typed {count} wrong passwords for exams in {GUESS_MINUTES} minutes."
        raise LimitReached(f"{text} Try again in {left.seconds + 1} s.", left)


def _start(session: Session, assignment: Assignment, user_id: UUID, place: Place) -> Sitting:
    sitting = Sitting(assignment_id=assignment.id, user_id=user_id, addresses=[place.address])
    sitting.credential_id = place.credential_id
    session.add(sitting)
    pin_revisions(session, assignment)
    return sitting


def note_address(session: Session, sitting: Sitting, address: str) -> None:
    """Keep a further address of the sitting for staff: its student may have moved, or another person may write it."""
    own = (Sitting.assignment_id == sitting.assignment_id, Sitting.user_id == sitting.user_id)
    is_new = func.array_position(Sitting.addresses, address).is_(None)
    has_room = func.cardinality(Sitting.addresses) < MOST_ADDRESSES
    longer = func.array_append(Sitting.addresses, address)
    session.execute(update(Sitting).where(*own, is_new, has_room).values(addresses=longer))
    tell_pages(session, sitting.assignment_id)


def check_place(assignment: Assignment, place: Place) -> None:
    """Raises WrongPlace."""
    if assignment.networks and not _is_in(place.address, assignment.networks):
        raise WrongPlace(f"{assignment.title} is written in certain networks only, and {place.address} is in none.")
    if assignment.seb_keys and not has_seb_key(assignment.seb_keys, place):
        raise WrongPlace(
            f"{assignment.title} is written in Safe Exam Browser only, with the settings that your teacher gave you."
        )


def _is_in(address: str, networks: Sequence[str]) -> bool:
    try:
        known = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(known, "ipv4_mapped", None) or known
    return any(mapped in ip_network(network) for network in networks)


def has_seb_key(keys: Sequence[str], place: Place) -> bool:
    """Whether Safe Exam Browser proves one of the keys.

    It sends the SHA-256 of the address and the key together, once for its Config Key and once for its Browser Exam Key:
    https://safeexambrowser.org/developer/seb-config-key.html
    """
    expected = {hashlib.sha256((place.url + key).encode()).hexdigest() for key in keys}
    return any(each.lower() in expected for each in place.hashes)


def find_running(session: Session, user_id: UUID) -> RunningExam | None:
    """Return the exam that the user is writing now. Usually there is none, and this is one look into an index.

    A student who can't open the course any more writes no exam: all pages would be closed otherwise.
    """
    is_member = and_(Member.course_id == Course.id, Member.user_id == user_id, Member.left_at.is_(None))
    query = (
        select(Sitting, Assignment, Course, func.now())
        .join(Assignment, Assignment.id == Sitting.assignment_id)
        .join(Course, Course.id == Assignment.course_id)
        .join(Member, is_member)
        .where(Sitting.user_id == user_id, ~Sitting.is_settled, Course.state == "open")
    )
    for sitting, assignment, course, now in session.execute(query).all():
        window = find_windows(session, [assignment], user_id)[assignment.id].of(user_id)
        if window.phase(now) == "open":
            return RunningExam(course=course, assignment=assignment, sitting=sitting, window=window, now=now)
    return None


def get_running(session: Session, user_id: UUID, assignment: Assignment) -> RunningExam:
    """Raises NotFound."""
    running = find_running(session, user_id)
    if running is None or running.assignment.id != assignment.id:
        raise NotFound(f"You are not writing {assignment.title} now. See its page.")
    return running


def list_sittings(session: Session, assignment: Assignment) -> list[SittingRow]:
    """List the course's students by section and name, each with the sitting."""
    is_own = and_(Sitting.user_id == Member.user_id, Sitting.assignment_id == assignment.id)
    query = select(Member, User.username, Sitting, func.now()).join(User, User.id == Member.user_id)
    query = query.outerjoin(Sitting, is_own).where(Member.course_id == assignment.course_id, Member.role == "student")
    query = query.where(Member.left_at.is_(None)).order_by(Member.section, Member.name, User.username)
    windows = find_windows(session, [assignment])[assignment.id]
    rows = []
    for member, username, sitting, now in session.execute(query):
        window = windows.of(member.user_id) if member.user_id else windows.usual
        state = _state(sitting, window, now)
        rows.append(SittingRow(member=member, username=username, sitting=sitting, window=window, state=state))
    return rows


def _state(sitting: Sitting | None, window: Window, now: datetime) -> SittingState:
    if sitting is None:
        return "missed" if now >= window.closes_at else "not begun"
    if sitting.ended_at is not None:
        return "ended"
    if window.phase(now) == "closed":
        return "time up"
    return "writing" if sitting.credential_id is not None else "unlocked"


def get_sitting(session: Session, assignment: Assignment, member_id: UUID) -> Sitting:
    """Return a member's sitting, locked. Raises NotFound."""
    query = select(Sitting).join(Member, Member.user_id == Sitting.user_id)
    of_member = (Member.id == member_id, Member.course_id == assignment.course_id)
    found = session.scalar(query.where(*of_member, Sitting.assignment_id == assignment.id).with_for_update(of=Sitting))
    if found is None:
        raise NotFound(f"The member {member_id} has not begun this exam.")
    return found


def unlock(session: Session, actor: Actor, sitting: Sitting) -> None:
    """Let the sitting go on in the session that continues it next."""
    sitting.credential_id = None
    record(session, actor, _act("sitting.unlocked", sitting))
    tell_pages(session, sitting.assignment_id)


def resume(session: Session, actor: Actor, sitting: Sitting) -> None:
    """Take back that the sitting was ended before its time."""
    sitting.ended_at, sitting.is_settled = None, False
    record(session, actor, _act("sitting.resumed", sitting))
    tell_pages(session, sitting.assignment_id)


def add_minutes(
    session: Session, actor: Actor, seat: Seat, assignment: Assignment, member_id: UUID, minutes: int
) -> None:
    """Give a member more minutes, beside what an extension gives already. Raises Invalid and MemberNotFound."""
    lock_course(session, seat.course.id)
    member = session.get(Member, member_id)
    if member is None or member.course_id != assignment.course_id or member.user_id is None:
        raise MemberNotFound(member_id)
    of_member = (Extension.assignment_id == assignment.id, Extension.user_id == member.user_id)
    row = session.scalar(select(Extension).where(*of_member))
    kept = {name: getattr(row, name) for name in _KEPT} if row else {}
    total = minutes + (row.extra_minutes if row else 0)
    wish = read_fields(ExtensionWish, kept | {"member": member_id, "extra_minutes": total})
    extend(session, actor, seat, assignment, [wish])


def give_notice(session: Session, actor: Actor, assignment: Assignment, text: str) -> None:
    """Show a text to all students who write the exam; an empty one removes it."""
    assignment.notice = text.strip()
    record(session, actor, Act(action="assignment.notice_given", target=assignment.id))
    tell_pages(session, assignment.id)


def pin_revisions(session: Session, assignment: Assignment) -> None:
    """Judge the exam by the problems' current revisions, where none is pinned yet."""
    current = select(Problem.current_revision_id).where(Problem.id == AssignmentProblem.problem_id).scalar_subquery()
    of_exam = (AssignmentProblem.assignment_id == assignment.id, AssignmentProblem.revision_id.is_(None))
    session.execute(update(AssignmentProblem).where(*of_exam).values(revision_id=current))


def pin_again(session: Session, actor: Actor, assignment: Assignment, notice: str) -> None:
    """Judge what comes from now on by the problems' current revisions, and tell the students."""
    of_exam = AssignmentProblem.assignment_id == assignment.id
    session.execute(update(AssignmentProblem).where(of_exam).values(revision_id=None))
    pin_revisions(session, assignment)
    record(session, actor, Act(action="assignment.revisions_pinned", target=assignment.id))
    give_notice(session, actor, assignment, notice)


def _act(action: str, sitting: Sitting) -> Act:
    return Act(action=action, target=sitting.assignment_id, subject_id=sitting.user_id)
