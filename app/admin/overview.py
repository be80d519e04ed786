"""The overview of the last 24 hours, and the storage used by the database's tables and on the disk."""

import shutil
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, func, select, text
from sqlalchemy.orm import Session

from app.accounts.model import Invitation, User
from app.admin.queue import QueueView, count_queues
from app.admin.worker import list_workers
from app.audit import find_last
from app.database.disk import LEAST_BYTES
from app.judging.verdicts import Verdict
from app.queue.model import Job
from app.rejudging.model import Rejudging
from app.submissions.cause import IS_ERROR
from app.submissions.model import Judging, Submission
from app.validation import FrozenModel

DAY = timedelta(days=1)
# A backup that is older needs attention.
OLD_BACKUP = timedelta(days=7)
# A disk with less than this share free needs attention.
LOW_DISK = 0.05
_TABLES = text(
    """
    SELECT relname, pg_total_relation_size(oid) AS bytes, nullif(reltuples, -1)::bigint AS rows
    FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
    ORDER BY bytes DESC, relname
    """
)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictOfDay:
    """The number of submissions with a verdict; None for those without one yet."""

    verdict: Verdict | None
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """Submissions, verdicts, judge errors and sign-ups are of the last 24 hours. The other fields are as of now.

    `workers_drained` has the names of workers that an admin has drained, and `workers_dead` those whose heartbeats
    stopped without a word. `workers_without_boxes` has those that are alive and can't open boxes now.
    """

    queues: tuple[QueueView, ...]
    workers: int
    slots: int
    workers_draining: int
    workers_drained: tuple[str, ...]
    workers_dead: tuple[str, ...]
    workers_without_boxes: tuple[str, ...]
    submissions: int
    verdicts: tuple[VerdictOfDay, ...]
    judge_errors: int
    sign_ups: int
    open_rejudgings: int
    pending_invitations: int
    open_verifications: int
    database_bytes: int
    disk_free_bytes: int
    disk_total_bytes: int
    last_backup_at: datetime | None

    @property
    def waiting(self) -> int:
        return sum(queue.depth for queue in self.queues)

    @property
    def running(self) -> int:
        return sum(queue.running for queue in self.queues)

    @property
    def used_slots(self) -> int:
        """Return the slots in use. For a moment more judgings run: one of a rejudging ends while a student's starts."""
        return min(self.running, self.slots)

    @property
    def is_disk_low(self) -> bool:
        return self.is_disk_full or _is_low(self.disk_free_bytes, self.disk_total_bytes)

    @property
    def is_disk_full(self) -> bool:
        return self.disk_free_bytes < LEAST_BYTES

    @property
    def is_backup_old(self) -> bool:
        """A deployment without a backup has it among its first steps."""
        return self.last_backup_at is not None and datetime.now(UTC) - self.last_backup_at > OLD_BACKUP

    @property
    def is_slow(self) -> bool:
        return any(queue.is_slow for queue in self.queues)

    @property
    def oldest_seconds(self) -> float:
        """Return the age of the longest waiting judging that a student waits for."""
        return max((queue.oldest_seconds for queue in self.queues if queue.kind == "interactive"), default=0.0)


def read_overview(session: Session, data: Path) -> Overview:
    workers = list_workers(session)
    working = [worker for worker in workers if worker.state == "alive"]
    verdicts = _count_verdicts(session)
    disk = shutil.disk_usage(_nearest(data))
    return Overview(
        queues=tuple(count_queues(session)),
        workers=len(working),
        slots=sum(worker.slots for worker in working),
        workers_drained=tuple(worker.name for worker in workers if worker.state in ("draining", "away")),
        workers_dead=tuple(worker.name for worker in workers if worker.state == "dead"),
        workers_without_boxes=tuple(worker.name for worker in workers if worker.state == "no_boxes"),
        workers_draining=sum(worker.state == "draining" for worker in workers),
        submissions=sum(each.count for each in verdicts),
        verdicts=verdicts,
        judge_errors=_count(
            session,
            Judging.id,
            IS_ERROR,
            Judging.is_current.is_(True),
            _is_recent(Judging.finished_at),
        ),
        sign_ups=_count(session, User.id, _is_recent(User.created_at)),
        open_rejudgings=_count(session, Rejudging.id, Rejudging.decision.is_(None)),
        pending_invitations=_count(session, Invitation.id, *_pending()),
        open_verifications=_count(session, Job.id, Job.verification_id.is_not(None)),
        database_bytes=session.scalars(select(func.pg_database_size(func.current_database()))).one(),
        disk_free_bytes=disk.free,
        disk_total_bytes=disk.total,
        last_backup_at=find_last(session, "backup.written"),
    )


def _count_verdicts(session: Session) -> tuple[VerdictOfDay, ...]:
    """Count the verdicts of the last 24 hours, the most frequent first."""
    number = func.count()
    rows = session.execute(
        select(Judging.verdict, number)
        .join(Submission, Submission.id == Judging.submission_id)
        .where(_is_recent(Submission.created_at), Submission.user_id.is_not(None), Judging.is_current)
        .group_by(Judging.verdict)
        .order_by(number.desc())
    )
    return tuple(VerdictOfDay(verdict=Verdict(verdict) if verdict else None, count=count) for verdict, count in rows)


def _count(session: Session, key: Any, *conditions: ColumnElement[bool]) -> int:
    return session.scalars(select(func.count(key)).where(*conditions)).one()


def _is_recent(column: Any) -> ColumnElement[bool]:
    recent: ColumnElement[bool] = column > func.now() - DAY
    return recent


def _pending() -> tuple[ColumnElement[bool], ...]:
    """Return the conditions of an invitation that may still be used."""
    return (Invitation.used_at.is_(None), Invitation.revoked_at.is_(None), Invitation.expires_at > func.now())


class TableSize(FrozenModel):
    """`bytes`: with indexes and TOAST. `rows`: the database's estimate; None if it has none yet."""

    name: str
    bytes: int
    rows: int | None


class Storage(FrozenModel):
    """The size of the database; its largest tables come first."""

    database_bytes: int
    tables: tuple[TableSize, ...]
    disk_free_bytes: int
    disk_total_bytes: int

    @property
    def is_disk_low(self) -> bool:
        return _is_low(self.disk_free_bytes, self.disk_total_bytes)


def read_storage(session: Session, data: Path) -> Storage:
    disk = shutil.disk_usage(_nearest(data))
    return Storage(
        database_bytes=session.scalars(select(func.pg_database_size(func.current_database()))).one(),
        tables=tuple(TableSize(name=name, bytes=size, rows=rows) for name, size, rows in session.execute(_TABLES)),
        disk_free_bytes=disk.free,
        disk_total_bytes=disk.total,
    )


def _is_low(free_bytes: int, total_bytes: int) -> bool:
    return free_bytes < LOW_DISK * total_bytes


def _nearest(folder: Path) -> Path:
    """Return the folder or its nearest existing parent: with an external database the folder may not exist."""
    return next(place for place in (folder.absolute(), *folder.absolute().parents) if place.exists())
