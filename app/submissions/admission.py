"""Admission: the queue takes new submissions only while they can be judged within the time that the policy allows.

A flood fills a queue in seconds, while its students and their browsers have not slowed the workers down yet. So a queue
may first become half as long as the policy allows. It grows on as its oldest judging waits, and its pace is known.
"""

import math
import threading
import time
from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from app.catalog.model import IS_CURRENT, Problem, Revision
from app.database.engine import Database
from app.errors import LimitReached
from app.submissions.forecast import Backlog, read_backlogs
from app.submissions.priority import count_steps

FRESH_SECONDS = 1.0
# A long queue whose oldest submission has waited less is soon empty.
BUSY_SECONDS = 5.0
MINUTE = 60


class QueueWaits:
    """The backlog of each long queue, read from the database every FRESH_SECONDS: 25 ms for 300 submissions.

    While a queue is long, it also knows each problem's queue, so that `check` asks no database.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._known: Mapping[str, Backlog] = {}
        self._queues: Mapping[str, str] = {}
        self._read_at = -FRESH_SECONDS

    def is_fresh(self) -> bool:
        """Whether `read` would ask no database now."""
        return time.monotonic() - self._read_at < FRESH_SECONDS or self._lock.locked()

    @property
    def has_long_queue(self) -> bool:
        """Whether a queue was long at the last `read`, and its oldest submission has waited for a while."""
        return any(backlog.oldest_seconds >= BUSY_SECONDS for backlog in self._known.values())

    def read(self) -> Mapping[str, Backlog]:
        """Return the backlogs by queue. Do not call it inside a transaction."""
        if not self.is_fresh() and self._lock.acquire(blocking=False):
            try:
                with self._database.transaction() as session:
                    self._known = read_backlogs(session)
                    self._queues = _read_queues(session) if self._known else {}
            except SQLAlchemyError:
                self._known = {}
            finally:
                self._read_at = time.monotonic()
                self._lock.release()
        return self._known

    def find_queue(self, slug: str) -> str:
        """Return the queue of the problem if a queue was long at the last `read`; empty for an unknown problem."""
        return self._queues.get(slug, "")

    def check(self, queue: str, user_id: UUID, max_minutes: int) -> None:
        """Raises LimitReached if a new submission of the user would wait too long. Asks no database.

        `recent_seconds` count because recent judging lowers the user's priority.
        """
        backlog = self._known.get(queue)
        if backlog is not None:
            steps = count_steps(backlog.recent_seconds.get(user_id, 0.0))
            check_admission(backlog, backlog.estimate_wait(backlog.waiting[user_id], steps), max_minutes)

    def add(self, queue: str, user_id: UUID) -> None:
        """Count an admitted submission: the next request may come before the queue is read again."""
        if (backlog := self._known.get(queue)) is not None:
            backlog.waiting[user_id] += 1


def _read_queues(session: Session) -> dict[str, str]:
    gpu = Revision.manifest[("limits", "gpu")].as_boolean()
    rows = session.execute(select(Problem.slug, gpu).join(Revision, IS_CURRENT))
    return {slug: "gpu" if is_gpu else "cpu" for slug, is_gpu in rows}


def check_admission(backlog: Backlog, wait_seconds: float, max_minutes: int) -> None:
    """Raises LimitReached if a new submission would wait too long."""
    most = max_minutes * MINUTE
    allowed = min(most, most / 2 + backlog.oldest_seconds)
    longer = wait_seconds - allowed
    if longer > 0:
        raise LimitReached(
            f"too many submissions are waiting: a new one would wait {math.ceil(wait_seconds / MINUTE)} min, and the "
            f"limit is {round(allowed / MINUTE, 1):g} min now. Your code is kept; submit again in a few minutes.",
            timedelta(seconds=max(longer, 10)),
        )
