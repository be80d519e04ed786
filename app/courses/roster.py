"""The roster: a table of students as CSV, what it would change in a course, and the change.

An empty cell changes nothing. Applying a roster twice changes nothing the second time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.user import EMAIL, MAX_EMAIL, USERNAME
from app.audit import Act, Actor, record
from app.courses.deadlines import unsettle_student
from app.courses.member import MAX_SECTION, MAX_TEXT, claim, lock_course, remove
from app.courses.model import Member
from app.courses.role import Seat
from app.courses.table import KEYS, PERSON_NAMES, Finder, RowFault, read_table, require_no_fault

# The columns, with the words that spreadsheets and other systems have above them.
NAMES: Mapping[str, tuple[str, ...]] = {
    **PERSON_NAMES,
    "name": ("name", "full name", "student", "student name"),
    "first": ("first name", "given name", "first names"),
    "last": ("last name", "surname", "family name"),
}
TOLD = ("name", "number", "email", "username", "section")


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterRow:
    """A row with its line in the file. An empty text says nothing."""

    line: int
    number: str = ""
    email: str = ""
    username: str = ""
    name: str = ""
    section: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A row and its member. `fields`: what would change."""

    row: RosterRow
    member: Member
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A row of a pending member that names an account. Anyone may have taken that name: an instructor decides."""

    row: RosterRow
    user: User


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterPlan:
    """What a roster would change. With `faults`, it can't be applied.

    `repeated`: the lines that repeat another one. `ignored`: the columns without a known name.
    """

    new: tuple[RosterRow, ...] = ()
    changed: tuple[Change, ...] = ()
    unchanged: int = 0
    gone: tuple[Member, ...] = ()
    accounts: tuple[Match, ...] = ()
    faults: tuple[RowFault, ...] = ()
    repeated: tuple[int, ...] = ()
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterChoice:
    """`removes_gone`: remove students who are not in the table. `takes_accounts`: the accounts are these people."""

    removes_gone: bool = False
    takes_accounts: bool = False


def plan_roster(session: Session, seat: Seat, text: str) -> RosterPlan:
    """Say what the roster would change, and lock the course. Raises Invalid for a text that is no table."""
    lock_course(session, seat.course.id)
    table = read_table(text, NAMES)
    rows, faults, repeated = _check_rows([_read_row(line, found) for line, found in table.rows])
    members = session.scalars(select(Member).where(Member.course_id == seat.course.id)).all()
    users = _find_users(session, rows)
    plan = RosterPlan(faults=faults, repeated=repeated, ignored=table.ignored)
    return _plan(plan, rows, Finder(members), users)


def apply_roster(session: Session, actor: Actor, seat: Seat, plan: RosterPlan, choice: RosterChoice) -> None:
    """Do all of the plan, which was made in this transaction. Raises Invalid if a row is wrong."""
    require_no_fault(plan.faults)
    for change in plan.changed:
        _update(session, change)
    session.flush()
    for row in plan.new:
        session.add(Member(course_id=seat.course.id, **{name: getattr(row, name) for name in TOLD}))
    for member in plan.gone if choice.removes_gone else ():
        remove(session, member)
    session.flush()
    if choice.takes_accounts:
        _take_accounts(session, actor, seat, plan.accounts)
    counts = {"new": len(plan.new), "changed": len(plan.changed)}
    counts["removed"] = len(plan.gone) if choice.removes_gone else 0
    record(session, actor, Act(action="course.roster_applied", target=seat.course.id, after=counts))


def _read_row(line: int, found: Mapping[str, str]) -> RosterRow:
    name = found.get("name") or f"{found.get('first', '')} {found.get('last', '')}".strip()
    texts = {each: found.get(each, "") for each in TOLD} | {"name": name}
    return RosterRow(line=line, **texts | {"username": texts["username"].lower()})


def _check_rows(rows: Sequence[RosterRow]) -> tuple[list[RosterRow], tuple[RowFault, ...], tuple[int, ...]]:
    """Return the good rows, the faults of the others, and the lines that repeat one exactly."""
    good, faults, repeated = [], [], []
    seen: dict[tuple[str, str], RosterRow] = {}
    for row in rows:
        keys = [(name, getattr(row, name).lower()) for name in KEYS if getattr(row, name)]
        earlier = next((seen[key] for key in keys if key in seen), None)
        if message := _find_fault(row):
            faults.append(RowFault(line=row.line, message=message))
        elif earlier is None:
            good.append(row)
            seen |= dict.fromkeys(keys, row)
        elif replace(earlier, line=row.line) == row:
            repeated.append(row.line)
        else:
            message = f"it is the person of line {earlier.line}, with other values. Keep one of the two lines."
            faults.append(RowFault(line=row.line, message=message))
    return good, tuple(faults), tuple(repeated)


def _find_fault(row: RosterRow) -> str | None:
    if not any(getattr(row, key) for key in KEYS):
        return "it has no number, e-mail address or user name. Fill in one of them."
    if row.email and not (EMAIL.fullmatch(row.email) and len(row.email) <= MAX_EMAIL):
        return f"{row.email[:60]!r} is not an e-mail address."
    if row.username and not USERNAME.fullmatch(row.username):
        return f"{row.username[:40]!r} is not a user name of Allclose."
    if len(row.section) > MAX_SECTION:
        return f"the section has {len(row.section)} characters; the limit is {MAX_SECTION}."
    if max(len(row.name), len(row.number)) > MAX_TEXT:
        return f"a text has more than {MAX_TEXT} characters. Shorten it."
    if not all(getattr(row, name).isprintable() for name in TOLD):
        return "a cell has a line break or an invisible character. Remove it."
    return None


def _plan(plan: RosterPlan, rows: Sequence[RosterRow], finder: Finder, users: Mapping[str, User]) -> RosterPlan:
    new, changes, faults, accounts = [], [], list(plan.faults), []
    for row in rows:
        members = finder.find(row.number, row.email, row.username)
        member = members[0] if members else None
        if len(members) > 1:
            text = "its number, e-mail address and user name belong to different members. Correct one of them."
            faults.append(RowFault(line=row.line, message=text))
            continue
        if row.username in users and (member is None or member.user_id is None):
            accounts.append(Match(row=row, user=users[row.username]))
        if member is None:
            new.append(row)
        else:
            changes.append(Change(row=row, member=member, fields=_list_changes(row, member)))
    known = {change.member.id for change in changes}
    named = {match.user.id for match in accounts}
    gone = (each for each in finder.members if each.id not in known and each.user_id not in named)
    return replace(
        plan,
        new=tuple(new),
        changed=tuple(change for change in changes if change.fields),
        unchanged=sum(not change.fields for change in changes),
        gone=tuple(each for each in gone if each.role == "student" and each.left_at is None),
        accounts=tuple(accounts),
        faults=tuple(sorted(faults, key=lambda fault: fault.line)),
    )


def _list_changes(row: RosterRow, member: Member) -> tuple[str, ...]:
    fields = [name for name in TOLD if getattr(row, name) and getattr(row, name) != getattr(member, name)]
    return (*fields, *(("left_at",) if member.left_at else ()))


def _update(session: Session, change: Change) -> None:
    for name in change.fields:
        setattr(change.member, name, None if name == "left_at" else getattr(change.row, name))
    if "section" in change.fields:
        unsettle_student(session, change.member.course_id, change.member.user_id)


def _take_accounts(session: Session, actor: Actor, seat: Seat, accounts: Sequence[Match]) -> None:
    """Give the pending members of the rows their accounts."""
    members = session.scalars(select(Member).where(Member.course_id == seat.course.id)).all()
    finder = Finder(members)
    for match in accounts:
        claim(session, actor, finder.find(match.row.number, match.row.email, match.row.username)[0], match.user)


def _find_users(session: Session, rows: Sequence[RosterRow]) -> dict[str, User]:
    """Return the accounts with the rows' user names."""
    names = [row.username for row in rows if row.username]
    found = session.scalars(select(User).where(User.username.in_(names), User.erased_at.is_(None)))
    return {user.username: user for user in found}
