import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TypeAlias

from sqlalchemy import func, select, text

from app.database.engine import Database
from app.judging.verdicts import Finish, Verdict
from app.queue.background_work import BackgroundPause
from app.queue.heartbeat import Capacity
from app.queue.lease_loop import LeaseLoop, Rhythm
from app.queue.model import Job
from app.queue.route import Route
from app.submissions.judging_record import JudgingClaim, finish
from app.submissions.model import Judging
from app.submissions.submit import enqueue
from tests.factories import make_submission
from tests.queue.fleet import wait_until
from tests.transaction import fetch_one

# So slow that only a NOTIFY can start anything while a test runs.
BY_NOTIFY_ONLY = Rhythm(lease=timedelta(seconds=59), beat=timedelta(seconds=20))
Run: TypeAlias = Callable[[JudgingClaim, threading.Event], object]
ACCEPTED = Finish(verdict=Verdict.ACCEPTED, score=100, cases=(), image="", versions={})


def accept(database: Database) -> Run:
    """Return a `run` that accepts every judging at once."""

    def run(claim: JudgingClaim, _: threading.Event) -> None:
        finish(database, claim, ACCEPTED)

    return run


@contextmanager
def loop(
    database: Database,
    run: Run,
    rhythm: Rhythm | None = None,
    slots: int = 1,
    background_pause: BackgroundPause | None = None,
) -> Iterator[LeaseLoop[JudgingClaim]]:
    capacity = Capacity(queues=("cpu",), slots=slots)
    loop = LeaseLoop(database, capacity, JudgingClaim, run, rhythm, background_pause=background_pause)
    loop.start()
    try:
        yield loop
    finally:
        loop.stop()


def send(database: Database) -> None:
    with database.transaction() as session:
        enqueue(session, make_submission(session), Route("cpu"))


def states(database: Database) -> list[str]:
    with database.transaction() as session:
        return [judging.state for judging in session.scalars(select(Judging).order_by(Judging.id))]


def is_listening(database: Database) -> bool:
    listening = text("SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN \"jobs%'")
    with database.transaction() as session:
        return len(session.execute(listening).all()) > 0


def test_a_new_judging_starts_by_its_notification(database: Database) -> None:
    with loop(database, accept(database), BY_NOTIFY_ONLY):
        wait_until(lambda: is_listening(database))
        send(database)

        wait_until(lambda: states(database) == ["done"])


def test_no_more_run_at_once_than_there_are_slots(database: Database) -> None:
    running, most = [], []
    for _ in range(8):
        send(database)

    def run(claim: JudgingClaim, abort: threading.Event) -> None:
        running.append(claim)
        abort.wait(0.05)
        most.append(len(running))
        running.remove(claim)
        finish(database, claim, ACCEPTED)

    with loop(database, run, slots=3):
        wait_until(lambda: states(database) == ["done"] * 8)

    assert max(most) <= 3


def test_running_judgings_go_on_when_no_more_is_claimed(database: Database) -> None:
    started, may_end = threading.Event(), threading.Event()

    def run(claim: JudgingClaim, _: threading.Event) -> None:
        started.set()
        may_end.wait()
        finish(database, claim, ACCEPTED)

    send(database)
    with loop(database, run, slots=2) as leaving:
        started.wait()
        leaving.stop_claiming()
        send(database)
        may_end.set()
        leaving.drain()

    assert states(database) == ["done", "queued"]


def test_an_internal_error_is_tried_again_and_its_texts_kept(database: Database) -> None:
    def run(claim: JudgingClaim, _: threading.Event) -> None:
        raise RuntimeError(f"no box for attempt {claim.attempt}")

    send(database)
    with loop(database, run):
        wait_until(lambda: states(database) == ["done"])

    judging = fetch_one(database, select(Judging))
    assert judging.verdict == "judge_error"
    assert judging.reason is not None
    assert [f"no box for attempt {attempt}" in judging.reason for attempt in (1, 5)] == [True] * 2


def test_a_worker_that_is_stopped_gives_back_what_it_judges(database: Database) -> None:
    started = threading.Event()

    def run(_: JudgingClaim, abort: threading.Event) -> None:
        started.set()
        abort.wait()

    send(database)
    with loop(database, run):
        started.wait()

    job = fetch_one(database, select(Job))
    assert (job.lease_until, job.attempt, job.given_back) == (None, 1, 1)


def test_a_judging_longer_than_its_lease_is_held_by_beats(database: Database) -> None:
    def run(claim: JudgingClaim, abort: threading.Event) -> None:
        if not abort.wait(3):
            finish(database, claim, ACCEPTED)

    send(database)
    with loop(database, run, Rhythm(lease=timedelta(seconds=2), beat=timedelta(seconds=0.2))):
        wait_until(lambda: states(database) == ["done"])

    with database.transaction() as session:
        assert session.execute(select(func.max(Judging.attempt))).scalar_one() == 1


# More than a process can address: no thread can be started.
TOO_LARGE = 2**46


def given_back(database: Database) -> bool:
    return fetch_one(database, select(Job.given_back)) > 0


class Unsteady(tuple[str, ...]):
    """Queues that can't be read the first time."""

    was_read = False

    def __iter__(self) -> Iterator[str]:
        if not self.was_read:
            self.was_read = True
            raise RuntimeError("nobody foresaw this")
        return super().__iter__()


def test_an_unexpected_error_does_not_end_the_loop(database: Database) -> None:
    queues = Unsteady(("cpu",))
    send(database)
    loop = LeaseLoop(database, Capacity(queues=queues, slots=1), JudgingClaim, accept(database))
    loop.start()
    try:
        wait_until(lambda: states(database) == ["done"], seconds=15)
    finally:
        loop.stop()

    assert queues.was_read


def test_a_judging_without_a_thread_is_given_back_and_runs_later(database: Database) -> None:
    with loop(database, accept(database), BY_NOTIFY_ONLY):
        usual = threading.stack_size(TOO_LARGE)
        try:
            send(database)
            wait_until(lambda: given_back(database), seconds=15)
        finally:
            threading.stack_size(usual)
        wait_until(lambda: states(database) == ["done"], seconds=15)
