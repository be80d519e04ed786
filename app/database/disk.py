"""Why Allclose can't write a file, a folder or the database, and what to do about it."""

import errno
import math
import os
import pwd
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.exc import DBAPIError, OperationalError

from app.errors import AllcloseError

MIB = 2**20
# A new database takes 60 MiB, and more as it fills.
NEW_DATABASE_BYTES = 128 * MIB
# PostgreSQL adds to its log in files of 16 MiB, and does not start without room for one.
LEAST_BYTES = 16 * MIB

FULL = {errno.ENOSPC, errno.EDQUOT}
FORBIDDEN = {errno.EACCES, errno.EPERM}
NOT_A_FOLDER = {errno.ENOTDIR, errno.EEXIST}
# PostgreSQL's code. It reports it only to statements that write.
DISK_FULL = "53100"
FRESH_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Unwritable:
    """A clause each for the reason and the remedy. Without a remedy, another place must be chosen."""

    reason: str
    remedy: str = ""

    def because(self, otherwise: str = "") -> str:
        """Return the end of a sentence. `otherwise` is another way out."""
        ways = ", or ".join(filter(None, (self.remedy, otherwise)))
        return f"because {self.reason}: {ways}." if ways else f"because {self.reason}."


READ_ONLY = Unwritable("its file system is read-only", "mount it for writing")


def why_unwritable(path: Path, error: OSError) -> Unwritable | None:
    """Return the reason of an error, or None if it is about something else than writing this file."""
    place = find_existing(path)
    if error.errno in FULL:
        return why_full(path)
    if error.errno == errno.EROFS:
        return READ_ONLY
    if error.errno in FORBIDDEN:
        return Unwritable(f"{_user()} may not write {place}", "make that user its owner" if place == path else "")
    if error.errno in NOT_A_FOLDER:
        return Unwritable(f"{place} is not a folder")
    return None


def why_full(path: Path, needed: int = 0) -> Unwritable:
    need = f", {needed // MIB} MiB are needed" if needed else ""
    return Unwritable(f"its disk is full ({free_bytes(path) // MIB} MiB are free{need})", "remove files from that disk")


def free_bytes(path: Path) -> int:
    """Return what users without special rights may still write; 0 if the disk can't take another file."""
    status = os.statvfs(find_existing(path))
    return 0 if status.f_files and not status.f_favail else status.f_bavail * status.f_frsize


def find_existing(path: Path) -> Path:
    """Return the path, or the nearest one above it that exists."""
    return next(each for each in (path, *path.parents) if os.path.exists(each))  # noqa: PTH110 (never raises)


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


def _user() -> str:
    with suppress(KeyError):
        return f"the user {pwd.getpwuid(os.geteuid()).pw_name}"
    return f"the user with UID {os.geteuid()}"
