"""Which workers there are: each writes a row of its own, and with every beat that it is still there."""

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID, uuid4

from sqlalchemy import delete, func
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.catalog.model import Device
from app.submissions.model import WorkerRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a worker tells of itself with each beat: its boxes, counted, and its metrics as Prometheus reads them."""

    boxes: Mapping[str, int] = field(default_factory=dict)
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
    told = {"boxes": dict(report.boxes), "metrics": report.metrics}
    row = insert(WorkerRow).values(
        id=capacity.id,
        name=capacity.worker,
        host=socket.gethostname(),
        queues=list(capacity.queues),
        slots=capacity.slots,
        device=capacity.device,
        gpus=list(capacity.gpus),
        versions=dict(capacity.versions),
        is_draining=is_held_back,
        **told,
    )
    known = row.on_conflict_do_update(index_elements=[WorkerRow.id], set_={"seen_at": func.now(), **told})
    is_draining = session.scalars(known.returning(WorkerRow.is_draining)).one()
    session.execute(delete(WorkerRow).where(WorkerRow.seen_at < func.now() - FORGOTTEN))
    return is_draining


def leave(session: Session, capacity: Capacity) -> None:
    """Takes no more."""
    session.execute(delete(WorkerRow).where(WorkerRow.id == capacity.id))
