import threading
from collections.abc import Iterator

from sqlalchemy import select

from app.database.engine import Database
from app.queue.heartbeat import Capacity
from app.queue.lease_loop import LeaseLoop
from app.queue.model import Job
from app.submissions.judging_record import JudgingClaim, finish
from tests.queue.fleet import wait_until
from tests.queue.test_lease_loop import ACCEPTED, BY_NOTIFY_ONLY, loop, send, states

# More than a process can address: no thread can be started.
TOO_LARGE = 2**46


def given_back(database: Database) -> bool:
    with database.transaction() as session:
        return session.scalars(select(Job.given_back)).one() > 0


class Unsteady(tuple[str, ...]):
    """Queues that can't be read the first time."""

    was_read = False

    def __iter__(self) -> Iterator[str]:
        if not self.was_read:
            self.was_read = True
            raise RuntimeError("nobody foresaw this")
        return super().__iter__()


def test_an_unexpected_error_does_not_end_the_loop(database: Database) -> None:
    def run(claim: JudgingClaim, _: threading.Event) -> None:
        finish(database, claim, ACCEPTED)

    queues = Unsteady(("cpu",))
    send(database)
    loop = LeaseLoop(database, Capacity(queues=queues, slots=1), JudgingClaim, run)
    loop.start()
    try:
        wait_until(lambda: states(database) == ["done"], seconds=15)
    finally:
        loop.stop()

    assert queues.was_read


def test_what_no_thread_can_be_started_for_is_given_back_and_runs_later(database: Database) -> None:
    def run(claim: JudgingClaim, _: threading.Event) -> None:
        finish(database, claim, ACCEPTED)

    with loop(database, run, BY_NOTIFY_ONLY):
        usual = threading.stack_size(TOO_LARGE)
        try:
            send(database)
            wait_until(lambda: given_back(database), seconds=15)
        finally:
            threading.stack_size(usual)
        wait_until(lambda: states(database) == ["done"], seconds=15)
