"""How often something may be done: counted in memory, per key, over a moving window.

Where a request came from, and whose network that is: where requests and guesses are counted.
"""

import math
import time
from dataclasses import dataclass, field
from datetime import timedelta
from ipaddress import IPv6Address, ip_address

from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from app.errors import LimitReached


class TooOften(LimitReached):
    def __init__(self, message: str, retry_after: timedelta) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Throttle:
    """`amount` uses of a key per `window`; `what` names them in the message ("requests")."""

    def __init__(self, amount: int, window: timedelta, what: str) -> None:
        self._item = RateLimitItemPerSecond(amount, int(window.total_seconds()))
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._what = what

    def use(self, *key: str) -> None:
        """Counts one use. Raises TooOften, with the time until the next is allowed."""
        if not self._limiter.hit(self._item, *key):
            raise self._too_often(*key)

    def check(self, *key: str) -> None:
        """Counts nothing. Raises TooOften where another use would be too many."""
        if not self._limiter.test(self._item, *key):
            raise self._too_often(*key)

    def forgive(self, *key: str) -> None:
        """Forgets the key's uses."""
        self._limiter.clear(self._item, *key)

    def _too_often(self, *key: str) -> TooOften:
        reset_at = self._limiter.get_window_stats(self._item, *key).reset_time
        seconds = max(1, math.ceil(reset_at - time.time()))
        window = timedelta(seconds=self._item.get_expiry())
        message = f"more than {self._item.amount} {self._what} in {_spoken(window)}; try again in {seconds} s"
        return TooOften(message, timedelta(seconds=seconds))


def _spoken(window: timedelta) -> str:
    minutes = int(window.total_seconds() // 60)
    return {1: "a minute", 60: "an hour"}.get(minutes, f"{minutes} minutes")


@dataclass(frozen=True, slots=True)
class AccountThrottles:
    """What strangers may try, counted in each web process. The numbers leave room for a classroom behind one address.

    `guesses` are failures to sign in from an address with whatever names; `names` counts per address and name,
    `proofs` per user where their password is asked once more; `letters` with links for a new password per account and
    its password of the moment, `account_letters` per account.
    """

    names: Throttle = field(default_factory=lambda: _per(10, 5, "attempts to sign in with this user name"))
    guesses: Throttle = field(default_factory=lambda: _per(100, 5, "failures to sign in from your network"))
    reauthentications: Throttle = field(default_factory=lambda: _per(10, 5, "wrong passwords for this account"))
    sign_ups: Throttle = field(default_factory=lambda: _per(300, 60, "attempts to sign up from your network"))
    reset_addresses: Throttle = field(default_factory=lambda: _per(30, 60, "requests for a new password"))
    letters: Throttle = field(default_factory=lambda: _per(2, 30, "letters with a link for this password"))
    account_letters: Throttle = field(default_factory=lambda: _per(6, 60, "letters for this account"))


def _per(amount: int, minutes: int, what: str) -> Throttle:
    return Throttle(amount, timedelta(minutes=minutes), what)


# What one subscriber has at least; of a single IPv6 address they could take another for each guess.
SUBSCRIBER_BITS = 64
# An address is what a trusted proxy says that it is, which may be any text; one of IPv6 has 45 characters at most.
MAX_ADDRESS = 64


def address_of(host: str | None) -> str:
    """As it is kept, shown and counted."""
    return "unknown" if host is None else host[:MAX_ADDRESS]


def network_of(address: str) -> str:
    """An IPv4 address, or the network around an IPv6 address. What is neither counts as it is."""
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
