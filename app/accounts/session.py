"""Sessions of browsers. The cookie has the session's secret, the row only its hash."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, and_, bindparam, delete, func, or_, select, text, update
from sqlalchemy.orm import Session

from app.accounts.model import User, UserSession, digest, has_sitting, is_well_formed, new_secret
from app.accounts.permission import Viewer, launched, signed_in

LIFETIME = timedelta(days=30)
# Per user. At the limit, the session that was seen longest ago ends.
MAX_SESSIONS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOrigin:
    """The network address and the browser of a sign-in, by which the user recognises the session."""

    address: str | None = None
    browser: str | None = None


SOMEWHERE = SessionOrigin()


def start_session(session: Session, user_id: UUID, origin: SessionOrigin = SOMEWHERE) -> str:
    """Start a session, and return the cookie's secret, valid for LIFETIME. Deletes the user's expired sessions."""
    _make_room(session, user_id)
    secret = new_secret()
    expires_at = datetime.now(UTC) + LIFETIME
    row = UserSession(user_id=user_id, token_hash=digest(secret), expires_at=expires_at)
    row.address, row.browser = origin.address, origin.browser
    session.add(row)
    session.flush()
    return secret


def start_course_session(session: Session, user_id: UUID, course_id: UUID, origin: SessionOrigin) -> str:
    """Start a session that is for one course, since a learning platform signed its user in. Return its secret."""
    secret = start_session(session, user_id, origin)
    _add_course(session, secret, course_id)
    return secret


def take_course_session(session: Session, secret: str, user_id: UUID, course_id: UUID) -> bool:
    """Use the browser's session of this user for the course too. Return False if it has none."""
    here = find_session(session, secret)
    if here is None or here.user_id != user_id:
        return False
    if here.course_ids is not None:
        _add_course(session, secret, course_id)
    return True


def _add_course(session: Session, secret: str, course_id: UUID) -> None:
    added = func.array_append(func.array_remove(UserSession.course_ids, course_id), course_id)
    session.execute(update(UserSession).where(UserSession.token_hash == digest(secret)).values(course_ids=added))


def find_viewer_by_session(session: Session, secret: str) -> Viewer | None:
    """Return None if the cookie is unknown or expired, or its user is suspended.

    A learning platform never signs an author or admin in, also one that was a student then.
    """
    if not is_well_formed(secret):
        return None
    found = session.execute(_SESSION_AND_USER, {"token_hash": digest(secret)}).one_or_none()
    if found is None:
        return None
    user, session_id, course_ids, is_stale, may_write_exam = found
    if is_stale:
        _note_use(session, session_id)
    viewer = signed_in(user, session_id, has_sitting=may_write_exam)
    if course_ids is None:
        return viewer
    return launched(viewer, course_ids) if user.role == "student" else None


def find_session(session: Session, secret: str) -> UserSession | None:
    """Return the cookie's session."""
    return session.scalar(select(UserSession).where(UserSession.token_hash == digest(secret), _works()))


def list_sessions(session: Session, user_id: UUID) -> Sequence[UserSession]:
    """Return the valid sessions, the last seen first."""
    working = select(UserSession).where(UserSession.user_id == user_id, _works())
    return session.scalars(working.order_by(_last_seen().desc(), UserSession.id)).all()


def end_session(session: Session, secret: str) -> None:
    """End the session. An unknown secret is no error, since signing out twice is harmless."""
    _forget(session, UserSession.token_hash == digest(secret))


def end_session_by_id(session: Session, user_id: UUID, session_id: UUID) -> bool:
    """End the user's session. Return False if there was none."""
    return _forget(session, and_(UserSession.id == session_id, UserSession.user_id == user_id)) > 0


def end_sessions(session: Session, user_id: UUID, *, keep: str = "") -> int:
    """End all of a user's sessions except the one with the secret `keep`. Return how many ended."""
    return _forget(session, and_(UserSession.user_id == user_id, UserSession.token_hash != digest(keep)))


def end_course_sessions(session: Session, user_ids: Collection[UUID]) -> None:
    """End the sessions that learning platforms began for these users."""
    _forget(session, and_(UserSession.user_id.in_(user_ids), UserSession.course_ids.is_not(None)))


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


def _is_stale() -> ColumnElement[bool]:
    # To the minute: a write per request would make a page's parallel requests wait for each other.
    return or_(UserSession.last_seen_at.is_(None), UserSession.last_seen_at < func.now() - text("interval '1 minute'"))


def _note_use(session: Session, session_id: UUID) -> None:
    session.execute(
        update(UserSession).where(UserSession.id == session_id, _is_stale()).values(last_seen_at=func.now()),
        execution_options={"synchronize_session": False},
    )


# Built once, because each page and each read of an event stream runs it: building takes longer than running.
_SESSION_AND_USER = (
    select(User, UserSession.id, UserSession.course_ids, _is_stale(), has_sitting())
    .join(UserSession, UserSession.user_id == User.id)
    .where(UserSession.token_hash == bindparam("token_hash"), _works(), User.is_active)
)
