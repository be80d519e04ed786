"""What to tell whoever waits for a judging that nobody can take."""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, any_, exists, func, literal, select
from sqlalchemy.orm import Session

from app.submissions.model import Judging, WorkerRow

# A worker that has not beaten for as long as a lease lasts is dead, or might as well be.
ALIVE = timedelta(seconds=15)
NOBODY = "No {kind} is running now: your submission waits in the queue and will be judged when one starts."
_KIND = {"cpu": "worker", "gpu": "GPU worker"}


def takes(queue: str) -> ColumnElement[bool]:
    """Of workers: alive, not draining, and of this queue."""
    return and_(
        WorkerRow.seen_at > func.now() - ALIVE, ~WorkerRow.is_draining, literal(queue) == any_(WorkerRow.queues)
    )


def is_served(session: Session, queue: str) -> bool:
    return session.scalars(select(exists().where(takes(queue)))).one()


def is_held(session: Session, lease_until: datetime | None) -> bool:
    return lease_until is not None and lease_until > session.scalars(select(func.now())).one()


def explain_wait(session: Session, judging: Judging) -> str | None:
    """A sentence when it waits and no worker of its queue is there; None otherwise."""
    if judging.state == "done":
        return None
    if is_served(session, judging.queue) or is_held(session, judging.lease_until):
        return None
    return NOBODY.format(kind=_KIND.get(judging.queue, "worker"))
