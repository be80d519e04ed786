"""Which workers there are: each writes a row of its own, and with every beat that it is still there."""

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.orm import Session

from app.catalog.model import Device
from app.submissions.model import WorkerRow
from app.submissions.queue_status import ALIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a worker tells of itself with each beat: its boxes, counted, and its metrics as Prometheus reads them.

    `versions`: of what its boxes have, as far as any was opened yet.
    """

    boxes: Mapping[str, int] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    metrics: str = ""


# Those that were killed leave their rows, for whoever wonders where they are.
FORGOTTEN = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """Which queues a worker serves, and how many judgings it runs at once. `gpus`: the names of those it has.

    `report` is called for each beat.
    """

    queues: Sequence[str]
    slots: int
    worker: str = field(default_factory=lambda: f"{socket.gethostname()}:{os.getpid()}")
    device: Device = "cpu"
    gpus: Sequence[str] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    id: UUID = field(default_factory=uuid4)
    report: Callable[[], Report] = Report


def appear(session: Session, capacity: Capacity, is_held_back: bool = False) -> bool:
    """Here, and ready to take judgings. Forgets those who have not been seen for long.

    True where an admin wants it to take none for now. `is_held_back`: what it knew of that, for a row that is gone.
    """
    report = capacity.report()
    told = {
        "boxes": dict(report.boxes),
        "versions": {**capacity.versions, **report.versions},
        "metrics": report.metrics,
    }
    beat = update(WorkerRow).where(WorkerRow.id == capacity.id).values(seen_at=func.now(), **told)
    is_draining = session.scalar(beat.returning(WorkerRow.is_draining))
    if is_draining is None:
        is_draining = _follows_one_held_back(session, capacity) or is_held_back
        _enter(session, capacity, is_draining=is_draining, **told)
    session.execute(delete(WorkerRow).where(WorkerRow.seen_at < func.now() - FORGOTTEN, ~WorkerRow.is_draining))
    return is_draining


def leave(session: Session, capacity: Capacity) -> None:
    """Takes no more. The row of one that an admin holds back stays, for the one that comes after it."""
    session.execute(delete(WorkerRow).where(WorkerRow.id == capacity.id, ~WorkerRow.is_draining))


def _enter(session: Session, capacity: Capacity, **told: object) -> None:
    row = insert(WorkerRow).values(
        id=capacity.id,
        name=capacity.worker,
        host=socket.gethostname(),
        queues=list(capacity.queues),
        slots=capacity.slots,
        device=capacity.device,
        gpus=list(capacity.gpus),
        **told,
    )
    session.execute(row)


def _follows_one_held_back(session: Session, capacity: Capacity) -> bool:
    """Whether it comes in the place of a worker of this host and its queues that takes none and has ended.

    That one's row goes: what an admin wants is kept in the new one's.
    """
    of_these = (WorkerRow.host == socket.gethostname(), WorkerRow.queues == list(capacity.queues))
    is_silent = (WorkerRow.seen_at < func.now() - ALIVE).label("is_silent")
    query = select(WorkerRow, is_silent).where(*of_these, WorkerRow.is_draining).with_for_update()
    gone = [row for row, silent in session.execute(query) if silent or _has_ended(row, capacity)]
    for row in gone:
        session.delete(row)
    session.flush()
    return bool(gone)


def _has_ended(row: WorkerRow, capacity: Capacity) -> bool:
    """Of a worker of this host that beat a moment ago. In a container the next one has the same name again."""
    process = row.name.rpartition(":")[2]
    return row.name == capacity.worker or not Path("/proc", process).exists()
