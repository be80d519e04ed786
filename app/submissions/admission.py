"""Admission: the queue takes new submissions only while they can be judged within the time that the policy allows."""

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

FRESH_SECONDS = 1.0
MINUTE = 60


class QueueWaits:
    """The backlog of each long queue, read from the database every FRESH_SECONDS.

    While a queue is long, it also knows each problem's queue, so that `check` usually asks no database.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._known: Mapping[str, Backlog] = {}
        self._queues: Mapping[str, str] = {}
        self._read_at = -FRESH_SECONDS

    def read(self) -> Mapping[str, Backlog]:
        """Return the backlogs by queue. Do not call it inside a transaction."""
        if time.monotonic() - self._read_at >= FRESH_SECONDS and self._lock.acquire(blocking=False):
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

    def check(self, slug: str, user_id: UUID, max_minutes: int) -> None:
        """Raises LimitReached if the problem's queue is too long for the user. An unknown problem passes.

        Do not call it inside a transaction.
        """
        backlog = self.read().get(self._queues.get(slug, ""))
        if backlog is not None:
            check_admission(backlog, backlog.waiting[user_id], max_minutes)


def _read_queues(session: Session) -> dict[str, str]:
    gpu = Revision.manifest[("limits", "gpu")].as_boolean()
    rows = session.execute(select(Problem.slug, gpu).join(Revision, IS_CURRENT))
    return {slug: "gpu" if is_gpu else "cpu" for slug, is_gpu in rows}


def check_admission(backlog: Backlog, unfinished: int, max_minutes: int) -> None:
    """Raises LimitReached if a new submission of a user with so many unfinished ones would wait too long."""
    wait_seconds = backlog.estimate_wait(unfinished)
    longer = wait_seconds - max_minutes * MINUTE
    if longer > 0:
        raise LimitReached(
            f"too many submissions are waiting: a new one would wait {wait_seconds / MINUTE:.0f} min, and the limit is "
            f"{max_minutes} min. Your code is kept; submit again in a few minutes.",
            timedelta(seconds=max(longer, 10)),
        )
