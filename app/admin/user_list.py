"""Users as admins see them: searching by name or e-mail, role and state, newest first; and one account."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, false, func, literal_column, or_, select
from sqlalchemy.orm import Session

from app.accounts.model import WORDS, ApiToken, Identity, Role, User, UserSession
from app.accounts.session import list_sessions
from app.accounts.token import list_tokens
from app.accounts.user import USERNAME
from app.database.cursor import PAGE, read_uuid_cursor, split_page, write_cursor
from app.errors import NotFound
from app.submissions.model import Judging, Submission

State = Literal["active", "suspended", "erased"]
MAX_WORDS = 5
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A user in the list. `submissions` counts all of the user's submissions, also runs of samples.

    `last_seen_at`: the last request with a browser or token, to the minute; None for never, or too long ago.
    """

    id: UUID
    username: str
    email: str | None
    role: Role
    state: State
    is_ranked: bool
    created_at: datetime
    erased_at: datetime | None
    last_seen_at: datetime | None
    submissions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Account(Person):
    """A user with their ways to sign in: a password, `providers` (issuers), and counts of valid sessions and tokens.

    `unfinished`: submissions in the queue or being judged.
    """

    has_password: bool
    providers: tuple[str, ...]
    sessions: int
    tokens: int
    unfinished: int


class UserNotFound(NotFound):
    def __init__(self, user_id: UUID) -> None:
        super().__init__(f"There is no user {user_id}. GET /api/v1/users lists all users.")


def state_of(user: User) -> State:
    if user.erased_at is not None:
        return "erased"
    return "active" if user.is_active else "suspended"


Rows = Select[User, datetime | None, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class UserFilters:
    """A user must match all given filters. `q`: words that start parts of the name or e-mail, or the whole name."""

    q: str = ""
    role: Role | None = None
    state: State | None = None


EVERYBODY = UserFilters()


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonPage:
    """`next` is the cursor of the next page; None on the last page."""

    items: tuple[Person, ...]
    next: str | None


def list_users(
    session: Session, filters: UserFilters = EVERYBODY, cursor: str | None = None, limit: int = PAGE
) -> PersonPage:
    """Return a page of users, newest first. Raises CursorInvalid."""
    query = _rows().where(*_conditions(filters)).order_by(User.created_at.desc(), User.id)
    if cursor is not None:
        query = query.where(_after(*read_uuid_cursor(cursor)))
    rows, last = split_page([Person(**_facts(*row)) for row in session.execute(query.limit(limit + 1))], limit)
    return PersonPage(items=tuple(rows), next=write_cursor(last.created_at, last.id) if last else None)


def get_account(session: Session, user_id: UUID) -> Account:
    """Raises UserNotFound."""
    row = session.execute(_rows().where(User.id == user_id)).one_or_none()
    if row is None:
        raise UserNotFound(user_id)
    user = row[0]
    issuers = select(Identity.issuer).where(Identity.user_id == user_id).order_by(Identity.issuer)
    return Account(
        **_facts(*row),
        has_password=user.password_hash is not None,
        providers=tuple(session.scalars(issuers)),
        sessions=len(list_sessions(session, user_id)),
        tokens=len(list_tokens(session, user_id)),
        unfinished=_count_unfinished(session, user_id),
    )


def _count_unfinished(session: Session, user_id: UUID) -> int:
    query = select(func.count()).join_from(Judging, Submission, Submission.id == Judging.submission_id)
    unfinished = (Judging.is_current, Judging.verdict.is_(None))
    return session.scalars(query.where(Submission.user_id == user_id, *unfinished)).one()


def _rows() -> Rows:
    # Subqueries, so that counts are read for the users on the page only, each from an index.
    seen = select(func.max(UserSession.last_seen_at)).where(UserSession.user_id == User.id).scalar_subquery()
    used = select(func.max(ApiToken.last_used_at)).where(ApiToken.user_id == User.id).scalar_subquery()
    sent = select(func.count()).select_from(Submission).where(Submission.user_id == User.id).scalar_subquery()
    return select(User, func.greatest(seen, used), sent)


def _facts(user: User, last_seen_at: datetime | None, submissions: int) -> dict[str, Any]:
    same = ("id", "username", "email", "role", "is_ranked", "created_at", "erased_at")
    facts = {name: getattr(user, name) for name in same}
    return {**facts, "state": state_of(user), "last_seen_at": last_seen_at, "submissions": submissions}


def _conditions(filters: UserFilters) -> list[ColumnElement[bool]]:
    conditions = [_is_in(filters.state)] if filters.state else []
    if filters.role:
        conditions.append(User.role == filters.role)
    if filters.q.strip():
        conditions.append(_named(filters.q))
    return conditions


def _is_in(state: State) -> ColumnElement[bool]:
    if state == "active":
        return User.is_active.is_(True)
    is_erased = User.erased_at.is_not(None)
    return and_(~User.is_active, is_erased if state == "erased" else ~is_erased)


def _named(q: str) -> ColumnElement[bool]:
    words = _WORD.findall(q.lower())[:MAX_WORDS]
    name = q.strip().lower()
    is_named = User.username == name if USERNAME.fullmatch(name) else false()
    if not words:
        return is_named
    asked = func.to_tsquery("simple", " & ".join(f"'{word}':*" for word in words))
    return or_(is_named, literal_column(WORDS).op("@@")(asked))


def _after(at: datetime, key: UUID) -> ColumnElement[bool]:
    # The first condition lets PostgreSQL use the index on the time.
    return and_(User.created_at <= at, or_(User.created_at < at, User.id > key))
