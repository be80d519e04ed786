"""Where requests wait for their turn before they take a thread and a connection."""

from collections.abc import AsyncIterator

from fastapi import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from app.accounts.concurrency_limit import ConcurrencyLimit
from app.api.request_state import get_queue_waits

# A user's requests that change something.
CHANGES_AT_ONCE = 4


async def await_submit_turn(request: Request) -> AsyncIterator[None]:
    """Hold a turn until the answer is made; a dependency. Raises LimitReached.

    A user's submissions run one after the other: the second one would only wait for a lock on the user. While a queue
    is long, workers have enough to do, so all submissions run one after the other and leave time for pages.
    """
    viewer, state = getattr(request.state, "viewer", None), request.app.state
    waiting: ConcurrencyLimit = state.waiting_submit_limit
    own: ConcurrencyLimit = state.own_submit_limit
    async with waiting.turn(), own.turn(viewer.id if viewer else None):
        is_busy = get_queue_waits(request).has_long_queue
        limit: ConcurrencyLimit = state.busy_submit_limit if is_busy else state.submit_limit
        async with limit.turn():
            yield


async def await_visitor_turn(request: Request) -> AsyncIterator[None]:
    """As `await_submit_turn`, for runs without an account. They take no turn of a student."""
    limit: ConcurrencyLimit = request.app.state.visitor_run_limit
    async with limit.turn():
        yield


def check_submit_turn(request: Request) -> None:
    """Raises LimitReached if too many submissions wait for their turn."""
    waiting: ConcurrencyLimit = request.app.state.waiting_submit_limit
    waiting.check()


async def await_sign_up_turn(request: Request) -> AsyncIterator[None]:
    """As `await_submit_turn`, before the new password is checked and hashed. A class hashes on all cores."""
    limit: ConcurrencyLimit = request.app.state.sign_up_limit
    async with limit.turn():
        yield


class ChangesInTurn:
    """Pure ASGI, after `RateLimit`, which finds the viewer: only CHANGES_AT_ONCE of a user's changes run together.

    A user's changes wait for a lock on the user. The others would hold threads and connections meanwhile.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._limit = ConcurrencyLimit("changes", CHANGES_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        viewer = getattr(Request(scope).state, "viewer", None) if scope["type"] == "http" else None
        if viewer is None or scope["method"] in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        async with self._limit.turn(viewer.id):
            await self._app(scope, receive, send)
