"""What to tell whoever waits for a judging that nobody can take."""

from datetime import timedelta

from sqlalchemy import any_, exists, func, literal, select
from sqlalchemy.orm import Session

from app.submissions.model import Judging, WorkerRow

# A worker that has not beaten for as long as a lease lasts is dead, or might as well be.
ALIVE = timedelta(seconds=15)
NOBODY = "No {kind} is running now: your submission waits in the queue and will be judged when one starts."
_KIND = {"cpu": "worker", "gpu": "GPU worker"}


def explain_wait(session: Session, judging: Judging) -> str | None:
    """A sentence when it waits and no worker of its queue is there; None otherwise."""
    if judging.state == "done":
        return None
    alive = exists().where(WorkerRow.seen_at > func.now() - ALIVE, literal(judging.queue) == any_(WorkerRow.queues))
    is_served, now = session.execute(select(alive, func.now())).one()
    is_held = judging.state == "judging" and judging.lease_until is not None and judging.lease_until > now
    return None if is_served or is_held else NOBODY.format(kind=_KIND.get(judging.queue, "worker"))
