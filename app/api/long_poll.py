"""Long polls: a GET with `wait` answers when its resource is done, or after `wait` seconds."""

import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar
from uuid import UUID

from starlette.concurrency import run_in_threadpool

from app.limits import Limits

MAX_WAIT_SECONDS = 60

T = TypeVar("T")


def hold_stream(limits: Limits, user_id: UUID, wait: float) -> AbstractContextManager[None]:
    """Hold one of the user's streams during the block, if the request waits. Raises LimitReached."""
    return limits.streams.place(user_id) if wait > 0 else nullcontext()


async def long_poll(
    read: Callable[[], T], is_done: Callable[[T], bool], wait: float, changed: Callable[[float], Awaitable[object]]
) -> T:
    """Return what `read` returns last. It runs in a thread, and again after each `changed(seconds left)`."""
    deadline = time.monotonic() + wait
    view = await run_in_threadpool(read)
    while not is_done(view) and (left := deadline - time.monotonic()) > 0:
        await changed(left)
        view = await run_in_threadpool(read)
    return view
