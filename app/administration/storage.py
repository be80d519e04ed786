"""What takes space: the database's tables, and the folder of data where this process may read it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

# Files of one folder that are looked at; a cache has thousands.
MOST_FILES = 100_000

_TABLES = text(
    """
    SELECT relname, pg_total_relation_size(oid) AS bytes, nullif(reltuples, -1)::bigint AS rows
    FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
    ORDER BY bytes DESC, relname
    """
)


class View(BaseModel):
    model_config = ConfigDict(frozen=True)


class TableSize(View):
    name: str
    bytes: int = Field(description="with its indexes, and what is kept beside it")
    rows: int | None = Field(description="as the database estimates it; null where it has not looked yet")


class FolderSize(View):
    name: str
    bytes: int | None = Field(description="null where this process may not read it, or stopped counting")


class Storage(View):
    database_bytes: int
    tables: tuple[TableSize, ...] = Field(description="the largest first")
    folders: tuple[FolderSize, ...] = Field(description="of the server's folder of data")
    disk_free_bytes: int
    disk_total_bytes: int


def read_storage(session: Session, data: Path) -> Storage:
    disk = shutil.disk_usage(_nearest(data))
    return Storage(
        database_bytes=session.scalars(select(func.pg_database_size(func.current_database()))).one(),
        tables=tuple(TableSize(name=name, bytes=size, rows=rows) for name, size, rows in session.execute(_TABLES)),
        folders=tuple(_list_folders(data)),
        disk_free_bytes=disk.free,
        disk_total_bytes=disk.total,
    )


def _nearest(folder: Path) -> Path:
    """It, or the folder that it would be made in: with a database elsewhere, nobody may have made it."""
    return next(place for place in (folder.absolute(), *folder.absolute().parents) if place.exists())


def _list_folders(data: Path) -> Iterator[FolderSize]:
    try:
        inside = sorted(entry.name for entry in os.scandir(data) if entry.is_dir(follow_symlinks=False))
    except OSError:
        return
    for name in inside:
        yield FolderSize(name=name, bytes=_measure(data / name))


def _measure(folder: Path) -> int | None:
    total = seen = 0
    try:
        for place, _folders, files in os.walk(folder, onerror=_give_up):
            for file in files:
                total += _size(Path(place) / file)
            seen += len(files)
            if seen > MOST_FILES:
                return None
    except OSError:
        return None
    return total


def _size(file: Path) -> int:
    """Nothing of a file that is gone by now: caches and databases remove theirs at any time."""
    try:
        return file.lstat().st_blocks * 512
    except FileNotFoundError:
        return 0


def _give_up(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error
