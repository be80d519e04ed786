"""Signing in by password.

argon2 makes each guess expensive. Over a limit, sign-ins wait instead of being refused: otherwise a few wrong passwords
would lock out a classroom behind one address. A browser that has signed in before has a limit of its own, which other
people's guesses do not use up.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta

from itsdangerous import BadData, URLSafeTimedSerializer
from sqlalchemy.orm import Session

from app.accounts.concurrency_limit import ConcurrencyLimit
from app.accounts.model import User
from app.accounts.password import hash_password, is_outdated, is_password
from app.accounts.permission import AccountSuspended
from app.accounts.rate_limit import AccountThrottles, SlowDown, TooOften, network_of
from app.accounts.secret import new_secret
from app.accounts.signing_key import get_key
from app.accounts.user import find_user
from app.capacity import count_cores
from app.errors import AllcloseError

MAX_USERNAME_KEY = 64
# Slowed sign-ins per network or known browser.
MOST_SLOWED = 50
# Sign-ins per network and per user name there. A lecture hall may sign in at once; more for one name would be guesses
# that are counted too late.
MOST_OF_NETWORK = 250
MOST_OF_NAME = 10
LONGEST_WAIT_SECONDS = 20.0
BROWSER_LIFETIME = timedelta(days=180)
_PURPOSE = "known browser"


class SignInFailed(AllcloseError):
    """The user name is unknown or the password is wrong. The text never says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """The typed user name and password, and the client's network address.

    `browser`: the ID from `find_browser`, or empty.
    """

    username: str
    password: str = field(repr=False)
    address: str
    browser: str = ""

    @property
    def network(self) -> str:
        return network_of(self.address)

    @property
    def key(self) -> tuple[str, str]:
        """Identifies the attempts that count together."""
        return self.browser or self.network, _plain(self.username)


class SignInQueue:
    """Sign-ins wait here for their turn, and not in a thread: the pages need the threads.

    As many passwords are hashed at once as the machine has cores. A hash takes a core for about 30 ms, and 19 MiB.
    """

    def __init__(self, throttles: AccountThrottles) -> None:
        self._throttles = throttles
        self._slowed = ConcurrencyLimit("slowed sign-ins from your network", MOST_SLOWED, MOST_SLOWED)
        self._of_network = ConcurrencyLimit("sign-ins from your network", MOST_OF_NETWORK, MOST_OF_NETWORK)
        self._of_name = ConcurrencyLimit("sign-ins with this user name", MOST_OF_NAME, MOST_OF_NAME)
        self._hashing = ConcurrencyLimit("sign-ins", count_cores())

    @asynccontextmanager
    async def turn(self, attempt: SignIn) -> AsyncIterator[None]:
        """Wait, then let the block sign in. Raises LimitReached if too many wait, or after LONGEST_WAIT_SECONDS."""
        for slow_down, key in self._limits(attempt):
            with suppress(TooOften):
                slow_down.check(*key)
                continue
            async with self._slowed.turn(attempt.browser or attempt.network):
                await _wait(slow_down, key)
        async with self._of_network.turn(attempt.network), self._of_name.turn(attempt.key), self._hashing.turn():
            yield

    def _limits(self, attempt: SignIn) -> Iterator[tuple[SlowDown, tuple[str, ...]]]:
        yield self._throttles.names, attempt.key
        if not attempt.browser:
            yield self._throttles.guesses, (attempt.network,)


async def _wait(slow_down: SlowDown, key: tuple[str, ...]) -> None:
    end = time.monotonic() + LONGEST_WAIT_SECONDS
    while True:
        try:
            return slow_down.check(*key)
        except TooOften as fault:
            if time.monotonic() > end:
                raise
            await asyncio.sleep(random.uniform(0.1, min(fault.retry_seconds, 2)))


def sign_in(session: Session, throttles: AccountThrottles, attempt: SignIn) -> User:
    """Return the user. Call it in a turn of the SignInQueue.

    Raises SignInFailed, AccountSuspended, and TooOften after many sign-ins with the right password. A success resets
    the count of the user name.
    """
    throttles.names.count(*attempt.key)
    throttles.sign_ins.check(_plain(attempt.username))
    try:
        user = authenticate(session, attempt.username, attempt.password)
    except SignInFailed:
        throttles.guesses.count(attempt.network)
        raise
    throttles.names.forgive(*attempt.key)
    throttles.sign_ins.use(_plain(attempt.username))
    return user


def authenticate(session: Session, username: str, password: str) -> User:
    """Return the user with this password.

    Raises SignInFailed, equally fast for unknown, known and suspended users, and AccountSuspended after the right
    password only.
    """
    user = find_user(session, username)
    if not is_password(password, user.password_hash if user else None) or user is None:
        raise SignInFailed("The user name or the password is wrong. Check both and try again.")
    if not user.is_active:
        raise AccountSuspended
    if is_outdated(user.password_hash):
        user.password_hash = hash_password(password)
    return user


def name_browser_of(session: Session, username: str) -> str:
    """Return a signed cookie by which `find_browser` recognises a browser in which this user has signed in."""
    return _signer(session).dumps([_plain(username), new_secret()])


def find_browser(session: Session, cookie: str, username: str) -> str:
    """Return the browser's ID, or an empty text if this user has not signed in there."""
    try:
        known, browser = _signer(session).loads(cookie, max_age=int(BROWSER_LIFETIME.total_seconds()))
    except BadData:
        return ""
    return str(browser) if known == _plain(username) else ""


def _signer(session: Session) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(get_key(session, _PURPOSE), salt=_PURPOSE)


def _plain(username: str) -> str:
    return username.strip().lower()[:MAX_USERNAME_KEY]
