"""What is being done with backups: one thing at a time, in a thread, whichever process of this machine does it.

Whoever does it holds a lock on a file, and writes into another how far it is. The lock ends with its process, so a work
that says that it runs while nobody holds the lock was killed.
"""

import fcntl
import logging
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from app.errors import AllcloseError, Conflict

Kind = Literal["backup", "restore"]
State = Literal["running", "done", "failed"]
Tell = Callable[[str], None]

# Whoever only looks holds the lock for a moment.
LOCK_SECONDS = 1.0
KILLED = "the process that did it ended before it was through, and nothing was changed; do it again"
UNFORESEEN = "it failed for a reason that nobody foresaw, which is in the server's log; nothing was changed"

_log = logging.getLogger(__name__)


class WorkRuns(Conflict):
    """Something is done with backups now."""

    def __init__(self) -> None:
        super().__init__("a backup is being written or restored; wait for its end, then ask again")


class Work(BaseModel):
    """`name`: of the backup. `step`: what it is about; `notice`: why it failed."""

    model_config = ConfigDict(frozen=True)

    kind: Kind
    name: str
    state: State = "running"
    step: str = ""
    notice: str | None = None
    started_at: datetime
    finished_at: datetime | None = None


class TaskRunner:
    """`folder` is there, and private."""

    def __init__(self, folder: Path) -> None:
        self._lock = folder / "lock"
        self._told = folder / "work.json"

    def read(self) -> Work | None:
        """The last one, or the one that runs."""
        work = self._read()
        if work is None or work.state != "running" or self._is_held():
            return work
        # It may have ended between the two looks.
        latest = self._read()
        if latest is None or latest.state != "running":
            return latest
        return latest.model_copy(update={"state": "failed", "notice": KILLED})

    def hold(self) -> IO[str]:
        """The lock, until it is closed. Raises WorkRuns."""
        lock = self._open_lock()
        deadline = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return lock
            except BlockingIOError:
                if time.monotonic() > deadline:
                    lock.close()
                    raise WorkRuns from None
                time.sleep(0.02)

    def start(self, lock: IO[str], work: Work, do: Callable[[Tell], object]) -> None:
        """In a thread, which closes the lock. `do` is called with what takes the words for each step."""
        self._write(work)
        threading.Thread(target=self._run, args=(lock, work, do), name=f"{work.kind} {work.name}", daemon=True).start()

    def _run(self, lock: IO[str], work: Work, do: Callable[[Tell], object]) -> None:
        with lock:
            try:
                do(lambda step: self._write(work.model_copy(update={"step": step})))
            except AllcloseError as error:
                _log.warning("%s %s failed: %s", work.kind, work.name, error)
                self._end(work, "failed", str(error))
            except Exception:
                _log.exception("%s %s failed", work.kind, work.name)
                self._end(work, "failed", UNFORESEEN)
            else:
                self._end(work, "done")

    def _end(self, work: Work, state: State, notice: str | None = None) -> None:
        ended = {"state": state, "notice": notice, "finished_at": datetime.now(UTC)}
        with suppress(OSError):  # of a disk that is full; the lock's end says that it failed
            self._write(work.model_copy(update=ended))

    def _write(self, work: Work) -> None:
        fresh = self._told.with_suffix(".new")
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(work.model_dump_json())
        fresh.replace(self._told)

    def _read(self) -> Work | None:
        try:
            return Work.model_validate_json(self._told.read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def _is_held(self) -> bool:
        with self._open_lock() as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            return False

    def _open_lock(self) -> IO[str]:
        return os.fdopen(os.open(self._lock, os.O_RDWR | os.O_CREAT, 0o600), "r+")
