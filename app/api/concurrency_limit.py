"""Limits of concurrent requests per web process: a flood of submissions, sign-ups, or one user's changes leaves threads
and connections for pages.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID
from weakref import WeakValueDictionary

from fastapi import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from app.errors import LimitReached

AT_ONCE = 4
MOST_WAITING = 300
# A user's requests that change something.
CHANGES_AT_ONCE = 4


class ConcurrencyLimit:
    """Lets `at_once` blocks run together. The others wait outside of threads, MOST_WAITING of them.

    `what` names them in the message ("submissions").
    """

    def __init__(self, what: str, at_once: int = AT_ONCE) -> None:
        self._what = what
        self._running = asyncio.Semaphore(at_once)
        self._waiting = 0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Raises LimitReached at once if too many wait."""
        if self._waiting >= MOST_WAITING:
            raise LimitReached(f"{MOST_WAITING} {self._what} wait to be received; send yours again in a few seconds")
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


async def await_sign_up_turn(request: Request) -> AsyncIterator[None]:
    """As `await_submit_turn`, before the new password is checked and hashed."""
    limit: ConcurrencyLimit = request.app.state.sign_up_limit
    async with limit.turn():
        yield


class ChangesInTurn:
    """Pure ASGI, after `RateLimit`, which finds the viewer: only CHANGES_AT_ONCE of a user's changes run together.

    A user's changes wait for a lock on the user. The others would hold threads and connections meanwhile.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._turns: WeakValueDictionary[UUID, asyncio.Semaphore] = WeakValueDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        viewer = getattr(Request(scope).state, "viewer", None) if scope["type"] == "http" else None
        if viewer is None or scope["method"] in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        async with self._turns.setdefault(viewer.id, asyncio.Semaphore(CHANGES_AT_ONCE)):
            await self._app(scope, receive, send)
