"""Retry a step while the database is away."""

import logging
from collections.abc import Callable, Sequence
from threading import Event
from typing import TypeVar

from sqlalchemy.exc import InterfaceError, OperationalError, TimeoutError

# For important writes: about ten minutes in all.
DELAYS_SECONDS = (0.0, 1.0, 2.0, 4.0, *(8.0,) * 75)
# For writes that may be lost: covers only a lost connection, which is replaced.
BRIEF_DELAYS_SECONDS = (0.0, 1.0)
# For callers that can't be aborted.
NEVER = Event()

T = TypeVar("T")

_log = logging.getLogger(__name__)


def retry(step: Callable[[], T], abort: Event = NEVER) -> T:
    """Run a whole transaction, and again when the connection is lost.

    The last error is raised after ten minutes, or once `abort` is set.
    """
    return _retry(step, DELAYS_SECONDS, abort)


def retry_briefly(step: Callable[[], T]) -> T:
    """Like `retry`, but with two more tries only."""
    return _retry(step, BRIEF_DELAYS_SECONDS, NEVER)


def _retry(step: Callable[[], T], delays_seconds: Sequence[float], abort: Event) -> T:
    for delay in delays_seconds:
        try:
            return step()
        except (OperationalError, InterfaceError, TimeoutError) as error:
            _log.warning("The database is away: %s", str(error.__cause__ or error).strip())
            if abort.wait(delay):
                raise
    return step()
