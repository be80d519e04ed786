"""A cache in memory with a limit in bytes."""

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from threading import Condition, Event
from typing import Generic, TypeVar

from sandbox.interface import Aborted

K = TypeVar("K")
V = TypeVar("V")


class MemoryCache(Generic[K, V]):
    """Keeps the values that were used last, of at most `most_bytes` together. Several threads may use it."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._bytes = 0
        self._changing = threading.Lock()

    def find(self, key: K) -> V | None:
        with self._changing:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def keep(self, key: K, value: V, size_bytes: int) -> None:
        """Keep the value, unless there already is one."""
        with self._changing:
            if key in self._kept:
                return
            self._kept[key] = (value, size_bytes)
            self._bytes += size_bytes
            while self._bytes > self._most_bytes:
                self._bytes -= self._kept.popitem(last=False)[1][1]


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
