"""The rate limit of requests per user or network and minute, as the current policy says."""

import threading
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from app.accounts.rate_limit import RateLimitStatus, Throttle, network_of
from app.policy import CurrentPolicy

WINDOW = timedelta(minutes=1)
# All visitors of one network, such as a classroom, may together open this multiple of one user's limit.
CROWD = 5


@dataclass(frozen=True, slots=True)
class _Counts:
    amount: int
    requests: Throttle
    pages: Throttle


class RequestThrottle:
    """A new limit in the policy resets all counts."""

    def __init__(self, policy: CurrentPolicy) -> None:
        self._policy = policy
        self._lock = threading.Lock()
        self._counts: _Counts | None = None

    def use_user(self, user_id: UUID) -> RateLimitStatus:
        """Count one request of a user. Raises TooOften."""
        return _use(self._now().requests, "user", str(user_id))

    def use_address(self, address: str) -> RateLimitStatus:
        """Count one request of the address's network. Raises TooOften."""
        return _use(self._now().requests, "address", network_of(address))

    def use_reader(self, address: str) -> RateLimitStatus:
        """Count one page that a visitor opens without signing in, per network. Raises TooOften."""
        return _use(self._now().pages, "address", network_of(address))

    def _now(self) -> _Counts:
        amount = self._policy.read().requests_per_minute
        with self._lock:
            if self._counts is None or amount != self._counts.amount:
                self._counts = _start(amount)
            return self._counts


def _use(throttle: Throttle, *key: str) -> RateLimitStatus:
    throttle.use(*key)
    return throttle.read(*key)


def _start(amount: int) -> _Counts:
    pages = "pages opened from your network without signing in"
    return _Counts(amount, Throttle(amount, WINDOW, "requests"), Throttle(CROWD * amount, WINDOW, pages))
