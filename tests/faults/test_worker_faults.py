"""Real worker processes that are killed, frozen and stopped while they judge."""

import signal

from sqlalchemy import func, select

from app.database.engine import Database
from app.queue.model import CHANNEL, MAX_ATTEMPTS, Job
from app.submissions.cancel import cancel
from app.submissions.model import Judging, Submission
from tests.factories import make_judging, make_submission
from tests.queue.fleet import Fleet, read_record, wait_until

SELDOM = ("600", "300")  # it beats at its start and when it is told to


def enqueue(database: Database, source: str) -> int:
    with database.transaction() as session:
        submission = make_submission(session)
        submission.source = source
        session.execute(select(func.pg_notify(CHANNEL, "cpu")))
        return make_judging(session, submission.id).id


def read(database: Database, judging_id: int) -> Judging:
    with database.transaction() as session:
        return session.get_one(Judging, judging_id)


def is_done(database: Database) -> bool:
    with database.transaction() as session:
        return session.scalar(select(Job.id).limit(1)) is None


def runs_on(database: Database, worker: str) -> bool:
    return any(row.worker == worker for row in read_record(database, "judging"))


def test_a_frozen_worker_that_wakes_while_another_judges_changes_nothing(database: Database, fleet: Fleet) -> None:
    judging_id = enqueue(database, "sleep 2")
    fleet.start("zombie")
    wait_until(lambda: runs_on(database, "zombie"))
    fleet.send("zombie", signal.SIGSTOP)
    fleet.start("peer")
    wait_until(lambda: runs_on(database, "peer"))

    fleet.send("zombie", signal.SIGCONT)
    wait_until(lambda: is_done(database))

    assert [(row.attempt, row.worker) for row in read_record(database, "done")] == [(2, "peer")]
    assert read(database, judging_id).image == "peer"
    assert "True" not in fleet.output("zombie")


def test_a_judging_is_not_lost_when_the_worker_that_took_it_over_dies_as_well(database: Database, fleet: Fleet) -> None:
    enqueue(database, "sleep 2")
    fleet.start("zombie")
    wait_until(lambda: runs_on(database, "zombie"))
    fleet.send("zombie", signal.SIGSTOP)
    fleet.start("peer")
    wait_until(lambda: runs_on(database, "peer"))

    fleet.send("zombie", signal.SIGCONT)
    fleet.send("peer", signal.SIGKILL)
    wait_until(lambda: is_done(database))

    assert [(row.attempt, row.worker) for row in read_record(database, "done")] == [(3, "zombie")]


def test_a_worker_that_is_told_to_end_finishes_what_it_judges_and_takes_no_more(
    database: Database, fleet: Fleet
) -> None:
    running = enqueue(database, "sleep 4")
    fleet.start("leaving", rhythm=("2", "0.3"))
    wait_until(lambda: runs_on(database, "leaving"))
    waiting = enqueue(database, "sleep 0")

    fleet.send("leaving", signal.SIGTERM)
    status = fleet.wait("leaving")

    assert status == 0
    assert (read(database, running).verdict, read(database, running).attempt) == ("accepted", 1)
    assert read(database, waiting).state == "queued"


def test_a_judging_that_kills_every_worker_ends_as_a_judge_error(database: Database, fleet: Fleet) -> None:
    judging_id = enqueue(database, "die")

    names = [f"worker-{number}" for number in range(1, MAX_ATTEMPTS + 1)]
    for name in names:
        fleet.start(name)
        assert fleet.wait(name) == -signal.SIGKILL
    fleet.start("survivor")
    wait_until(lambda: is_done(database))

    judging = read(database, judging_id)
    assert (judging.verdict, judging.attempt) == ("judge_error", MAX_ATTEMPTS)
    assert judging.reason is not None
    said = [f"attempt {number}: its worker {name} stopped beating" for number, name in enumerate(names, start=1)]
    assert judging.reason.splitlines() == said


def test_a_worker_stops_what_was_cancelled_long_before_its_next_beat(database: Database, fleet: Fleet) -> None:
    enqueue(database, "sleep 600")
    fleet.start("worker", rhythm=SELDOM)
    wait_until(lambda: runs_on(database, "worker"))

    with database.transaction() as session:
        cancel(session, session.scalars(select(Submission)).one())
    next_one = enqueue(database, "sleep 0")
    wait_until(lambda: is_done(database))

    assert read(database, next_one).verdict == "accepted"
