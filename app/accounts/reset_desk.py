"""Where people ask for a new password. Whatever they type gets the same answer, in the same time.

So all that depends on whether there is such an account happens later, in the outbox's thread. Who asks is limited by
their address; an account gets so many letters and no more, and whoever asks is told nothing of it. So nobody keeps
anybody from asking: where no letter is sent, one of the last half hour holds a link that works for as long again.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.network import network_of
from app.accounts.password_reset import fingerprint, make_reset_link
from app.accounts.throttle import AccountThrottles, Throttle, TooOften
from app.database import Database, is_storable
from app.mail.outbox import Outbox
from app.mail.server import Message

# Several people may share an address.
MAX_ACCOUNTS = 5
# So nobody is crowded out by accounts that others make with their address.
OLDEST = (User.created_at, User.id)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetDesk:
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
