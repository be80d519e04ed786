"""Password resets by a signed link, which works once and for one hour.

Nothing is stored: the link contains the user's ID, the time, and a fingerprint of the password's hash and the e-mail
address. A change of either ends the link. Every request for a link gets the same answer in the same time, known account
or not: the outbox's thread does the rest later. Requests are limited per network, and letters per account, which the
answer does not reveal. If the limit is reached, the last link stays valid for another 30 minutes.
"""

import hashlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from itsdangerous import BadSignature, URLSafeTimedSerializer
from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from app.accounts.mail import Message, Outbox
from app.accounts.model import User
from app.accounts.password import check_password, hash_password
from app.accounts.session import end_sessions
from app.accounts.signing_key import get_key
from app.accounts.token import revoke_tokens
from app.audit import Act, Actor, record
from app.database.engine import Database, is_storable
from app.errors import Refused
from app.limits import Limits, RateLimit, RateLimitReached, network_of

LIFETIME = timedelta(hours=1)
_PURPOSE = "password reset"
# The most accounts that one e-mail address gets links for.
MAX_ACCOUNTS = 5
# The oldest accounts first: later accounts with the same e-mail address can't take the place of the first one.
OLDEST = (User.created_at, User.id)
_log = logging.getLogger(__name__)


class ResetLinkSpent(Refused):
    """The link was used, is too old, or is not from this server. The text does not say which."""

    def __init__(self) -> None:
        super().__init__("This link is not valid: each link works once and for 1 hour. Ask for another one.")


def make_reset_link(session: Session, user: User, base_url: str) -> str:
    """Return a link with which anyone can choose the account's password. Give it to the user only."""
    token = _signer(session).dumps([user.id.hex, fingerprint(user)])
    return f"{base_url}/reset-password/{token}"


def get_user_by_reset(session: Session, token: str) -> User:
    """Return the link's user, with a locked row, so that only one of two concurrent requests uses the link.

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
    """Set the password and end all sessions and tokens: a person who knew the old password may have made some.

    Raises ResetLinkSpent and Invalid.
    """
    user = get_user_by_reset(session, token)
    check_password(password, [user.username])
    user.password_hash = hash_password(password)
    end_sessions(session, user.id)
    revoke_tokens(session, user.id)
    actor = Actor(user_id=user.id, channel=actor.channel, address=actor.address)
    record(session, actor, Act(action="user.password_reset", target=user.id))
    return user


def _signer(session: Session) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(get_key(session, _PURPOSE), salt=_PURPOSE)


def fingerprint(user: User) -> str:
    """Return the part of a link that changes with the password or the e-mail address, and so ends the link."""
    return hashlib.sha256(f"{user.password_hash}\n{user.email}".encode(errors="replace")).hexdigest()[:32]


@dataclass(frozen=True, slots=True, kw_only=True)
class PasswordResets:
    database: Database
    outbox: Outbox
    limits: Limits
    base_url: str

    @property
    def sends_mail(self) -> bool:
        return self.outbox.server is not None

    def ask(self, name: str, address: str) -> None:
        """Send a link to the user with this user name or e-mail. `address` is the client's. Raises RateLimitReached."""
        self.limits.reset_requests.use(network_of(address))
        self.outbox.later(lambda: self._answer(name))

    def _answer(self, name: str) -> None:
        with self.database.transaction() as session:
            links = [(user, make_reset_link(session, user, self.base_url)) for user in _find_users(session, name)]
        for user, link in links:
            if self._is_due(user):
                self._hand_over(user, link)

    def _hand_over(self, user: User, link: str) -> None:
        """Send the link, then count it: a failed letter does not count."""
        if self.sends_mail and user.email:
            self.outbox.deliver(_letter(user.email, user.username, link))
        else:
            # An admin of the server reads the log, and may make such a link for any user.
            _log.warning("%s asks for a new password. Give them this link within 1 hour: %s", user.username, link)
        for limit, key in self._counts(user):
            limit.use(*key)

    def _is_due(self, user: User) -> bool:
        try:
            for limit, key in self._counts(user):
                limit.check(*key)
        except RateLimitReached:
            return False
        return True

    def _counts(self, user: User) -> Iterator[tuple[RateLimit, tuple[str, ...]]]:
        yield self.limits.letters, (str(user.id), fingerprint(user))
        yield self.limits.account_letters, (str(user.id),)


def _find_users(session: Session, name: str) -> list[User]:
    name = name.strip().lower()
    if not is_storable(name):
        return []
    named = or_(User.username == name, func.lower(User.email) == name)
    return list(session.scalars(select(User).where(named, User.is_active).order_by(*OLDEST).limit(MAX_ACCOUNTS)))


def _letter(to: str, username: str, link: str) -> Message:
    text = (
        f"You, or another person, asked for a new password for the account {username} at Allclose.\n\n"
        f"Choose it here, within 1 hour:\n\n{link}\n\n"
        "This signs the account out in all browsers and ends its API tokens.\n"
        "If you did not ask for it, ignore this mail: the password does not change.\n"
    )
    return Message(to=to, subject=f"A new password for {username}", text=text)
