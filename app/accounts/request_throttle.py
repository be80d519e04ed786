"""How many requests one user or address may make in a minute: as the policy of the moment says."""

import threading
from datetime import timedelta
from uuid import UUID

from app.accounts.network import network_of
from app.accounts.throttle import Throttle
from app.policy.current import CurrentPolicy

WINDOW = timedelta(minutes=1)


class RequestThrottle:
    """With a new number everybody starts anew."""

    def __init__(self, policy: CurrentPolicy) -> None:
        self._policy = policy
        self._lock = threading.Lock()
        self._amount = 0
        self._throttle: Throttle | None = None

    def use_user(self, user_id: UUID) -> None:
        """Counts one request. Raises TooOften."""
        self._now().use("user", str(user_id))

    def use_address(self, address: str) -> None:
        """Counts one request of its network. Raises TooOften."""
        self._now().use("address", network_of(address))

    def _now(self) -> Throttle:
        amount = self._policy.read().requests_per_minute
        with self._lock:
            if self._throttle is None or amount != self._amount:
                self._amount, self._throttle = amount, Throttle(amount, WINDOW, "requests")
            return self._throttle
