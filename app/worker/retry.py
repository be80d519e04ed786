"""Trying a step again while the database is away."""

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy.exc import InterfaceError, OperationalError, TimeoutError

# The work is done, and only its result must be told: worth waiting for. About ten minutes in all.
DELAYS_SECONDS = (0.0, 1.0, 2.0, 4.0, *(8.0,) * 75)

T = TypeVar("T")

_log = logging.getLogger(__name__)


def retry(step: Callable[[], T]) -> T:
    """Runs a whole transaction, again when the connection is lost. The last error passes through."""
    for delay in DELAYS_SECONDS:
        try:
            return step()
        except (OperationalError, InterfaceError, TimeoutError) as error:
            _log.warning("the database is away (%s); trying again in %g s", str(error.__cause__).strip(), delay)
            time.sleep(delay)
    return step()
