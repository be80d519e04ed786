"""API tokens: `alc_` and 256 random bits, shown once, revocable."""

from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, or_, select, text, update
from sqlalchemy.orm import Session

from app.accounts.model import ApiToken, User
from app.accounts.right import rights_of
from app.accounts.secret import digest, new_secret
from app.accounts.viewer import Viewer
from app.database import is_storable
from app.errors import Invalid, NotFound

PREFIX = "alc_"
MAX_NAME = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken:
    """The only place that ever holds `secret`."""

    token: ApiToken
    secret: str = field(repr=False)


def create_token(session: Session, user_id: UUID, name: str) -> NewToken:
    """`name` reminds its owner what the token is for. Raises Invalid."""
    if len(name) > MAX_NAME or not is_storable(name):
        raise Invalid("name", f"a token's name is a text of at most {MAX_NAME} characters without NUL; choose another")
    secret = new_secret(PREFIX)
    token = ApiToken(user_id=user_id, name=name, token_hash=digest(secret))
    session.add(token)
    session.flush()
    return NewToken(token=token, secret=secret)


def find_viewer_by_token(session: Session, secret: str) -> Viewer | None:
    """None when the token is unknown, revoked or expired, or its user was suspended."""
    found = session.execute(
        select(User, ApiToken)
        .join(ApiToken, ApiToken.user_id == User.id)
        .where(ApiToken.token_hash == digest(secret), _works(), User.is_active)
    ).one_or_none()
    if found is None:
        return None
    user, token = found
    _note_use(session, token.id)
    return Viewer(user=user, rights=rights_of(user.role, token.scopes))


def _works() -> ColumnElement[bool]:
    is_in_time = or_(ApiToken.expires_at.is_(None), ApiToken.expires_at > func.now())
    return and_(ApiToken.revoked_at.is_(None), is_in_time)


def list_tokens(session: Session, user_id: UUID) -> list[ApiToken]:
    """Those that still work, newest first."""
    working = ApiToken.user_id == user_id, _works()
    return list(session.scalars(select(ApiToken).where(*working).order_by(ApiToken.created_at.desc(), ApiToken.id)))


def revoke_token(session: Session, user_id: UUID, token_id: UUID) -> None:
    """Raises NotFound for a token that is unknown, another user's or revoked already."""
    own = ApiToken.id == token_id, ApiToken.user_id == user_id, ApiToken.revoked_at.is_(None)
    revoked = session.scalar(update(ApiToken).where(*own).values(revoked_at=func.now()).returning(ApiToken.id))
    if revoked is None:
        raise NotFound(f"you have no token {token_id}; GET /api/v1/tokens lists yours")


def _note_use(session: Session, token_id: UUID) -> None:
    # To the minute: a write per request would make a user's parallel requests wait for each other.
    stale = or_(ApiToken.last_used_at.is_(None), ApiToken.last_used_at < func.now() - text("interval '1 minute'"))
    session.execute(
        update(ApiToken).where(ApiToken.id == token_id, stale).values(last_used_at=func.now()),
        execution_options={"synchronize_session": False},
    )
