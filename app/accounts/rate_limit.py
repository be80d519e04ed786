"""Rate limits, counted in memory per key over a moving window; and the network that an address belongs to."""

import math
import time
from dataclasses import dataclass, field
from datetime import timedelta
from ipaddress import IPv6Address, ip_address

from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from app.errors import LimitReached

# A subscriber has at least a /64. Counting single IPv6 addresses would allow a new one for each guess.
SUBSCRIBER_BITS = 64
# A trusted proxy names the address, which may be any text. An IPv6 address has at most 45 characters.
MAX_ADDRESS = 64


class TooOften(LimitReached):
    """Too many uses in a time window."""


class Throttle:
    """Allows `amount` uses of a key per `window`. `what` names them in the message ("requests")."""

    def __init__(self, amount: int, window: timedelta, what: str) -> None:
        self._item = RateLimitItemPerSecond(amount, int(window.total_seconds()))
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._what = what

    def use(self, *key: str) -> None:
        """Count one use. Raises TooOften, with the time until the next use is allowed."""
        if not self._limiter.hit(self._item, *key):
            raise self._too_often(*key)

    def check(self, *key: str) -> None:
        """Raises TooOften if another use would be too many. Counts nothing."""
        if not self._limiter.test(self._item, *key):
            raise self._too_often(*key)

    def forgive(self, *key: str) -> None:
        """Forget the key's uses."""
        self._limiter.clear(self._item, *key)

    def _too_often(self, *key: str) -> TooOften:
        reset_at = self._limiter.get_window_stats(self._item, *key).reset_time
        seconds = max(1, math.ceil(reset_at - time.time()))
        window = timedelta(seconds=self._item.get_expiry())
        message = f"More than {self._item.amount} {self._what} in {_spoken(window)}. Try again in {seconds} s."
        return TooOften(message, timedelta(seconds=seconds))


def _spoken(window: timedelta) -> str:
    minutes = int(window.total_seconds() // 60)
    return {1: "1 minute", 60: "1 hour"}.get(minutes, f"{minutes} minutes")


@dataclass(frozen=True, slots=True)
class AccountThrottles:
    """Limits for account endpoints, counted in each web process. They leave room for a classroom behind one address.

    `guesses` counts failed sign-ins per network, `names` sign-ins per network and user name, `reauthentications` wrong
    passwords per signed-in user. `letters` counts mails with reset links per account and current password,
    `account_letters` per account.
    """

    names: Throttle = field(default_factory=lambda: _per(10, 5, "sign-ins with this user name"))
    guesses: Throttle = field(default_factory=lambda: _per(100, 5, "failed sign-ins from your network"))
    reauthentications: Throttle = field(default_factory=lambda: _per(10, 5, "wrong passwords for this account"))
    sign_ups: Throttle = field(default_factory=lambda: _per(300, 60, "sign-ups from your network"))
    reset_addresses: Throttle = field(default_factory=lambda: _per(30, 60, "requests for a new password"))
    letters: Throttle = field(default_factory=lambda: _per(2, 30, "mails with a link for this password"))
    account_letters: Throttle = field(default_factory=lambda: _per(6, 60, "mails for this account"))


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
