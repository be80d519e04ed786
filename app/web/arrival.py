"""Signing a browser in."""

from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts.session import end_session, start_session
from app.web.cookie import find_secret
from app.web.visit import Visit, read_origin


def arrive(visit: Visit, session: Session, user_id: UUID) -> str:
    """A new secret for the cookie. The session that the browser had ends: somebody else may have put it there."""
    end_session(session, find_secret(visit.request))
    return start_session(session, user_id, read_origin(visit.request))
