"""Browsers that are signed in. The cookie holds the secret; the row holds its hash.

Signing in by password, for the page and for the API.

Guessing is slowed by argon2 and limited: attempts per address and user name, and failures per address.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, func, or_, select, text, update
from sqlalchemy.orm import Session

from app.accounts.model import User, UserSession
from app.accounts.password import hash_password, is_outdated, is_password
from app.accounts.permission import AccountSuspended, Viewer, signed_in
from app.accounts.rate_limit import AccountThrottles, network_of
from app.accounts.secret import digest, is_well_formed, new_secret
from app.accounts.user import find_user
from app.errors import AllcloseError

LIFETIME = timedelta(days=30)
# Of one user at a time; the one that was not seen for longest makes room.
MAX_SESSIONS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOrigin:
    """What its owner recognises a session by: the network address and the browser that it was started from."""

    address: str | None = None
    browser: str | None = None


SOMEWHERE = SessionOrigin()


def start_session(session: Session, user_id: UUID, origin: SessionOrigin = SOMEWHERE) -> str:
    """The secret for the cookie; valid for LIFETIME. The user's expired sessions are forgotten."""
    _make_room(session, user_id)
    secret = new_secret()
    expires_at = datetime.now(UTC) + LIFETIME
    row = UserSession(user_id=user_id, token_hash=digest(secret), expires_at=expires_at)
    row.address, row.browser = origin.address, origin.browser
    session.add(row)
    session.flush()
    return secret


def find_viewer_by_session(session: Session, secret: str) -> Viewer | None:
    """None when the cookie is unknown or expired, or its user was suspended."""
    if not is_well_formed(secret):
        return None
    found = session.execute(
        select(User, UserSession.id)
        .join(UserSession, UserSession.user_id == User.id)
        .where(UserSession.token_hash == digest(secret), _works(), User.is_active)
    ).one_or_none()
    if found is None:
        return None
    user, session_id = found
    _note_use(session, session_id)
    return signed_in(user)


def find_session(session: Session, secret: str) -> UserSession | None:
    """The one that this cookie is of."""
    return session.scalar(select(UserSession).where(UserSession.token_hash == digest(secret), _works()))


def list_sessions(session: Session, user_id: UUID) -> Sequence[UserSession]:
    """Those that still work, the one that was seen last first."""
    working = select(UserSession).where(UserSession.user_id == user_id, _works())
    return session.scalars(working.order_by(_last_seen().desc(), UserSession.id)).all()


def end_session(session: Session, secret: str) -> None:
    """Forgets the session; an unknown secret is no error, since signing out twice is harmless."""
    _forget(session, UserSession.token_hash == digest(secret))


def end_session_by_id(session: Session, user_id: UUID, session_id: UUID) -> bool:
    """Whether there was such a session of the user's."""
    return _forget(session, and_(UserSession.id == session_id, UserSession.user_id == user_id)) > 0


def end_sessions(session: Session, user_id: UUID, *, keep: str = "") -> int:
    """All of a user's, but for the one with the secret `keep`. Returns how many there were."""
    return _forget(session, and_(UserSession.user_id == user_id, UserSession.token_hash != digest(keep)))


def _works() -> ColumnElement[bool]:
    return UserSession.expires_at > func.now()


def _last_seen() -> ColumnElement[datetime]:
    return func.coalesce(UserSession.last_seen_at, UserSession.created_at)


def _make_room(session: Session, user_id: UUID) -> None:
    kept = select(UserSession.id).where(UserSession.user_id == user_id, _works())
    kept = kept.order_by(_last_seen().desc(), UserSession.id).limit(MAX_SESSIONS - 1)
    _forget(session, and_(UserSession.user_id == user_id, UserSession.id.not_in(kept)))


def _forget(session: Session, which: ColumnElement[bool]) -> int:
    gone = delete(UserSession).where(which).returning(UserSession.id)
    return len(session.scalars(gone, execution_options={"synchronize_session": False}).all())


def _note_use(session: Session, session_id: UUID) -> None:
    # To the minute: a write per request would make a page's parallel requests wait for each other.
    stale = or_(UserSession.last_seen_at.is_(None), UserSession.last_seen_at < func.now() - text("interval '1 minute'"))
    session.execute(
        update(UserSession).where(UserSession.id == session_id, stale).values(last_seen_at=func.now()),
        execution_options={"synchronize_session": False},
    )


MAX_USERNAME_KEY = 64


class SignInFailed(AllcloseError):
    """Unknown user name or wrong password; never says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """What a person typed, and the network address that it came from."""

    username: str
    password: str = field(repr=False)
    address: str


def sign_in(session: Session, throttles: AccountThrottles, attempt: SignIn) -> User:
    """Raises SignInFailed, AccountSuspended, or TooOften after many failures. A success forgives its name."""
    network = network_of(attempt.address)
    key = network, attempt.username.strip().lower()[:MAX_USERNAME_KEY]
    throttles.guesses.check(network)
    throttles.names.use(*key)
    try:
        user = authenticate(session, attempt.username, attempt.password)
    except SignInFailed:
        throttles.guesses.use(network)
        raise
    throttles.names.forgive(*key)
    return user


def authenticate(session: Session, username: str, password: str) -> User:
    """Raises SignInFailed, which takes as long for unknown names as for known ones, also suspended ones; and
    AccountSuspended, after the right password only."""
    user = find_user(session, username)
    if not is_password(password, user.password_hash if user else None) or user is None:
        raise SignInFailed("the user name or the password is wrong; check both and try again")
    if not user.is_active:
        raise AccountSuspended
    if is_outdated(user.password_hash):
        user.password_hash = hash_password(password)
    return user
