"""A limit of concurrent requests: a flood of submissions or sign-ins leaves threads and cores for pages."""

import asyncio
import math
from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from app.errors import LimitReached


class ConcurrencyLimit:
    """Lets `at_once` blocks of each key run together; the others wait outside of threads. A key has `most` blocks.

    `what` names them in the message ("submissions"). Each web process counts its own.
    """

    def __init__(self, what: str, at_once: int, most: float = math.inf) -> None:
        self._what, self._at_once, self._most = what, at_once, most
        self._blocks: Counter[Hashable] = Counter()
        self._turns: WeakValueDictionary[Hashable, asyncio.Semaphore] = WeakValueDictionary()

    def check(self, key: Hashable = None) -> None:
        """Raises LimitReached if another block of the key would be too many. Takes no turn."""
        if self._blocks[key] >= self._most:
            raise LimitReached(f"Too many {self._what} at the same time; the limit is {self._most}. Try again in 5 s.")

    @asynccontextmanager
    async def turn(self, key: Hashable = None) -> AsyncIterator[None]:
        """Wait, then run the block. Raises LimitReached at once if the key has too many."""
        self.check(key)
        self._blocks[key] += 1
        try:
            async with self._turns.setdefault(key, asyncio.Semaphore(self._at_once)):
                yield
        finally:
            self._blocks -= Counter([key])
