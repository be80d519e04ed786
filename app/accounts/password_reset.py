"""New passwords by a signed link. It is made for a user and the password of that moment, so it works once, for an hour.

Nothing is stored: the link holds the user's id, the time, and a fingerprint of the old password's hash and of the
e-mail address. A change of either ends it.
"""

import hashlib
from datetime import timedelta
from uuid import UUID

from itsdangerous import BadSignature, URLSafeTimedSerializer
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.password import check_password, hash_password
from app.accounts.session import end_sessions
from app.accounts.token import revoke_tokens
from app.audit.record import Act, Actor, record
from app.errors import Refused
from app.policy.key import get_key

LIFETIME = timedelta(hours=1)
_PURPOSE = "password reset"


class ResetLinkSpent(Refused):
    """Used, too old, or none of ours; which of them is not said."""

    def __init__(self) -> None:
        super().__init__("this link is not valid: each works once, and for an hour; ask for another")


def make_reset_link(session: Session, user: User, base_url: str) -> str:
    """For its owner only: whoever has it can choose the password."""
    token = _signer(session).dumps([user.id.hex, fingerprint(user)])
    return f"{base_url}/reset-password/{token}"


def get_user_by_reset(session: Session, token: str) -> User:
    """Whose password the link is for; their row is locked, so that of two who use it at once, one can.

    Raises ResetLinkSpent.
    """
    try:
        key, made_for = _signer(session).loads(token.encode(errors="replace"), max_age=int(LIFETIME.total_seconds()))
    except BadSignature:
        raise ResetLinkSpent from None
    user = session.get(User, UUID(key), with_for_update=True, populate_existing=True)
    if user is None or not user.is_active or made_for != fingerprint(user):
        raise ResetLinkSpent
    return user


def reset_password(session: Session, actor: Actor, token: str, password: str) -> User:
    """Ends all sessions and tokens: tokens are got with the password, so who knew the old one may have some.

    Raises ResetLinkSpent and Invalid.
    """
    user = get_user_by_reset(session, token)
    check_password(password)
    user.password_hash = hash_password(password)
    end_sessions(session, user.id)
    revoke_tokens(session, user.id)
    actor = Actor(user_id=user.id, channel=actor.channel, address=actor.address)
    record(session, actor, Act(action="user.password_reset", target=user.id))
    return user


def _signer(session: Session) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(get_key(session, _PURPOSE), salt=_PURPOSE)


def fingerprint(user: User) -> str:
    """Of what a link is made for: as long as it is the same, so are the links that work."""
    return hashlib.sha256(f"{user.password_hash}\n{user.email}".encode(errors="replace")).hexdigest()[:32]
