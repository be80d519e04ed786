"""Backups and restores as tasks: one at a time on this machine, in a thread of any process.

The running process holds a lock on a file, and writes its progress into another file. The lock ends with the process.
So a task that says that it runs while no process holds the lock was killed.
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

# A process that only reads the state holds the lock for a moment.
LOCK_SECONDS = 1.0
KILLED = "The process ended before the task was complete. Nothing was changed. Start it again."
UNFORESEEN = "The task failed with an unexpected error, which is in the server's log. Nothing was changed."

_log = logging.getLogger(__name__)


class WorkRuns(Conflict):
    """A backup is being written or restored."""

    def __init__(self) -> None:
        super().__init__("A backup is being written or restored. Try again when it has ended.")


class Work(BaseModel):
    """The state of a task. `name` is the backup's, `step` the current step, `notice` why it failed."""

    model_config = ConfigDict(frozen=True)

    kind: Kind
    name: str
    state: State = "running"
    step: str = ""
    notice: str | None = None
    started_at: datetime
    finished_at: datetime | None = None


class TaskRunner:
    """Runs one task at a time. `folder` must exist and be private."""

    def __init__(self, folder: Path) -> None:
        self._lock = folder / "lock"
        self._told = folder / "work.json"

    def read(self) -> Work | None:
        """Return the running task, or the last one."""
        work = self._read()
        if work is None or work.state != "running" or self._is_held():
            return work
        # It may have ended between the two reads.
        latest = self._read()
        if latest is None or latest.state != "running":
            return latest
        return latest.model_copy(update={"state": "failed", "notice": KILLED})

    def hold(self) -> IO[str]:
        """Take the lock, which the caller holds until it closes the file. Raises WorkRuns."""
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
        """Start `do` in a thread, which closes the lock at the end. `do` gets a function to report each step with."""
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
        with suppress(OSError):  # as on a full disk; then the end of the lock shows the failure
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
