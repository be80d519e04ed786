"""How many answers one user may keep open at a time: event streams, and requests that wait for a verdict.

Each looks into the database every few seconds for as long as it likes. Without an end to their number, one student with
a thousand of them keeps everybody else from being answered.
"""

import math
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from app.errors import LimitReached

# As many as submissions that one user may usually have waiting.
SEATS = 20


class StreamLimit:
    """One for each web process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: Counter[UUID] = Counter()

    @contextmanager
    def seat(self, user_id: UUID, wait: float = math.inf) -> Iterator[None]:
        """Held for as long as the block; whoever waits no second needs none. Raises LimitReached."""
        if wait <= 0:
            yield
            return
        self._take(user_id)
        try:
            yield
        finally:
            with self._lock:
                self._taken -= Counter([user_id])

    def _take(self, user_id: UUID) -> None:
        with self._lock:
            if self._taken[user_id] >= SEATS:
                raise LimitReached(
                    f"you have {SEATS} event streams or waiting requests open; close one, or ask without waiting"
                )
            self._taken[user_id] += 1
