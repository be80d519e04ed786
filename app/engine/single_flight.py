"""Single flight: concurrent callers of the same key share one computation. One computes, and the others wait."""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from threading import Condition, Event

from sandbox.interface import Aborted

LISTEN_SECONDS = 0.2


class SingleFlight:
    def __init__(self) -> None:
        self._changed = Condition()
        self._running: set[Hashable] = set()

    @contextmanager
    def of(self, key: Hashable, abort: Event) -> Iterator[None]:
        """Waits until no other caller computes this key. Raises Aborted when `abort` is set while it waits."""
        with self._changed:
            while key in self._running:
                if abort.is_set():
                    raise Aborted
                self._changed.wait(LISTEN_SECONDS)
            self._running.add(key)
        try:
            yield
        finally:
            with self._changed:
                self._running.discard(key)
                self._changed.notify_all()
