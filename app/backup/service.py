"""Backups while the service runs, as admins use them: making, listing, downloading, removing and restoring."""

from collections.abc import Mapping
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import IO, Literal

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import func, select, text

from app.audit import Act, Actor, record
from app.backup.archive import TELLING, BadBackup, Manifest, back_up, read_manifest, write_sizes
from app.backup.restore import BackupTooNew, check_revision, restore_while_used
from app.backup.store import MOST, BackupNotFound, BackupStore
from app.backup.task import State, TaskRunner, Work
from app.database.engine import Database
from app.errors import Conflict

BackupState = Literal["writing", "ready", "failed", "damaged"]
DAMAGED = "The file is damaged. Remove it and use another backup."


class Restoration(BaseModel):
    """The last restore, if it was of this backup and no backup was made since."""

    model_config = ConfigDict(frozen=True)

    state: State = Field(description="`failed`: nothing was changed; `notice` says why")
    step: str = Field(description="the current step", examples=["filling the new database"])
    started_at: datetime
    finished_at: datetime | None
    notice: str | None


class BackupView(BaseModel):
    """A backup that this deployment has made."""

    model_config = ConfigDict(frozen=True)

    name: str
    state: BackupState = Field(
        description="`failed`: it was not written; `damaged`: the file can't be restored; `notice` says why"
    )
    made_at: datetime
    bytes: int = Field(description="the size of the file, so far while it is written")
    rows: Mapping[str, int] = Field(description="rows by table; empty until it is written")
    dump_sha256: str | None = Field(description="the SHA-256 of its `database.dump`, from its `manifest.json`")
    allclose: str | None = Field(description="the version that wrote it")
    schema_revision: str | None
    is_restorable: bool = Field(description="whether this version of Allclose can restore it")
    notice: str | None = Field(description="why it can't be restored or was not written")
    restoration: Restoration | None

    @property
    def is_under_way(self) -> bool:
        """Whether it is being written or restored."""
        return self.state == "writing" or (self.restoration is not None and self.restoration.state == "running")


class BackupList(BaseModel):
    model_config = ConfigDict(frozen=True)

    items: tuple[BackupView, ...] = Field(description="newest first")
    next: str | None = Field(None, description="the `cursor` of the next page; null on the last page")
    most: int = Field(description="the limit of backups; at the limit, making another is refused")
    free_bytes: int = Field(description="free space on the disk of the backups")


class NotAsked(Conflict):
    """The database has accounts, and the request did not ask to replace them."""


class NotRestorable(Conflict):
    """This version of Allclose can't restore the file."""


class BackupService:
    def __init__(self, database: Database, data: Path) -> None:
        self._database = database
        self._store = BackupStore(data)
        self._runner = TaskRunner(self._store.folder)

    def list_all(self) -> BackupList:
        work = self._read_work()
        views = [self._find_view(path, work) for path in self._store.list_paths()]
        if work is not None and all(view is None or view.name != work.name for view in views):
            views.append(self._view_unwritten(work))
        items = sorted((view for view in views if view is not None), key=attrgetter("name"), reverse=True)
        return BackupList(items=tuple(items), most=MOST, free_bytes=self._store.free_bytes)

    def get(self, name: str) -> BackupView:
        """Raises BackupNotFound."""
        work, path = self._read_work(), self._store.find_path(name)
        view = self._find_view(path, work) if path is not None else None
        if view is None and work is not None and work.name == name:
            view = self._view_unwritten(work)
        if view is None:
            raise BackupNotFound(name)
        return view

    def make(self, actor: Actor) -> BackupView:
        """Begin a backup. Raises WorkRuns, LimitReached and Foreign."""
        self._store.open()
        lock = self._runner.hold()
        try:
            self._store.tidy()
            path = self._store.new_path()
            self._store.check_room(self._measure_database())
            work = Work(kind="backup", name=path.name, started_at=datetime.now(UTC))
            self._runner.start(lock, work, lambda _tell: back_up(self._database, path, actor))
        except BaseException:
            lock.close()
            raise
        return self.get(path.name)

    def download(self, name: str, actor: Actor) -> IO[bytes]:
        """Record the download, then return the open file. Raises BackupNotFound."""
        file = self._store.get_path(name).open("rb")
        with self._database.transaction() as session:
            record(session, actor, Act(action="backup.downloaded", target=name))
        return file

    def remove(self, name: str, actor: Actor) -> None:
        """Remove a backup. A removed one is no error. Raises BackupNotFound for a wrong name, and WorkRuns."""
        if self._store.is_name(name) and self._store.find_path(name) is None:
            return
        path = self._store.get_path(name)
        with self._runner.hold(), self._database.transaction() as session:
            record(session, actor, Act(action="backup.removed", target=name, before={"bytes": path.stat().st_size}))
            path.unlink(missing_ok=True)

    def restore(self, name: str, actor: Actor, *, replace: bool) -> BackupView:
        """Begin a restore. Raises BackupNotFound, NotAsked, NotRestorable, Foreign and WorkRuns."""
        path = self._store.get_path(name)
        manifest = self._check_restorable(path)
        if not replace and (present := self.count_present())["users"]:
            raise NotAsked(
                f"The database has {write_sizes(present)}; the backup of {manifest.made_at:%Y-%m-%d %H:%M} UTC has "
                f"{write_sizes(manifest.rows)}. To replace all data with the backup, send replace: true."
            )
        lock = self._runner.hold()
        try:
            work = Work(kind="restore", name=name, started_at=datetime.now(UTC))
            self._runner.start(lock, work, lambda tell: restore_while_used(self._database, path, actor, tell))
        except BaseException:
            lock.close()
            raise
        return self.get(name)

    def count_present(self) -> dict[str, int]:
        """Count the current rows of the tables that an admin recognises a database by."""
        with self._database.transaction() as session:
            return {table: session.scalar(text(f"SELECT count(*) FROM {table}")) or 0 for table in TELLING}

    def _check_restorable(self, path: Path) -> Manifest:
        self._store.check_own(path)
        try:
            manifest = read_manifest(path)
            check_revision(manifest)
        except BadBackup:
            raise NotRestorable(DAMAGED) from None
        except BackupTooNew as error:
            raise NotRestorable(str(error)) from None
        return manifest

    def _measure_database(self) -> int:
        with self._database.transaction() as session:
            return int(session.scalars(select(func.pg_database_size(func.current_database()))).one())

    def _read_work(self) -> Work | None:
        return self._runner.read() if self._store.folder.is_dir() else None

    def _find_view(self, path: Path, work: Work | None) -> BackupView | None:
        """Return a view of the file; None if it was removed just now."""
        restoration = _restoration(work) if work is not None and work.name == path.name else None
        try:
            status = path.stat()
            manifest = read_manifest(path)
        except FileNotFoundError:
            return None
        except BadBackup:
            at = datetime.fromtimestamp(status.st_mtime, UTC)
            return _unread(path.name, "damaged", made_at=at, size=status.st_size, notice=DAMAGED)
        notice = self._why_not(path)
        return BackupView(
            name=path.name,
            state="ready",
            made_at=manifest.made_at,
            bytes=status.st_size,
            rows=manifest.rows,
            dump_sha256=manifest.dump_sha256,
            allclose=manifest.allclose,
            schema_revision=manifest.schema_revision,
            is_restorable=notice is None,
            notice=notice,
            restoration=restoration,
        )

    def _why_not(self, path: Path) -> str | None:
        try:
            self._check_restorable(path)
        except Conflict as refusal:
            return str(refusal)
        return None

    def _view_unwritten(self, work: Work) -> BackupView | None:
        """Return a view of a backup without a file: being written, or failed. None if it was written and removed."""
        if work.kind != "backup" or work.state == "done":
            return None
        state: BackupState = "writing" if work.state == "running" else "failed"
        size = self._store.measure_partial(work.name)
        return _unread(work.name, state, made_at=work.started_at, size=size, notice=work.notice)


def _unread(name: str, state: BackupState, *, made_at: datetime, size: int, notice: str | None) -> BackupView:
    """Return a view of a backup whose file can't be read: not written yet, failed or damaged."""
    return BackupView(
        name=name,
        state=state,
        made_at=made_at,
        bytes=size,
        rows={},
        dump_sha256=None,
        allclose=None,
        schema_revision=None,
        is_restorable=False,
        notice=notice,
        restoration=None,
    )


def _restoration(work: Work) -> Restoration | None:
    if work.kind != "restore":
        return None
    return Restoration(
        state=work.state,
        step=work.step,
        started_at=work.started_at,
        finished_at=work.finished_at,
        notice=work.notice,
    )
