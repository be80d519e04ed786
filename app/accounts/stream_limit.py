"""The limit of open answers per user: event streams, and requests that wait for a verdict.

Each open answer queries the database every few seconds. Without a limit, one user with a thousand of them would block
all other users.
"""

import math
import threading
from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from app.errors import LimitReached

# The default of `max_pending`: one for each unfinished submission.
SEATS = 20


class StreamLimit:
    """Each web process has one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: Counter[Hashable] = Counter()

    @contextmanager
    def seat(self, user: Hashable, wait: float = math.inf) -> Iterator[None]:
        """Hold a seat of `user` during the block: a user's ID, or a visitor's network. Raises LimitReached.

        A request that does not wait needs none.
        """
        if wait <= 0:
            yield
            return
        self._take(user)
        try:
            yield
        finally:
            with self._lock:
                self._taken -= Counter([user])

    def _take(self, user: Hashable) -> None:
        with self._lock:
            if self._taken[user] >= SEATS:
                raise LimitReached(
                    f"You have {SEATS} event streams or waiting requests open. Close one, or send wait=0."
                )
            self._taken[user] += 1
