"""The folder `backups` in the data folder, which has only files that this deployment wrote.

A dump is SQL, which runs with the database role's permissions. So Allclose restores only its own files from here: plain
files of the user that runs Allclose, which no other user may read or write, in a folder of the same kind.
"""

import os
import re
import shutil
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

from app.errors import Conflict, LimitReached, NotFound

MOST = 20
NAME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{6}Z\.zip")
TIME = "%Y-%m-%dT%H%M%SZ"
PARTIAL = ".partial"
# Free space that stays for the database itself.
SPARE_BYTES = 200_000_000


class BackupNotFound(NotFound):
    def __init__(self, name: str) -> None:
        super().__init__(f"There is no backup {name[:80]!r}. See the list of backups.")


class Foreign(Conflict):
    """Another user may have written the file or its folder."""


class BackupStore:
    def __init__(self, data: Path) -> None:
        self.folder = data.absolute() / "backups"

    def open(self) -> None:
        """Make the folder. Raises Foreign."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._check_folder()

    def list_paths(self) -> list[Path]:
        """Return the files of all backups, newest first."""
        found = sorted(self.folder.iterdir(), reverse=True) if self.folder.is_dir() else ()
        return [path for path in found if self.find_path(path.name)]

    def get_path(self, name: str) -> Path:
        """Raises BackupNotFound for every text that is not the name of a backup's file."""
        path = self.find_path(name)
        if path is None:
            raise BackupNotFound(name)
        return path

    def is_name(self, name: str) -> bool:
        """Whether a backup may have this name."""
        return NAME.fullmatch(name) is not None

    def find_path(self, name: str) -> Path | None:
        """Find the file. A name or link that leads to another folder is not found."""
        if not self.is_name(name):
            return None
        path = self.folder / name
        return path if path.is_file() and not path.is_symlink() else None

    def new_path(self) -> Path:
        """Return the path of a new backup, named by the time in seconds. Raises LimitReached at MOST backups."""
        if len(self.list_paths()) >= MOST:
            raise LimitReached(
                f"There are {MOST} backups, which is the limit. Download the oldest and remove it first."
            )
        moment = datetime.now(UTC)
        while (path := self.folder / f"{moment.strftime(TIME)}.zip").exists():
            moment += timedelta(seconds=1)
        return path

    def check_room(self, database_bytes: int) -> None:
        """Raises LimitReached if the disk may be too full. A dump is smaller than its database, which has indexes."""
        free = self.free_bytes
        if free < database_bytes + SPARE_BYTES:
            raise LimitReached(
                f"The data folder's disk has {free / 1e6:,.0f} MB free; a backup needs "
                f"{(database_bytes + SPARE_BYTES) / 1e6:,.0f} MB. Remove older backups, or write one to another disk "
                "with `allclose admin backup FILE`."
            )

    @property
    def free_bytes(self) -> int:
        here = next(place for place in (self.folder, *self.folder.parents) if place.exists())
        return shutil.disk_usage(here).free

    def check_own(self, path: Path) -> None:
        """Raises Foreign."""
        self._check_folder()
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode) or _is_others(found):
            raise Foreign(
                f"Other users can write {path.name}, and could run programs here with it. "
                "If you trust the file, stop Allclose and use `allclose admin restore`."
            )

    def measure_partial(self, name: str) -> int:
        """Return the bytes of a backup that is being written; 0 if none is."""
        try:
            return (self.folder / f"{name}{PARTIAL}").stat().st_size
        except FileNotFoundError:
            return 0

    def tidy(self) -> None:
        """Remove partial files. The caller holds the lock."""
        for partial in self.folder.glob(f"*{PARTIAL}"):
            partial.unlink(missing_ok=True)

    def _check_folder(self) -> None:
        found = self.folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or _is_others(found):
            raise Foreign(
                f"Other users can access the folder {self.folder}. "
                f"Check its files, then run chmod 700 {self.folder} and chown it to the user that runs Allclose."
            )


def _is_others(found: os.stat_result) -> bool:
    return found.st_uid != os.geteuid() or bool(found.st_mode & 0o077)
