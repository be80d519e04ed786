"""The limit of open answers per user: event streams, and requests that wait for a verdict.

Each open answer queries the database every few seconds. Without a limit, one user with a thousand of them would block
all other users.
"""

import math
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from app.errors import LimitReached

# The default of `max_pending`: one for each unfinished submission.
SEATS = 20


class StreamLimit:
    """Each web process has one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: Counter[UUID] = Counter()

    @contextmanager
    def seat(self, user_id: UUID, wait: float = math.inf) -> Iterator[None]:
        """Hold a seat during the block. A request that does not wait needs none. Raises LimitReached."""
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
                    f"You have {SEATS} event streams or waiting requests open. Close one, or send wait=0."
                )
            self._taken[user_id] += 1
