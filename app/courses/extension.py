"""Extensions: other dates, attempts or minutes of an assignment, for one member or for a section."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field
from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.audit import Act, Actor, record
from app.courses.assignment import MAX_ATTEMPTS, MAX_MINUTES
from app.courses.deadlines import unsettle
from app.courses.local_time import show_local
from app.courses.member import Section, lock_course, refuse_own_row
from app.courses.model import Assignment, Extension, Member
from app.courses.role import Seat
from app.errors import Invalid, NotFound
from app.validation import ONE_LINE, Body, FrozenModel, Moment

MAX_REASON = 500


class ExtensionWish(Body):
    """Other dates or more attempts, for a member or a section. null: as the assignment says."""

    member: UUID | None = Field(None, description="a member with an account")
    section: Section | None = Field(None, description="a section, with its later members")
    opens_at: Moment | None = None
    due_at: Moment | None = None
    closes_at: Moment | None = None
    extra_attempts: int = Field(0, ge=0, le=MAX_ATTEMPTS)
    extra_minutes: int = Field(0, ge=0, le=MAX_MINUTES, description="of an exam, also while it is written")
    reason: Annotated[str, Field(max_length=MAX_REASON), ONE_LINE] = Field("", description="for the staff")


class ExtensionView(FrozenModel):
    id: UUID
    username: str | None
    name: str
    section: str | None
    opens_at: datetime | None
    due_at: datetime | None
    closes_at: datetime | None
    extra_attempts: int
    extra_minutes: int
    reason: str


def extend(session: Session, actor: Actor, seat: Seat, assignment: Assignment, wishes: Sequence[ExtensionWish]) -> None:
    """Give extensions; one that the person or section has is replaced. Takes effect at once.

    Raises Invalid and OwnRow.
    """
    lock_course(session, seat.course.id)
    for wish in wishes:
        user_id = _find_whose(session, seat, wish)
        refuse_own_row(actor, user_id)
        check_wish(seat, assignment, wish)
        is_same = Extension.user_id == user_id if user_id else Extension.section == wish.section
        row = session.scalar(select(Extension).where(Extension.assignment_id == assignment.id, is_same))
        row = row or Extension(assignment_id=assignment.id, user_id=user_id, section=wish.section)
        for name in ("opens_at", "due_at", "closes_at", "extra_attempts", "extra_minutes", "reason"):
            setattr(row, name, getattr(wish, name))
        row.created_by, row.created_at = actor.user_id, func.now()
        session.add(row)
        session.flush()
        act = Act(action="extension.given", target=row.id, after={"assignment": str(assignment.id)}, subject_id=user_id)
        record(session, actor, act)
    unsettle(session, assignment)


def check_wish(seat: Seat, assignment: Assignment, wish: ExtensionWish) -> None:
    """Raises Invalid. A date before everyone's would take no effect."""
    if wish.due_at is not None and wish.due_at < assignment.due_at:
        due = show_local(assignment.due_at, seat.course.timezone)
        raise Invalid("due_at", f"It is due at {due} for everyone. Choose a later time.")
    if wish.closes_at is not None and wish.closes_at < (wish.due_at or assignment.due_at):
        closes = show_local(wish.closes_at, seat.course.timezone)
        raise Invalid("closes_at", f"It would close at {closes}, before it is due. Choose a later time.")


def _find_whose(session: Session, seat: Seat, wish: ExtensionWish) -> UUID | None:
    """Return the user, or None for a section. Raises Invalid."""
    if (wish.member is None) == (not wish.section):
        raise Invalid("member", "An extension is for one member or for one section. Give exactly one of them.")
    if wish.member is None:
        return None
    is_here = (Member.course_id == seat.course.id, Member.id == wish.member, Member.left_at.is_(None))
    user_id = session.scalar(select(Member.user_id).where(*is_here))
    if user_id is None:
        raise Invalid("member", f"This course has no member {wish.member} with an account.")
    return user_id


def remove_extension(session: Session, actor: Actor, assignment: Assignment, extension_id: UUID) -> None:
    """Raises NotFound."""
    row = session.get(Extension, extension_id)
    if row is None or row.assignment_id != assignment.id:
        raise NotFound(f"This assignment has no extension {extension_id}. See the list of its extensions.")
    act = Act(
        action="extension.removed", target=row.id, before={"assignment": str(assignment.id)}, subject_id=row.user_id
    )
    session.delete(row)
    unsettle(session, assignment)
    record(session, actor, act)


def list_extensions(session: Session, assignment: Assignment) -> list[ExtensionView]:
    is_member = and_(Member.course_id == assignment.course_id, Member.user_id == Extension.user_id)
    query = select(Extension, User.username, Member.name).outerjoin(User, User.id == Extension.user_id)
    query = query.outerjoin(Member, is_member).where(Extension.assignment_id == assignment.id)
    names = ("id", "section", "opens_at", "due_at", "closes_at", "extra_attempts", "extra_minutes", "reason")
    return [
        ExtensionView(**{each: getattr(row, each) for each in names}, username=username, name=name or "")
        for row, username, name in session.execute(query.order_by(Extension.section, Member.name, User.username))
    ]
