"""A thread of the web process that sees now and then whether it is time to remove what is old."""

import logging
import threading

from app.database import Database
from app.retention.run import run_if_due

# Not at once: a start has better things to do.
FIRST_AFTER_SECONDS = 120.0
LOOK_EVERY_SECONDS = 300.0

_log = logging.getLogger(__name__)


class Caretaker:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._look, name="retention", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """A run that goes on ends with the process, and begins anew at the next start."""
        self._stopping.set()

    def _look(self) -> None:
        pause = FIRST_AFTER_SECONDS
        while not self._stopping.wait(pause):
            pause = LOOK_EVERY_SECONDS
            try:
                run_if_due(self._database)
            except Exception:
                _log.exception("what is old was not removed; the next try is in %d s", LOOK_EVERY_SECONDS)
