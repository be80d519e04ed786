"""How long one verification may take: it holds the worker's only slot for them, and others wait."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

# The largest of our own problems takes minutes, on a busy machine too.
LONGEST_SECONDS = 30 * 60.0
POLL_SECONDS = 0.1


@contextmanager
def aborted_after(seconds: float, abort: threading.Event) -> Iterator[threading.Event]:
    """An event that is set when `abort` is, when the time is over, and at the end of the block."""
    over = threading.Event()
    watcher = threading.Thread(target=_watch, args=(over, time.monotonic() + seconds, abort), name="deadline")
    watcher.start()
    try:
        yield over
    finally:
        over.set()
        watcher.join()


def _watch(over: threading.Event, until: float, abort: threading.Event) -> None:
    while not over.wait(POLL_SECONDS):
        if abort.is_set() or time.monotonic() >= until:
            over.set()
