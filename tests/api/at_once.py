"""How many calls of a function run at once."""

import threading
import time
from collections.abc import Callable
from typing import Any


class AtOnce:
    """Calls the function after a pause in which others may begin; `most` is how many ran together."""

    def __init__(self, function: Callable[..., Any], pause_seconds: float) -> None:
        self._function, self._pause_seconds, self._lock = function, pause_seconds, threading.Lock()
        self._running = self.most = 0

    def __call__(self, *given: Any) -> Any:
        with self._lock:
            self._running += 1
            self.most = max(self.most, self._running)
        time.sleep(self._pause_seconds)
        with self._lock:
            self._running -= 1
        return self._function(*given)
