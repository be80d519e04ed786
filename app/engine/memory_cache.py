"""A cache in memory with a limit in bytes."""

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

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
