"""API tokens: `alc_` and 256 random bits, shown once, revocable, with optional scopes and expiry."""

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Lock
from uuid import UUID

from sqlalchemy import ColumnElement, and_, bindparam, func, or_, select, text, update
from sqlalchemy.orm import Session

from app.accounts.model import ApiToken, User, digest, has_sitting, is_well_formed, new_secret
from app.accounts.permission import Viewer, a_role, permissions_of, read_scopes
from app.database.engine import is_storable
from app.errors import Conflict, Invalid, NotFound

PREFIX = "alc_"
MAX_NAME = 100
MAX_DAYS = 3650
# Valid tokens per user.
MAX_TOKENS = 100
RECENT_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """`scopes`: None for always all of the owner's permissions. `expires_in_days`: None for never."""

    scopes: Iterable[str] | None = None
    expires_in_days: int | None = None


UNBOUNDED = Bounds()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken:
    """A new token. Only this object ever holds `secret`."""

    token: ApiToken
    secret: str = field(repr=False)


def create_token(session: Session, user_id: UUID, name: str, bounds: Bounds = UNBOUNDED) -> NewToken:
    """Create a token. Its `name` reminds the owner of its use. Raises Invalid, and Conflict at the limit."""
    check_name(name)
    if bounds.expires_in_days is not None:
        check_days(bounds.expires_in_days)
    # Of two concurrent requests, the second waits and counts the first one's token.
    owner = session.get_one(User, user_id, with_for_update={"key_share": True})
    if len(list_tokens(session, user_id)) >= MAX_TOKENS:
        raise Conflict(f"You have {MAX_TOKENS} valid tokens, which is the limit. Revoke one first.")
    secret = new_secret(PREFIX)
    token = ApiToken(user_id=user_id, name=name, token_hash=digest(secret))
    token.scopes, token.expires_at = _scopes(owner, bounds.scopes), _end(bounds.expires_in_days)
    session.add(token)
    session.flush()
    return NewToken(token=token, secret=secret)


def find_viewer_by_token(session: Session, secret: str) -> Viewer | None:
    """Return None if the token is unknown, revoked or expired, or its user is suspended."""
    if not is_well_formed(secret, PREFIX):
        return None
    found = session.execute(_TOKEN_AND_USER, {"token_hash": digest(secret)}).one_or_none()
    if found is None:
        return None
    user, token, is_stale, may_write_exam = found
    if is_stale:
        _note_use(session, token.id)
    permissions = permissions_of(user.role, token.scopes)
    return Viewer(user=user, permissions=permissions, credential_id=token.id, has_sitting=may_write_exam)


class RecentTokens:
    """The viewers of tokens that were valid in the last RECENT_SECONDS, known without the database.

    Only for refusals: the token may have been revoked since. The database takes 1 to 4 ms to find it.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._viewers: dict[bytes, tuple[float, Viewer]] = {}
        self._swept_at = time.monotonic()

    def note(self, secret: str, viewer: Viewer) -> None:
        """Note that the token is valid now."""
        now = time.monotonic()
        with self._lock:
            if now - self._swept_at >= RECENT_SECONDS:
                self._viewers = {key: each for key, each in self._viewers.items() if _is_recent(each[0])}
                self._swept_at = now
            self._viewers[digest(secret)] = now, viewer

    def find(self, secret: str) -> Viewer | None:
        noted_at, viewer = self._viewers.get(digest(secret), (-math.inf, None))
        return viewer if _is_recent(noted_at) else None


def _is_recent(noted_at: float) -> bool:
    return time.monotonic() - noted_at < RECENT_SECONDS


def is_of_suspended(session: Session, secret: str) -> bool:
    """Whether the token would be valid if its user were not suspended."""
    if not is_well_formed(secret, PREFIX):
        return False
    resting = select(ApiToken.id).join(User, User.id == ApiToken.user_id)
    resting = resting.where(ApiToken.token_hash == digest(secret), _works(), ~User.is_active)
    return session.scalar(resting) is not None


def list_tokens(session: Session, user_id: UUID) -> list[ApiToken]:
    """Return the valid tokens, newest first."""
    working = ApiToken.user_id == user_id, _works()
    return list(session.scalars(select(ApiToken).where(*working).order_by(ApiToken.created_at.desc(), ApiToken.id)))


def get_token(session: Session, user_id: UUID, token_id: UUID) -> ApiToken:
    """Return a valid token. Raises NotFound, also for another user's token."""
    token = session.scalar(select(ApiToken).where(ApiToken.id == token_id, ApiToken.user_id == user_id, _works()))
    if token is None:
        raise _unknown(token_id)
    return token


def revoke_token(session: Session, user_id: UUID, token_id: UUID) -> bool:
    """Revoke a token. Return False if it was revoked before. Raises NotFound, also for another user's token."""
    own = ApiToken.id == token_id, ApiToken.user_id == user_id
    if _revoke(session, *own):
        return True
    if session.scalar(select(ApiToken.id).where(*own)) is None:
        raise _unknown(token_id)
    return False


def revoke_tokens(session: Session, user_id: UUID) -> int:
    """Revoke all of a user's tokens. Return how many there were."""
    return _revoke(session, ApiToken.user_id == user_id)


def check_name(name: str) -> None:
    """Raises Invalid."""
    if len(name) > MAX_NAME or not is_storable(name):
        raise Invalid("name", f"A token's name has at most {MAX_NAME} characters, without NUL. Choose another one.")


def check_days(days: int) -> None:
    """Raises Invalid."""
    if not 1 <= days <= MAX_DAYS:
        raise Invalid(
            "expires_in_days",
            f"A token is valid for 1 to {MAX_DAYS} days, not {days}. Leave it out for a token that never expires.",
        )


def _unknown(token_id: UUID) -> NotFound:
    return NotFound(f"You have no token {token_id}. GET /api/v1/tokens lists your tokens.")


def _scopes(owner: User, scopes: Iterable[str] | None) -> list[str] | None:
    if scopes is None:
        return None
    wanted, own = read_scopes(scopes), permissions_of(owner.role)
    beyond = [permission for permission in wanted if permission not in own]
    if beyond:
        who = f"{owner.username} is {a_role(owner.role)}"
        raise Invalid("scopes", f"{who} and lacks the permission {beyond[0]}. Choose among the role's permissions.")
    return list(map(str, wanted))


def _end(days: int | None) -> datetime | None:
    return None if days is None else datetime.now(UTC) + timedelta(days=days)


def _works() -> ColumnElement[bool]:
    is_in_time = or_(ApiToken.expires_at.is_(None), ApiToken.expires_at > func.now())
    return and_(ApiToken.revoked_at.is_(None), is_in_time)


def _revoke(session: Session, *which: ColumnElement[bool]) -> int:
    revoked = update(ApiToken).where(*which, ApiToken.revoked_at.is_(None)).values(revoked_at=func.now())
    return len(session.scalars(revoked.returning(ApiToken.id)).all())


def _is_stale() -> ColumnElement[bool]:
    # To the minute: a write per request would make a user's parallel requests wait for each other.
    return or_(ApiToken.last_used_at.is_(None), ApiToken.last_used_at < func.now() - text("interval '1 minute'"))


def _note_use(session: Session, token_id: UUID) -> None:
    # Without waiting for a transaction that holds the row: lookups share a thread.
    free = select(ApiToken.id).where(ApiToken.id == token_id, _is_stale()).with_for_update(skip_locked=True)
    session.execute(
        update(ApiToken).where(ApiToken.id.in_(free)).values(last_used_at=func.now()),
        execution_options={"synchronize_session": False},
    )


# Built once, because each request and each read of an event stream runs it: building takes longer than running.
_TOKEN_AND_USER = (
    select(User, ApiToken, _is_stale(), has_sitting())
    .join(ApiToken, ApiToken.user_id == User.id)
    .where(ApiToken.token_hash == bindparam("token_hash"), _works(), User.is_active)
)
