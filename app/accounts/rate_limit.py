"""Rate limits, counted in memory per key over a moving window; and the network that an address belongs to."""

import math
import time
from collections import deque
from dataclasses import dataclass, field
from datetime import timedelta
from ipaddress import IPv6Address, ip_address
from threading import Lock

from app.errors import LimitReached

# A subscriber has at least a /64. Counting single IPv6 addresses would allow a new one for each guess.
SUBSCRIBER_BITS = 64
# A trusted proxy names the address, which may be any text. An IPv6 address has at most 45 characters.
MAX_ADDRESS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimitStatus:
    """How much of a rate limit is left: `remaining` of `limit` uses. The oldest use leaves the window at `reset_at`.

    `reset_at` is in seconds since 1970.
    """

    limit: int
    remaining: int
    reset_at: float


class TooOften(LimitReached):
    """Too many uses in a short time."""


class RateLimitReached(TooOften):
    """Too many uses in a time window."""

    def __init__(self, message: str, status: RateLimitStatus) -> None:
        seconds = max(1, math.ceil(status.reset_at - time.time()))
        super().__init__(f"{message} Try again in {seconds} s.", timedelta(seconds=seconds))
        self.status = status


class Throttle:
    """Allows `amount` uses of a key per `window`. `what` names them in the message ("requests").

    The event loop calls it for every request, so it neither waits nor starts threads. Keys without recent uses are
    forgotten; the memory storage of the library `limits` 5.8 keeps them, and starts a thread for many of its uses.
    """

    def __init__(self, amount: int, window: timedelta, what: str) -> None:
        self._amount, self._window, self._what = amount, window, what
        self._seconds = window.total_seconds()
        self._lock = Lock()
        # The times of each key's uses in the window, oldest first.
        self._uses: dict[tuple[str, ...], deque[float]] = {}
        self._swept_at = time.monotonic()

    def use(self, *key: str) -> None:
        """Count one use. Raises RateLimitReached."""
        if not self._take(key):
            raise self._too_often(*key)

    def count(self, *key: str) -> None:
        """Count one use, if it is not too many."""
        self._take(key)

    def check(self, *key: str) -> None:
        """Raises RateLimitReached if another use would be too many. Counts nothing."""
        if self.read(*key).remaining < 1:
            raise self._too_often(*key)

    def forgive(self, *key: str) -> None:
        """Forget the key's uses."""
        with self._lock:
            self._uses.pop(key, None)

    def read(self, *key: str) -> RateLimitStatus:
        """Return how much is left for the key. Counts nothing."""
        with self._lock:
            now = time.monotonic()
            uses = self._recent(key, now)
            left = uses[0] + self._seconds - now if uses else self._seconds
            return RateLimitStatus(limit=self._amount, remaining=self._amount - len(uses), reset_at=time.time() + left)

    def _take(self, key: tuple[str, ...]) -> bool:
        with self._lock:
            now = time.monotonic()
            self._sweep(now)
            uses = self._recent(key, now)
            if len(uses) >= self._amount:
                return False
            uses.append(now)
            self._uses[key] = uses
            return True

    def _recent(self, key: tuple[str, ...], now: float) -> deque[float]:
        """Return the key's uses without those that have left the window."""
        uses = self._uses.get(key, deque())
        while uses and uses[0] <= now - self._seconds:
            uses.popleft()
        return uses

    def _sweep(self, now: float) -> None:
        """Forget the keys without a use in the window, once per window."""
        if now - self._swept_at >= self._seconds:
            self._uses = {key: uses for key, uses in self._uses.items() if uses and uses[-1] > now - self._seconds}
            self._swept_at = now

    def _too_often(self, *key: str) -> RateLimitReached:
        return RateLimitReached(f"More than {self._amount} {self._what} in {_spoken(self._window)}.", self.read(*key))


class SlowDown:
    """Allows `amount` counted uses of a key per `window`, and then one per `pause`."""

    def __init__(self, amount: int, window: timedelta, pause: timedelta, what: str) -> None:
        self._counted = Throttle(amount, window, what)
        self._paced = Throttle(1, pause, what)
        self._message = f"More than {amount} {what} in {_spoken(window)}, so each further one waits."

    def count(self, *key: str) -> None:
        self._counted.count(*key)

    def forgive(self, *key: str) -> None:
        """Forget the key's counted uses."""
        self._counted.forgive(*key)

    def check(self, *key: str) -> None:
        """Raises TooOften if the next use has to wait. Counts nothing below the limit, and the pause above it."""
        try:
            self._counted.check(*key)
        except TooOften:
            self._pause(*key)

    def _pause(self, *key: str) -> None:
        try:
            self._paced.use(*key)
        except RateLimitReached as fault:
            raise RateLimitReached(self._message, fault.status) from None


def _spoken(window: timedelta) -> str:
    minutes = int(window.total_seconds() // 60)
    return {1: "1 minute", 60: "1 hour"}.get(minutes, f"{minutes} minutes")


@dataclass(frozen=True, slots=True)
class AccountThrottles:
    """Limits for account endpoints, counted in each web process. They leave room for a classroom behind one address.

    `names` counts sign-ins per user name and network or known browser since the last success, `guesses` failed ones
    per network, `sign_ins` successful ones per user name. `reauthentications` counts wrong passwords per signed-in
    user. `letters` counts mails with reset links per account and current password, `account_letters` per account.
    `exports` counts personal data exports per user: each is a file until the client has read it.
    """

    names: SlowDown = field(default_factory=lambda: _slow(10, 10, "sign-ins with this user name"))
    guesses: SlowDown = field(default_factory=lambda: _slow(100, 1, "failed sign-ins from your network"))
    sign_ins: Throttle = field(default_factory=lambda: _per(30, 5, "sign-ins of this user"))
    reauthentications: Throttle = field(default_factory=lambda: _per(10, 5, "wrong passwords for this account"))
    sign_ups: Throttle = field(default_factory=lambda: _per(300, 60, "sign-ups from your network"))
    reset_addresses: Throttle = field(default_factory=lambda: _per(30, 60, "requests for a new password"))
    letters: Throttle = field(default_factory=lambda: _per(2, 30, "mails with a link for this password"))
    account_letters: Throttle = field(default_factory=lambda: _per(6, 60, "mails for this account"))
    exports: Throttle = field(default_factory=lambda: _per(10, 60, "exports of your data"))


def _slow(amount: int, pause_seconds: int, what: str) -> SlowDown:
    return SlowDown(amount, timedelta(minutes=5), timedelta(seconds=pause_seconds), what)


def _per(amount: int, minutes: int, what: str) -> Throttle:
    return Throttle(amount, timedelta(minutes=minutes), what)


def address_of(host: str | None) -> str:
    """Return the client's address as Allclose stores, shows and counts it."""
    return "unknown" if host is None else host[:MAX_ADDRESS]


def network_of(address: str) -> str:
    """Return an IPv4 address as it is, and an IPv6 address's /64. Any other text is returned unchanged."""
    try:
        known = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(known, IPv6Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    beyond = 128 - SUBSCRIBER_BITS
    return f"{IPv6Address(int(known) >> beyond << beyond)}/{SUBSCRIBER_BITS}"
