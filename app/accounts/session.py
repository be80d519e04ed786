"""Browsers that are signed in. The cookie holds the secret; the row holds its hash."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from app.accounts.model import User, UserSession
from app.accounts.secret import digest, new_secret
from app.accounts.viewer import Viewer, signed_in

LIFETIME = timedelta(days=30)


def start_session(session: Session, user_id: UUID) -> str:
    """The secret for the cookie; valid for LIFETIME. The user's expired sessions are forgotten."""
    session.execute(
        delete(UserSession).where(UserSession.user_id == user_id, UserSession.expires_at < func.now()),
        execution_options={"synchronize_session": False},
    )
    secret = new_secret()
    session.add(UserSession(user_id=user_id, token_hash=digest(secret), expires_at=datetime.now(UTC) + LIFETIME))
    session.flush()
    return secret


def find_viewer_by_session(session: Session, secret: str) -> Viewer | None:
    """None when the cookie is unknown or expired, or its user was suspended."""
    user = session.scalar(
        select(User)
        .join(UserSession, UserSession.user_id == User.id)
        .where(UserSession.token_hash == digest(secret), UserSession.expires_at > func.now(), User.is_active)
    )
    return signed_in(user) if user else None


def end_session(session: Session, secret: str) -> None:
    """Forgets the session; an unknown secret is no error, since signing out twice is harmless."""
    session.execute(
        delete(UserSession).where(UserSession.token_hash == digest(secret)),
        execution_options={"synchronize_session": False},
    )
