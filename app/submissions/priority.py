"""The fair priority of a user's judgings.

Each unfinished judging of a user, and each 10 s of judging in the last ten minutes, lowers the priority of the user's
next one. So one user's backlog interleaves with everyone else's work.

The priorities of a queue start at that of its next judging, as in start-time fair queueing. Otherwise, users with less
unfinished work would pass a waiting judging without end.
"""

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.queue.model import VISITOR, Job
from app.submissions.usage import Usage

# This much recent judging counts as much as one unfinished submission.
SECONDS_PER_STEP = 10


def read_front(session: Session, queue: str) -> int:
    """Return the priority of the queue's next judging; 0 if none waits."""
    waiting = (Job.queue == queue, Job.lease_until.is_(None), Job.priority > VISITOR)
    return session.scalar(select(Job.priority).where(*waiting).order_by(Job.priority.desc()).limit(1)) or 0


def compute_priority(usage: Usage, front: int) -> int:
    """Return the next judging's priority: `front` for a user with nothing pending and no recent usage, else lower."""
    return max(front - usage.unfinished - count_steps(usage.recent_seconds), VISITOR + 1)


def count_steps(recent_seconds: float) -> int:
    """Return by how much recent judging lowers the priority."""
    return int(recent_seconds // SECONDS_PER_STEP)
