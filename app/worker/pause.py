"""Claiming nothing for a while, when no box is to be had: an engine is being restarted, or a GPU has failed."""

import logging
import threading
import time

LONGEST_SECONDS = 30.0

_log = logging.getLogger(__name__)


class Pause:
    """Each is twice as long as the one before, until a judging has ended. Says when it begins, and when all is well."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._times = 0
        self._until = 0.0

    @property
    def seconds_left(self) -> float:
        return max(0.0, self._until - time.monotonic())

    def begin(self, reason: Exception) -> None:
        """Those who ran at once fail at once, and make one pause."""
        with self._lock:
            if self.seconds_left:
                return
            self._until = time.monotonic() + min(2.0**self._times, LONGEST_SECONDS)
            self._times += 1
            is_first = self._times == 1
        if is_first:
            _log.error("no box is to be had, so judgings go back to the queue and none are claimed for now: %s", reason)

    def end(self) -> None:
        with self._lock:
            was_away, self._times, self._until = self._times > 0, 0, 0.0
        if was_away:
            _log.warning("boxes are to be had again")
