"""Changes that users make to their own account. The audit log records each one.

Pages and REST call these functions. `actor` is the account's owner.
"""

from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.password import check_password, hash_password
from app.accounts.reauthentication import Reauthentication, require_reauthentication
from app.accounts.session import end_session_by_id, end_sessions
from app.accounts.sign_in import SignIn, sign_in
from app.accounts.token import UNBOUNDED, Bounds, NewToken, create_token, revoke_token
from app.accounts.user import check_email
from app.audit import Act, Actor, record
from app.errors import Invalid
from app.limits import Limits


def make_own_token(
    session: Session, actor: Actor, reauthentication: Reauthentication, name: str, bounds: Bounds = UNBOUNDED
) -> NewToken:
    """Create a token. It needs reauthentication, since a token outlives the session that made it.

    Raises ReauthenticationFailed, Invalid, and Conflict at the limit of tokens.
    """
    owner = _lock_owner(session, actor)
    require_reauthentication(owner, reauthentication)
    return make_token(session, actor, owner, name, bounds)


def sign_in_for_token(
    session: Session, limits: Limits, attempt: SignIn, name: str, bounds: Bounds = UNBOUNDED
) -> NewToken:
    """Create a token with a password, without a session. Call it in a `sign_in_turn`.

    Raises SignInFailed, RateLimitReached, Invalid, and Conflict at the limit of tokens.
    """
    owner = sign_in(session, limits, attempt)
    return make_token(session, Actor(user_id=owner.id, channel="api", address=attempt.address), owner, name, bounds)


def make_token(session: Session, actor: Actor, owner: User, name: str, bounds: Bounds = UNBOUNDED) -> NewToken:
    """Create a token without a password, for commands. Raises Invalid, and Conflict at the limit of tokens."""
    new = create_token(session, owner.id, name, bounds)
    expires_at = new.token.expires_at
    made = {"name": name, "scopes": new.token.scopes, "expires_at": expires_at.isoformat() if expires_at else None}
    record(session, actor, Act(action="token.created", target=new.token.id, after=made, subject_id=owner.id))
    return new


def give_up_token(session: Session, actor: Actor, owner: User, token_id: UUID) -> None:
    """Revoke a token; a revoked one does not change. Raises NotFound."""
    if revoke_token(session, owner.id, token_id):
        record(session, actor, Act(action="token.revoked", target=token_id, subject_id=owner.id))


def sign_out_session(session: Session, actor: Actor, owner: User, session_id: UUID) -> None:
    """End one of the owner's sessions. A session that does not exist is no error: ended sessions are not kept."""
    if end_session_by_id(session, owner.id, session_id):
        record(session, actor, Act(action="session.ended", target=session_id, subject_id=owner.id))


def sign_out_elsewhere(session: Session, actor: Actor, owner: User, *, keep: str = "") -> int:
    """End all sessions except the one with the secret `keep`. Return how many ended."""
    ended = end_sessions(session, owner.id, keep=keep)
    record(session, actor, Act(action="user.signed_out", target=owner.id, after={"sessions": ended}))
    return ended


def change_password(
    session: Session, actor: Actor, reauthentication: Reauthentication, new: str, *, keep: str = ""
) -> None:
    """Change the password and end all sessions except the one with `keep`.

    Raises ReauthenticationFailed, RateLimitReached and Invalid.
    """
    owner = _lock_owner(session, actor)
    require_reauthentication(owner, reauthentication)
    _check_new(new, owner.username)
    owner.password_hash = hash_password(new)
    ended = end_sessions(session, owner.id, keep=keep)
    record(session, actor, Act(action="user.password_changed", target=owner.id, after={"sessions_ended": ended}))


def change_own_email(session: Session, actor: Actor, reauthentication: Reauthentication, email: str | None) -> None:
    """Change the e-mail address; None removes it. Raises ReauthenticationFailed, RateLimitReached and Invalid."""
    owner = _lock_owner(session, actor)
    if email == owner.email:
        return
    require_reauthentication(owner, reauthentication)
    if email is not None:
        check_email(email)
    owner.email = email
    # Not the address itself: people may be erased, and what is written down may not.
    record(session, actor, Act(action="user.email_changed", target=owner.id, after={"has_email": email is not None}))


def _lock_owner(session: Session, actor: Actor) -> User:
    return session.get_one(User, actor.user_id, with_for_update={"key_share": True}, populate_existing=True)


def _check_new(password: str, username: str) -> None:
    try:
        check_password(password, [username])
    except Invalid as fault:
        raise Invalid("new", str(fault)) from None
