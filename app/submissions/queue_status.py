"""Whether a worker serves a queue, and the notice for a student while no worker judges the submission."""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, any_, exists, func, literal, select
from sqlalchemy.orm import Session

from app.submissions.model import Judging, WorkerRow

# A worker counts as dead after as long without a heartbeat as a lease lasts.
ALIVE = timedelta(seconds=15)
NO_WORKER = "No {kind} is running now: your submission waits in the queue and will be judged when one starts."
NO_BOX = "No {kind} can open a sandbox now. It tries again and again: your submission waits in the queue until then."
LOST = "The worker that judged your submission stopped. Another one will judge it again when it has a free slot."
_KIND = {"cpu": "worker", "gpu": "GPU worker"}


def serves(queue: str) -> ColumnElement[bool]:
    """Return the condition that a worker is alive, not draining, can open boxes, and serves this queue."""
    return and_(_is_alive(queue), WorkerRow.box_failure == "")


def _is_alive(queue: str) -> ColumnElement[bool]:
    return and_(
        WorkerRow.seen_at > func.now() - ALIVE, ~WorkerRow.is_draining, literal(queue) == any_(WorkerRow.queues)
    )


def has_worker(session: Session, queue: str) -> bool:
    return session.scalars(select(exists().where(serves(queue)))).one()


def lacks_boxes(session: Session, queue: str) -> bool:
    """Whether a worker for this queue is alive and can't open boxes now."""
    return session.scalars(select(exists().where(_is_alive(queue), WorkerRow.box_failure != ""))).one()


def is_held(session: Session, lease_until: datetime | None) -> bool:
    return lease_until is not None and lease_until > session.scalars(select(func.now())).one()


def explain_wait(session: Session, judging: Judging) -> str | None:
    """Return a notice if no worker can serve the judging's queue, or if its worker has lost the lease."""
    if judging.state == "done" or is_held(session, judging.lease_until):
        return None
    if has_worker(session, judging.queue):
        return LOST if judging.state == "judging" else None
    sentence = NO_BOX if lacks_boxes(session, judging.queue) else NO_WORKER
    return sentence.format(kind=_KIND.get(judging.queue, "worker"))
