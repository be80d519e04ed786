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

from app.accounts.model import User, new_secret
from app.accounts.password import hash_password, is_outdated, is_password
from app.accounts.permission import AccountSuspended
from app.accounts.signing_key import get_key
from app.accounts.user import find_user
from app.errors import AllcloseError
from app.limits import Limits, RateLimitReached, SlowDown, network_of

MAX_USERNAME_KEY = 64
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


@asynccontextmanager
async def sign_in_turn(limits: Limits, attempt: SignIn) -> AsyncIterator[None]:
    """Wait, then let the block sign in. Raises LimitReached if too many wait, or after LONGEST_WAIT_SECONDS.

    Sign-ins wait outside of threads, which the pages need. As many passwords are hashed at once as the machine has
    cores: a hash takes a core for about 30 ms, and 19 MiB.
    """
    for slow_down, key in _list_slow_downs(limits, attempt):
        with suppress(RateLimitReached):
            slow_down.check(*key)
            continue
        async with limits.slowed_sign_ins.turn(attempt.browser or attempt.network):
            await _wait(slow_down, key)
    by_network, by_name = limits.network_sign_ins.turn(attempt.network), limits.name_sign_ins.turn(attempt.key)
    async with by_network, by_name, limits.sign_ins.turn():
        yield


def _list_slow_downs(limits: Limits, attempt: SignIn) -> Iterator[tuple[SlowDown, tuple[str, ...]]]:
    yield limits.names, attempt.key
    if not attempt.browser:
        yield limits.guesses, (attempt.network,)


async def _wait(slow_down: SlowDown, key: tuple[str, ...]) -> None:
    end = time.monotonic() + LONGEST_WAIT_SECONDS
    while True:
        try:
            return slow_down.check(*key)
        except RateLimitReached as fault:
            if time.monotonic() > end:
                raise
            await asyncio.sleep(random.uniform(0.1, min(fault.retry_seconds, 2)))


def sign_in(session: Session, limits: Limits, attempt: SignIn) -> User:
    """Return the user. Call it in a `sign_in_turn`.

    Raises SignInFailed, AccountSuspended, and RateLimitReached after many sign-ins with the right password. A success
    resets the count of the user name.
    """
    limits.names.count(*attempt.key)
    limits.successes.check(_plain(attempt.username))
    try:
        user = authenticate(session, attempt.username, attempt.password)
    except SignInFailed:
        limits.guesses.count(attempt.network)
        raise
    limits.names.forgive(*attempt.key)
    limits.successes.use(_plain(attempt.username))
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
