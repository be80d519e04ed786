"""Workers as admins see them: state, resources and load; and draining or resuming one."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field
from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.orm import Session, defer

from app.admin.queue import QUEUES
from app.audit import Act, Actor, record
from app.database.cursor import NextCursor
from app.errors import Conflict, NotFound
from app.queue.heartbeat import ALIVE
from app.queue.model import CHANNEL, Job, WorkerRow
from app.validation import FrozenModel

State = Literal["alive", "no_boxes", "draining", "away", "dead"]
# The most rows listed of workers that are away or dead. Dead ones are forgotten after a day only.
MOST_ENDED = 100
_IS_ALIVE = WorkerRow.seen_at > func.now() - ALIVE


class WorkerView(FrozenModel):
    """A worker process. `no_boxes`: alive, but it can't open boxes now, and tries again. `draining`: alive, and takes
    no more judgings. `away`: it was drained and has ended; the next worker on its host for its queues takes no judgings
    either. `dead`: its heartbeats stopped without a word.
    """

    id: UUID
    name: str
    host: str
    state: State
    queues: list[str]
    slots: int = Field(description="the number of judgings that it runs at once")
    running: int = Field(
        description="running judgings: for a moment more than `slots`, when a rejudge gives way to a student's judging"
    )
    device: str
    gpus: list[str]
    box_failure: str = Field(description="why it can't open boxes now; empty if it can")
    boxes: dict[str, Any] = Field(description="its boxes, counted by state")
    versions: dict[str, Any] = Field(
        description="of Allclose, Python and each framework that a box has opened; `sandbox` is the kind of sandbox"
    )
    started_at: datetime
    seen_at: datetime

    @property
    def is_there(self) -> bool:
        return self.state in ("alive", "no_boxes", "draining")

    @property
    def known_versions(self) -> list[str]:
        """Return the versions in words, and the kind of sandbox by its name alone."""
        return [str(what) if name == "sandbox" else f"{name} {what}" for name, what in sorted(self.versions.items())]

    @property
    def giving_way(self) -> int:
        """Return the number of rejudges that are ending because students' judgings took their slots."""
        return max(0, self.running - self.slots)


class WorkerList(BaseModel):
    items: list[WorkerView]
    next: NextCursor = None


def list_workers(session: Session) -> list[WorkerView]:
    """Return the workers, living ones first. A process has rows for judgings and verifications, shown as one worker.

    Of those that have ended, only the last `MOST_ENDED` rows are read: those that are away, then those seen last.
    """
    last = WorkerRow.is_draining.desc(), WorkerRow.seen_at.desc(), WorkerRow.id
    gone = select(WorkerRow.id).where(~_IS_ALIVE).order_by(*last).limit(MOST_ENDED)
    return _list(session, _IS_ALIVE | WorkerRow.id.in_(gone))


def _list(session: Session, which: ColumnElement[bool]) -> list[WorkerView]:
    query = select(WorkerRow, _IS_ALIVE).where(which).order_by(WorkerRow.started_at, WorkerRow.id)
    rows = session.execute(query.options(defer(WorkerRow.metrics))).all()
    running = Counter(
        session.scalars(select(Job.worker).where(Job.judging_id.is_not(None), Job.lease_until > func.now())).all()
    )
    by_name: dict[str, list[tuple[WorkerRow, bool]]] = {}
    for row, is_alive in rows:
        by_name.setdefault(row.name, []).append((row, is_alive))
    views = [_view(own, running[name]) for name, own in by_name.items()]
    return sorted(views, key=lambda view: (not view.is_there, view.name))


def drain(session: Session, actor: Actor, worker_id: UUID) -> WorkerView:
    """Let the worker finish its judgings and take no more, until `resume`. This also holds for its replacement.

    Raises NotFound, and Conflict for a dead worker.
    """
    return _change(session, actor, worker_id, is_draining=True)


def resume(session: Session, actor: Actor, worker_id: UUID) -> WorkerView:
    """Let the worker take judgings again. Deletes the row of one that is away.

    Raises NotFound, and Conflict for a dead worker.
    """
    return _change(session, actor, worker_id, is_draining=False)


def _change(session: Session, actor: Actor, worker_id: UUID, *, is_draining: bool) -> WorkerView:
    """Change and record the state. A worker that is already in it does not change."""
    row = session.get(WorkerRow, worker_id, with_for_update=True)
    if row is None:
        raise NotFound(f"There is no worker {worker_id}. GET /api/v1/workers lists all workers.")
    view = _find(session, row.name)
    if view.state == "dead":
        raise Conflict(f"{row.name} is dead. Drain or resume the worker that replaced it.")
    if row.is_draining == is_draining:
        return view
    _write(session, row.name, is_draining=is_draining)
    action = "worker.drained" if is_draining else "worker.resumed"
    states = ({"is_draining": not is_draining}, {"is_draining": is_draining})
    record(session, actor, Act(action=action, target=row.name, before=states[0], after=states[1]))
    after = _find(session, row.name)
    if view.state == "away":
        session.execute(delete(WorkerRow).where(WorkerRow.name == row.name))
    return after


def _write(session: Session, name: str, *, is_draining: bool) -> None:
    session.execute(update(WorkerRow).where(WorkerRow.name == name).values(is_draining=is_draining))
    # The worker's loops listen for their own name, and send a heartbeat at once.
    session.execute(select(func.pg_notify(CHANNEL, name)))


def _find(session: Session, name: str) -> WorkerView:
    return _list(session, WorkerRow.name == name)[0]


def _state(row: WorkerRow, *, is_alive: bool) -> State:
    if is_alive:
        return "draining" if row.is_draining else "no_boxes" if row.box_failure else "alive"
    return "away" if row.is_draining else "dead"


def _view(rows: Sequence[tuple[WorkerRow, bool]], running: int) -> WorkerView:
    """Return a view of the worker, mostly from the row for judgings."""
    rows = sorted(rows, key=lambda each: (not each[1], each[0].queues[0] not in QUEUES))
    row, is_alive = rows[0]
    return WorkerView(
        id=row.id,
        name=row.name,
        host=row.host,
        state=_state(row, is_alive=is_alive),
        queues=[queue for each, _ in rows for queue in each.queues],
        slots=row.slots,
        running=running,
        device=row.device,
        gpus=row.gpus,
        box_failure=row.box_failure if is_alive else "",
        boxes=row.boxes if is_alive else {},
        versions=row.versions,
        started_at=row.started_at,
        seen_at=row.seen_at,
    )
