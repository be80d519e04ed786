import threading
from collections.abc import Iterator

from sqlalchemy import select

from app.database.engine import Database
from app.queue.heartbeat import Capacity
from app.queue.lease import Claim, finish
from app.queue.lease_loop import LeaseLoop
from app.submissions.enqueue import MAX_ATTEMPTS
from app.submissions.model import Judging
from tests.queue.fleet import wait_until
from tests.queue.test_lease_loop import ACCEPTED, BY_NOTIFY_ONLY, loop, send, states

# More than a process can address: no thread can be started.
TOO_LARGE = 2**46


def left_attempts(database: Database) -> int:
    with database.transaction() as session:
        judging = session.scalars(select(Judging)).one()
    return judging.max_attempts - judging.attempt


def given_back(database: Database) -> bool:
    with database.transaction() as session:
        return session.scalars(select(Judging)).one().max_attempts > MAX_ATTEMPTS


class Unsteady(tuple[str, ...]):
    """Queues that can't be read the first time."""

    was_read = False

    def __iter__(self) -> Iterator[str]:
        if not self.was_read:
            self.was_read = True
            raise RuntimeError("nobody foresaw this")
        return super().__iter__()


def test_an_unexpected_error_does_not_end_the_loop(database: Database) -> None:
    def run(claim: Claim, _: threading.Event) -> None:
        finish(database, claim, ACCEPTED)

    queues = Unsteady(("cpu",))
    send(database)
    loop = LeaseLoop(database, Capacity(queues=queues, slots=1), run)
    loop.start()
    try:
        wait_until(lambda: states(database) == ["done"], seconds=15)
    finally:
        loop.stop()

    assert queues.was_read


def test_what_no_thread_can_be_started_for_is_given_back_and_runs_later(database: Database) -> None:
    def run(claim: Claim, _: threading.Event) -> None:
        finish(database, claim, ACCEPTED)

    with loop(database, run, BY_NOTIFY_ONLY):
        usual = threading.stack_size(TOO_LARGE)
        try:
            send(database)
            wait_until(lambda: given_back(database), seconds=15)
        finally:
            threading.stack_size(usual)
        wait_until(lambda: states(database) == ["done"], seconds=15)

    assert left_attempts(database) == MAX_ATTEMPTS - 1
