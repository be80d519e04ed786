"""The policy as this process knows it, for what happens at every request: read anew every two seconds."""

import threading
import time

from sqlalchemy.exc import SQLAlchemyError

from app.database import Database
from app.policy.policy import Policy, read_policy

FRESH_SECONDS = 2.0


class CurrentPolicy:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._known: Policy | None = None
        self._read_at = 0.0

    def read(self) -> Policy:
        """At most FRESH_SECONDS old, or the one before while another thread asks or the database is away; the defaults
        where it was never there. Not for inside a transaction.
        """
        known = self._known
        if known is not None and time.monotonic() - self._read_at < FRESH_SECONDS:
            return known
        if known is not None and self._lock.locked():
            return known
        try:
            return self.refresh()
        except SQLAlchemyError:
            return known or Policy()

    def refresh(self) -> Policy:
        """As it is now: for who has just changed it."""
        with self._lock:
            asked_at = time.monotonic()
            with self._database.transaction() as session:
                policy = read_policy(session)
            self._known, self._read_at = policy, asked_at
        return policy
