"""Long polls: a GET with `wait` answers when its resource is done, or after `wait` seconds."""

import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from starlette.concurrency import run_in_threadpool

MAX_WAIT_SECONDS = 60

T = TypeVar("T")


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
