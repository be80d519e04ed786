"""The folder `backups` of the data folder: what this deployment has written itself, and nobody else may write into.

A dump is SQL, which runs as the database's role. So what is restored from here must be ours: a plain file of the user
that Allclose runs as, which nobody else may read or write, in a folder of the same kind.
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
# What stays free for the database itself.
SPARE_BYTES = 200_000_000


class BackupNotFound(NotFound):
    def __init__(self, name: str) -> None:
        super().__init__(f"there is no backup {name[:80]!r}; the list of backups has all of them")


class Foreign(Conflict):
    """The file, or its folder, may have been written by somebody else."""


class BackupStore:
    def __init__(self, data: Path) -> None:
        self.folder = data.absolute() / "backups"

    def open(self) -> None:
        """Makes the folder. Raises Foreign."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._check_folder()

    def list_paths(self) -> list[Path]:
        """The newest first."""
        found = sorted(self.folder.iterdir(), reverse=True) if self.folder.is_dir() else ()
        return [path for path in found if self.find_path(path.name)]

    def get_path(self, name: str) -> Path:
        """Raises BackupNotFound, for any text that is no name of a file that is there."""
        path = self.find_path(name)
        if path is None:
            raise BackupNotFound(name)
        return path

    def is_name(self, name: str) -> bool:
        """Whether a backup may be called so."""
        return NAME.fullmatch(name) is not None

    def find_path(self, name: str) -> Path | None:
        """Only names of ours: nothing that leads elsewhere."""
        if not self.is_name(name):
            return None
        path = self.folder / name
        return path if path.is_file() and not path.is_symlink() else None

    def new_path(self) -> Path:
        """Named by the time, to the second. Raises LimitReached for one too many."""
        if len(self.list_paths()) >= MOST:
            raise LimitReached(f"{MOST} backups are kept at most: download the oldest, remove it, then make another")
        moment = datetime.now(UTC)
        while (path := self.folder / f"{moment.strftime(TIME)}.zip").exists():
            moment += timedelta(seconds=1)
        return path

    def check_room(self, database_bytes: int) -> None:
        """A dump is smaller than its database, which has indexes. Raises LimitReached."""
        free = self.free_bytes
        if free < database_bytes + SPARE_BYTES:
            raise LimitReached(
                f"the disk of the data folder has {free / 1e6:,.0f} MB free, and a backup of this database wants "
                f"{(database_bytes + SPARE_BYTES) / 1e6:,.0f} MB: remove older backups, or write one elsewhere with "
                "`allclose admin backup FILE`"
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
                f"{path.name} is no file of Allclose's alone: whoever could write it would run programs here. "
                "If you trust it, stop Allclose and use `allclose admin restore`"
            )

    def measure_partial(self, name: str) -> int:
        """Bytes of what is being written; 0 where nothing is."""
        try:
            return (self.folder / f"{name}{PARTIAL}").stat().st_size
        except FileNotFoundError:
            return 0

    def tidy(self) -> None:
        """What was not written to its end. For who is alone with it."""
        for partial in self.folder.glob(f"*{PARTIAL}"):
            partial.unlink(missing_ok=True)

    def _check_folder(self) -> None:
        found = self.folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or _is_others(found):
            raise Foreign(
                f"the folder {self.folder} is not Allclose's alone; "
                f"see what lies there, then: chmod 700 {self.folder}, and make it belong to the user that runs Allclose"
            )


def _is_others(found: os.stat_result) -> bool:
    return found.st_uid != os.geteuid() or bool(found.st_mode & 0o077)
