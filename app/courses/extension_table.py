"""Extensions as a table: what they would change for an assignment, and the change.

A row is for a student, or for a section if it names no student. Times are in the course's zone. An empty cell changes
nothing, so applying a table twice changes nothing the second time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.audit import Actor
from app.courses.extension import ExtensionWish, check_wish, extend
from app.courses.local_time import read_local, show_local
from app.courses.member import lock_course
from app.courses.model import Assignment, Extension, Member
from app.courses.role import Seat
from app.courses.table import PERSON_NAMES, Finder, RowFault, read_table, require_no_fault
from app.errors import Invalid
from app.validation import read_fields

KEYS = ("number", "email", "username", "section")
NAMES: Mapping[str, tuple[str, ...]] = {
    **PERSON_NAMES,
    "opens_at": ("opens at", "opens"),
    "due_at": ("due at", "due", "due date"),
    "closes_at": ("closes at", "closes", "late work until"),
    "extra_attempts": ("extra attempts", "more attempts", "attempts"),
    "extra_minutes": ("extra minutes", "more minutes", "minutes"),
    "reason": ("reason",),
}
DATES = ("opens_at", "due_at", "closes_at")
FIELDS = (*DATES, "extra_attempts", "extra_minutes", "reason")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionChange:
    """A row with the extension that it gives. `whose`: for people. `fields`: what changes, by name, as texts."""

    line: int
    whose: str
    wish: ExtensionWish
    is_new: bool
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionPlan:
    """What a table of extensions would change. With `faults`, it can't be applied."""

    changes: tuple[ExtensionChange, ...]
    unchanged: int
    faults: tuple[RowFault, ...]
    ignored: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """The course's members, and the assignment's extensions by user or section."""

    finder: Finder
    by_account: Mapping[str, Member]
    extensions: Mapping[UUID | str, Extension]


def plan_extensions(session: Session, seat: Seat, assignment: Assignment, text: str) -> ExtensionPlan:
    """Say what the table would change, and lock the course. Raises Invalid for a text that is no table."""
    lock_course(session, seat.course.id)
    table = read_table(text, NAMES, KEYS)
    known = _read_known(session, assignment)
    changes: dict[UUID | str, ExtensionChange] = {}
    faults = []
    for line, row in table.rows:
        try:
            key, change = _plan_row(seat, assignment, known, (line, row))
            if key in changes:
                raise Invalid("csv", f"Line {changes[key].line} is for {change.whose} too. Keep one of the two lines.")
            changes[key] = change
        except Invalid as fault:
            faults.append(RowFault(line=line, message=str(fault)))
    return ExtensionPlan(
        changes=tuple(each for each in changes.values() if each.fields),
        unchanged=sum(not each.fields for each in changes.values()),
        faults=tuple(faults),
        ignored=table.ignored,
    )


def apply_extensions(session: Session, actor: Actor, seat: Seat, assignment: Assignment, plan: ExtensionPlan) -> None:
    """Do all of the plan, which was made in this transaction. Raises Invalid if a row is wrong."""
    require_no_fault(plan.faults)
    extend(session, actor, seat, assignment, [each.wish for each in plan.changes])


def _read_known(session: Session, assignment: Assignment) -> _Known:
    query = select(Member, User.username).outerjoin(User, User.id == Member.user_id)
    found = session.execute(query.where(Member.course_id == assignment.course_id, Member.left_at.is_(None))).all()
    rows = session.scalars(select(Extension).where(Extension.assignment_id == assignment.id))
    return _Known(
        finder=Finder([member for member, _ in found]),
        by_account={username: member for member, username in found if username},
        extensions={each.user_id or each.section or "": each for each in rows},
    )


def _plan_row(
    seat: Seat, assignment: Assignment, known: _Known, given: tuple[int, Mapping[str, str]]
) -> tuple[UUID | str, ExtensionChange]:
    """Return the row's user or section, and what it changes. Raises Invalid."""
    line, row = given
    member = _find_member(known, row)
    key = member.user_id if member and member.user_id else row.get("section", "")
    before = known.extensions.get(key)
    kept = {name: getattr(before, name) for name in FIELDS} if before else {}
    given_values = _read_values(row, seat.course.timezone)
    whose = {"member": member.id} if member else {"section": key}
    wish = read_fields(ExtensionWish, {**whose, **kept, **given_values})
    check_wish(seat, assignment, wish)
    changed = [name for name in given_values if getattr(wish, name) != kept.get(name, getattr(ExtensionWish(), name))]
    change = ExtensionChange(
        line=line,
        whose=(member.name or row.get("username") or row.get("number") or row["email"]) if member else f"section {key}",
        wish=wish,
        is_new=before is None,
        fields={name: _show(getattr(wish, name), seat.course.timezone) for name in changed},
    )
    return key, change


def _find_member(known: _Known, row: Mapping[str, str]) -> Member | None:
    """Return None for the row of a section. Raises Invalid."""
    number, email, username = (row.get(name, "") for name in ("number", "email", "username"))
    if not (number or email or username):
        if not row.get("section"):
            raise Invalid("csv", "It has no number, e-mail address, user name or section. Fill in one of them.")
        return None
    account = known.by_account.get(username.lower())
    found = {each.id: each for each in (*known.finder.find(number, email, username), account) if each}
    if len(found) > 1:
        raise Invalid("csv", "Its number, e-mail address and user name belong to different members.")
    member = next(iter(found.values()), None)
    if member is None or member.user_id is None:
        missing = "has no account yet" if member else "is not in this course"
        raise Invalid("csv", f"{(number or email or username)[:60]} {missing}.")
    return member


def _read_values(row: Mapping[str, str], timezone: str) -> dict[str, Any]:
    """Return what the row's cells say, without the empty ones. Raises Invalid."""
    texts = {name: row[name] for name in FIELDS if row.get(name)}
    moments = {name: read_local(name, text, timezone) for name, text in texts.items() if name in DATES}
    return {**texts, **moments}


def _show(value: object, timezone: str) -> str:
    return show_local(value, timezone) if isinstance(value, datetime) else str(value)
