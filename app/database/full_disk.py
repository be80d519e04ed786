"""Whether the database's disk is full, and what to do about it."""

import math
import time
from pathlib import Path

from sqlalchemy.exc import DBAPIError, OperationalError

from app.disk import FULL, LEAST_BYTES, MIB, free_bytes
from app.errors import AllcloseError

# PostgreSQL's code. It reports it only to statements that write.
DISK_FULL = "53100"
FRESH_SECONDS = 60.0


class DiskFull(AllcloseError):
    """Nothing can be saved until an admin frees space."""

    def __init__(self) -> None:
        super().__init__("The server's disk is full, so nothing can be saved. Keep your text, and tell an admin.")


class FullDisk:
    """`folder`: the data folder with the embedded database; None if the database has a disk of its own."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._said_at = -math.inf

    def replace(self, error: Exception) -> Exception:
        """Return DiskFull if that is the error's cause, and the error itself otherwise."""
        if isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", None) == DISK_FULL:
            self._said_at = time.monotonic()
            return DiskFull()
        # A PostgreSQL that can't write its log ends.
        is_likely = isinstance(error, OperationalError) or (isinstance(error, OSError) and error.errno in FULL)
        return DiskFull() if is_likely and self.explain() else error

    def explain(self) -> str:
        """Return the reason and the remedy for an admin; empty while there is room."""
        if self._folder is None:
            is_full = time.monotonic() - self._said_at < FRESH_SECONDS
            return "full: remove files from the database's disk" if is_full else ""
        free = free_bytes(self._folder)
        remedy = f"remove files from the disk of {self._folder}"
        return f"full, {free // MIB} MiB are free: {remedy}" if free < LEAST_BYTES else ""
