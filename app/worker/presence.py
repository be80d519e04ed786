"""Which workers there are: each writes a row of its own, and with every beat that it is still there."""

import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID, uuid4

from sqlalchemy import delete, func
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.catalog.model import Device
from app.submissions.model import WorkerRow

# Those that were killed leave their rows, for whoever wonders where they are.
FORGOTTEN = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """Which queues a worker serves, and how many judgings it runs at once. `gpus`: the names of those it has."""

    queues: Sequence[str]
    slots: int
    worker: str = field(default_factory=lambda: f"{socket.gethostname()}:{os.getpid()}")
    device: Device = "cpu"
    gpus: Sequence[str] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    id: UUID = field(default_factory=uuid4)


def appear(session: Session, capacity: Capacity) -> None:
    """Here, and ready to take judgings. Forgets those who have not been seen for long."""
    row = insert(WorkerRow).values(
        id=capacity.id,
        name=capacity.worker,
        host=socket.gethostname(),
        queues=list(capacity.queues),
        slots=capacity.slots,
        device=capacity.device,
        gpus=list(capacity.gpus),
        versions=dict(capacity.versions),
    )
    session.execute(row.on_conflict_do_update(index_elements=[WorkerRow.id], set_={"seen_at": func.now()}))
    session.execute(delete(WorkerRow).where(WorkerRow.seen_at < func.now() - FORGOTTEN))


def leave(session: Session, capacity: Capacity) -> None:
    """Takes no more."""
    session.execute(delete(WorkerRow).where(WorkerRow.id == capacity.id))
