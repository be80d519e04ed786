"""Heartbeats: each worker writes a row of its own, and updates it with every beat."""

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, and_, any_, delete, exists, func, insert, select, update
from sqlalchemy.orm import Session

from app.catalog.model import Device
from app.database.engine import Database
from app.queue.model import WorkerRow

# A worker counts as dead after as long without a heartbeat as a lease lasts.
ALIVE = timedelta(seconds=15)
# Rows of killed workers stay this long, so that admins can see them.
FORGOTTEN = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A worker's report with each beat: its boxes by state, and its metrics in Prometheus's text format.

    `versions`: of the libraries in its boxes, once a box was opened.
    """

    boxes: Mapping[str, int] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    metrics: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """The queues that a worker serves, and how many judgings it runs at once.

    `gpus`: the names of its GPUs. `lacks`: the optional frameworks that its boxes do not have. `report` is called for
    each beat.
    """

    queues: Sequence[str]
    slots: int
    worker: str = field(default_factory=lambda: f"{socket.gethostname()}:{os.getpid()}")
    device: Device = "cpu"
    gpus: Sequence[str] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    lacks: Sequence[str] = ()
    id: UUID = field(default_factory=uuid4)
    report: Callable[[], Report] = Report


def appear(session: Session, capacity: Capacity, is_held_back: bool = False, box_failure: str = "") -> bool:
    """Write a beat: the worker is alive.

    Returns True if an admin has drained the worker. `is_held_back`: the last known answer, in case the row is gone.
    `box_failure`: why the worker can't open boxes now.
    """
    report = capacity.report()
    values = {
        "boxes": dict(report.boxes),
        "versions": {**capacity.versions, **report.versions},
        "metrics": report.metrics,
        "box_failure": box_failure,
    }
    beat = update(WorkerRow).where(WorkerRow.id == capacity.id).values(seen_at=func.now(), **values)
    is_draining = session.scalar(beat.returning(WorkerRow.is_draining))
    if is_draining is None:
        is_draining = _follows_one_held_back(session, capacity) or is_held_back
        _enter(session, capacity, is_draining=is_draining, **values)
    return is_draining


def leave(session: Session, capacity: Capacity) -> None:
    """Remove the worker's row. A drained worker's row stays for its successor."""
    session.execute(delete(WorkerRow).where(WorkerRow.id == capacity.id, ~WorkerRow.is_draining))


def forget_dead(database: Database) -> None:
    """Remove rows of workers not seen for a day."""
    with database.transaction() as session:
        session.execute(delete(WorkerRow).where(WorkerRow.seen_at < func.now() - FORGOTTEN, ~WorkerRow.is_draining))


def serves(queue: str | ColumnElement[str]) -> ColumnElement[bool]:
    """Return the condition that a worker is alive, not draining, can open boxes, and serves this queue."""
    return and_(is_alive(queue), WorkerRow.box_failure == "")


def lacks_boxes(queue: str | ColumnElement[str]) -> ColumnElement[bool]:
    """Return the condition that a worker for this queue is alive and can't open boxes now."""
    return and_(is_alive(queue), WorkerRow.box_failure != "")


def has_worker(session: Session, which: ColumnElement[bool]) -> bool:
    return session.scalars(select(exists().where(which))).one()


def is_alive(queue: str | ColumnElement[str]) -> ColumnElement[bool]:
    return and_(WorkerRow.seen_at > func.now() - ALIVE, ~WorkerRow.is_draining, any_(WorkerRow.queues) == queue)


def _enter(session: Session, capacity: Capacity, **values: object) -> None:
    row = insert(WorkerRow).values(
        id=capacity.id,
        name=capacity.worker,
        host=socket.gethostname(),
        queues=list(capacity.queues),
        slots=capacity.slots,
        device=capacity.device,
        gpus=list(capacity.gpus),
        lacks=list(capacity.lacks),
        **values,
    )
    session.execute(row)


def _follows_one_held_back(session: Session, capacity: Capacity) -> bool:
    """Whether this worker succeeds a drained worker of this host and these queues that has ended.

    The old row is removed, and the drain carries over to the new row.
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
    """Whether a worker of this host that beat recently has ended. In a container its successor has the same name."""
    process = row.name.rpartition(":")[2]
    return row.name == capacity.worker or not Path("/proc", process).exists()
