"""Circuit breaker: a worker claims nothing for a while after a box could not be opened.

The cause may be an engine that restarts, or a failed GPU.
"""

import logging
import threading
import time

# The longest pause takes 32 s.
MOST_DOUBLINGS = 5
REASON_CHARACTERS = 300

_log = logging.getLogger(__name__)


class CircuitBreaker:
    """Each pause is twice as long as the one before, until a judging succeeds. Logs the first pause and the end.

    `reason`: why no box could be opened at the last try.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._times = 0
        self.reason = ""
        self._until = 0.0

    @property
    def seconds_left(self) -> float:
        return max(0.0, self._until - time.monotonic())

    def begin(self, reason: Exception) -> None:
        """Judgings that fail at the same time cause one pause."""
        with self._lock:
            if self.seconds_left:
                return
            self._until = time.monotonic() + 2.0 ** min(self._times, MOST_DOUBLINGS)
            self._times += 1
            self.reason = str(reason).strip().partition("\n")[0][:REASON_CHARACTERS]
            is_first = self._times == 1
        if is_first:
            _log.error("No box can be opened. Judgings go back to the queue, and claiming pauses: %s", reason)

    def end(self) -> None:
        with self._lock:
            was_away, self._times, self._until, self.reason = self._times > 0, 0, 0.0, ""
        if was_away:
            _log.warning("Boxes can be opened again")
