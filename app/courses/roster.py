"""The roster: a table of students as CSV, what it would change in a course, and the change.

The table may come from a spreadsheet or from another system: with commas, semicolons or tabs, with a byte order mark,
with any line ends. A row belongs to the member with the same number, else the same e-mail address, else the same user
name. An empty cell changes nothing. Applying a roster twice changes nothing the second time.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.user import EMAIL, MAX_EMAIL, USERNAME
from app.audit import Act, Actor, record
from app.courses.member import MAX_SECTION, MAX_TEXT, claim, lock_course, remove
from app.courses.model import Member
from app.courses.role import Seat
from app.database.engine import is_storable
from app.errors import Invalid

MAX_ROWS = 5000
# The columns, with the words that spreadsheets and other systems have above them.
NAMES: Mapping[str, tuple[str, ...]] = {
    "number": (
        "number",
        "student number",
        "student id",
        "id number",
        "person number",
        "matriculation number",
        "sis user id",
    ),
    "email": ("email", "e-mail", "mail", "email address", "e-mail address"),
    "username": ("username", "user name", "user", "login", "login id", "sis login id"),
    "name": ("name", "full name", "student", "student name"),
    "first": ("first name", "given name", "first names"),
    "last": ("last name", "surname", "family name"),
    "section": ("section", "group", "groups", "sections", "tutorial"),
}
KEYS = ("number", "email", "username")
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
class RowFault:
    line: int
    message: str


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
    table = _read_table(text)
    rows, faults, repeated = _check_rows(table.rows)
    members = session.scalars(select(Member).where(Member.course_id == seat.course.id)).all()
    users = _find_users(session, rows)
    plan = RosterPlan(faults=faults, repeated=repeated, ignored=table.ignored)
    return _plan(plan, rows, _Finder(members), users)


def apply_roster(session: Session, actor: Actor, seat: Seat, plan: RosterPlan, choice: RosterChoice) -> None:
    """Do all of the plan, which was made in this transaction. Raises Invalid if a row is wrong."""
    if plan.faults:
        first = plan.faults[0]
        message = f"Nothing was changed. {len(plan.faults)} rows are wrong; line {first.line}: {first.message}"
        raise Invalid("csv", message)
    for change in plan.changed:
        _update(change)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    rows: list[RosterRow]
    ignored: tuple[str, ...]


def _read_table(text: str) -> _Table:
    """Raises Invalid."""
    text = text.removeprefix("\ufeff")
    if not is_storable(text):
        raise Invalid("csv", "The roster has NUL or is not valid Unicode. Save it as CSV in UTF-8.")
    head = text.lstrip("\r\n").partition("\n")[0]
    lines = _read_lines(text, max(",;\t", key=head.count))
    if not lines:
        raise Invalid("csv", "The roster is empty. Its first line names the columns: number, email, name, section.")
    if len(lines) - 1 > MAX_ROWS:
        raise Invalid("csv", f"The roster has {len(lines) - 1} rows; the limit is {MAX_ROWS}.")
    columns, ignored = _read_columns(lines[0][1])
    return _Table(rows=[_read_row(number, cells, columns) for number, cells in lines[1:]], ignored=ignored)


def _read_lines(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Return the lines that are not empty, each with its number. Raises Invalid."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    lines = []
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                lines.append((reader.line_num, cells))
    except csv.Error as error:
        message = f"The roster is not CSV in line {reader.line_num}: {error}. Check the quotation marks."
        raise Invalid("csv", message) from None
    return lines


def _read_columns(head: Sequence[str]) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return the place of each known column, and the other columns' names. Raises Invalid."""
    names = {alias: name for name, aliases in NAMES.items() for alias in aliases}
    columns: dict[str, int] = {}
    ignored = []
    for at, cell in enumerate(head):
        name = names.get(cell.lower().replace("_", " "))
        if name is None:
            ignored.append(cell[:40])
        elif name in columns:
            raise Invalid("csv", f"Two columns are the {name}: {head[columns[name]]!r} and {cell!r}. Remove one.")
        else:
            columns[name] = at
    if not columns.keys() & set(KEYS):
        shown = ", ".join(head)[:80]
        raise Invalid(
            "csv", f"The first line is {shown!r}. It must name the columns, one of them number, email or username."
        )
    return columns, tuple(filter(None, ignored))


def _read_row(line: int, cells: Sequence[str], columns: Mapping[str, int]) -> RosterRow:
    found = {name: cells[at] for name, at in columns.items() if at < len(cells)}
    first, last = found.pop("first", ""), found.pop("last", "")
    found["name"] = found.get("name") or f"{first} {last}".strip()
    # An apostrophe keeps a spreadsheet from running a text as a formula: Allclose writes it so.
    found = {name: text[1:] if text[:2] in ("'=", "'+", "'-", "'@") else text for name, text in found.items()}
    found["username"] = found.get("username", "").lower()
    return RosterRow(line=line, **found)


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


class _Finder:
    """Finds the members that earlier rosters made for a row."""

    def __init__(self, members: Sequence[Member]) -> None:
        self.members = members
        self._by_key = {key: {_fold(each, key): each for each in members if _fold(each, key)} for key in KEYS}

    def find(self, row: RosterRow) -> list[Member]:
        """Return the members that the row's number, address and user name belong to, each once."""
        found = [self._by_key[key].get(_fold(row, key)) for key in KEYS]
        return list({member.id: member for member in found if member is not None}.values())


def _fold(row: RosterRow | Member, key: str) -> str:
    return str(getattr(row, key)).lower()


def _plan(plan: RosterPlan, rows: Sequence[RosterRow], finder: _Finder, users: Mapping[str, User]) -> RosterPlan:
    new, changes, faults, accounts = [], [], list(plan.faults), []
    for row in rows:
        members = finder.find(row)
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


def _update(change: Change) -> None:
    for name in change.fields:
        setattr(change.member, name, None if name == "left_at" else getattr(change.row, name))


def _take_accounts(session: Session, actor: Actor, seat: Seat, accounts: Sequence[Match]) -> None:
    """Give the pending members of the rows their accounts."""
    members = session.scalars(select(Member).where(Member.course_id == seat.course.id)).all()
    finder = _Finder(members)
    for match in accounts:
        claim(session, actor, finder.find(match.row)[0], match.user)


def _find_users(session: Session, rows: Sequence[RosterRow]) -> dict[str, User]:
    """Return the accounts with the rows' user names."""
    names = [row.username for row in rows if row.username]
    found = session.scalars(select(User).where(User.username.in_(names), User.erased_at.is_(None)))
    return {user.username: user for user in found}
