"""A limit of concurrent submissions per web process: a flood of them leaves threads and connections for pages."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import Request

from app.errors import LimitReached

AT_ONCE = 4
MOST_WAITING = 300


class ConcurrencyLimit:
    """Lets AT_ONCE blocks run together. The others wait outside of threads, MOST_WAITING of them."""

    def __init__(self) -> None:
        self._running = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Raises LimitReached at once if too many wait."""
        if self._waiting >= MOST_WAITING:
            raise LimitReached(f"{MOST_WAITING} submissions wait to be received; send yours again in a few seconds")
        self._waiting += 1
        try:
            await self._running.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._running.release()


async def await_submit_turn(request: Request) -> AsyncIterator[None]:
    """Hold a turn until the answer is made; a dependency. Raises LimitReached."""
    limit: ConcurrencyLimit = request.app.state.submit_limit
    async with limit.turn():
        yield
