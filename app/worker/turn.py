"""Of those who want the same thing computed at once, one computes it and the others wait."""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from threading import Event, Lock

from sandbox.interface import Aborted

LISTEN_SECONDS = 0.2


class Turns:
    def __init__(self) -> None:
        self._locks: dict[Hashable, Lock] = {}

    @contextmanager
    def of(self, key: Hashable, abort: Event) -> Iterator[None]:
        """Raises Aborted when `abort` is set while it waits."""
        turn = self._locks.setdefault(key, Lock())
        while not turn.acquire(timeout=LISTEN_SECONDS):
            if abort.is_set():
                raise Aborted
        try:
            yield
        finally:
            turn.release()
