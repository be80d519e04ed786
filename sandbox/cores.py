"""Which cores each box computes on: those that the fewest other boxes of this process have."""

import os
import threading
from collections import Counter


class Cores:
    def __init__(self) -> None:
        self._boxes: Counter[int] = Counter()
        self._lock = threading.Lock()

    def take(self, count: int) -> tuple[int, ...]:
        """At most as many as there are."""
        with self._lock:
            taken = sorted(os.sched_getaffinity(0), key=lambda core: (self._boxes[core], core))[:count]
            self._boxes.update(taken)
        return tuple(sorted(taken))

    def give_back(self, cores: tuple[int, ...]) -> None:
        with self._lock:
            self._boxes.subtract(cores)
