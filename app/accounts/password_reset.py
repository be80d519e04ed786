"""New passwords by a signed link. It is made for a user and the password of that moment, so it works once, for an hour.

Nothing is stored: the link holds the user's id, the time, and a fingerprint of the old password's hash and of the
e-mail address. A change of either ends it.

Where people ask for a new password. Whatever they type gets the same answer, in the same time.

So all that depends on whether there is such an account happens later, in the outbox's thread. Who asks is limited by
their address; an account gets so many letters and no more, and whoever asks is told nothing of it. So nobody keeps
anybody from asking: where no letter is sent, one of the last half hour holds a link that works for as long again.
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

from app.accounts.model import User
from app.accounts.password import check_password, hash_password
from app.accounts.rate_limit import AccountThrottles, Throttle, TooOften, network_of
from app.accounts.session import end_sessions
from app.accounts.signing_key import get_key
from app.accounts.token import revoke_tokens
from app.audit import Act, Actor, record
from app.database.engine import Database, is_storable
from app.errors import Refused
from app.mail import Message, Outbox

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


# Several people may share an address.
MAX_ACCOUNTS = 5
# So nobody is crowded out by accounts that others make with their address.
OLDEST = (User.created_at, User.id)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PasswordResets:
    database: Database
    outbox: Outbox
    throttles: AccountThrottles
    base_url: str

    @property
    def sends_mail(self) -> bool:
        return self.outbox.server is not None

    def ask(self, name: str, address: str) -> None:
        """`name`: a user name or an e-mail address; `address`: the asker's, of the network. Raises TooOften."""
        self.throttles.reset_addresses.use(network_of(address))
        self.outbox.later(lambda: self._answer(name))

    def _answer(self, name: str) -> None:
        with self.database.transaction() as session:
            links = [(user, make_reset_link(session, user, self.base_url)) for user in _find_users(session, name)]
        for user, link in links:
            if self._is_due(user):
                self._hand_over(user, link)

    def _hand_over(self, user: User, link: str) -> None:
        """Counts what was sent, and so not what failed."""
        if self.sends_mail and user.email:
            self.outbox.deliver(_letter(user.email, user.username, link))
        else:
            # Whoever reads the log runs the server, and may make such a link for anybody.
            _log.warning("%s asks for a new password; give them this link within an hour: %s", user.username, link)
        for throttle, key in self._counts(user):
            throttle.use(*key)

    def _is_due(self, user: User) -> bool:
        try:
            for throttle, key in self._counts(user):
                throttle.check(*key)
        except TooOften:
            return False
        return True

    def _counts(self, user: User) -> Iterator[tuple[Throttle, tuple[str, ...]]]:
        yield self.throttles.letters, (str(user.id), fingerprint(user))
        yield self.throttles.account_letters, (str(user.id),)


def _find_users(session: Session, name: str) -> list[User]:
    name = name.strip().lower()
    if not is_storable(name):
        return []
    named = or_(User.username == name, func.lower(User.email) == name)
    return list(session.scalars(select(User).where(named, User.is_active).order_by(*OLDEST).limit(MAX_ACCOUNTS)))


def _letter(to: str, username: str, link: str) -> Message:
    text = (
        f"Somebody, probably you, asked for a new password of the account {username} at Allclose.\n\n"
        f"Choose it here, within an hour:\n\n{link}\n\n"
        "It signs the account out everywhere and ends its API tokens.\n"
        "If it was not you, do nothing: the password stays as it is.\n"
    )
    return Message(to=to, subject=f"A new password for {username}", text=text)
