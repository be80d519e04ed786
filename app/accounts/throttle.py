"""How often something may be done: counted in memory, per key, over a moving window."""

import math
import time
from datetime import timedelta

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
    return "a minute" if minutes == 1 else f"{minutes} minutes"
