"""Background judgings give way: the order of claims, the slots that they may hold, and those of a killed worker."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from sqlalchemy import ARRAY, Text, bindparam, select, text

from app.database.engine import Database
from app.queue.lease import CLAIM
from app.queue.model import BACKGROUND, MAX_ATTEMPTS, Job
from app.queue.route import Route
from app.submissions.judging_record import JudgingClaim, finish
from app.submissions.model import Judging
from app.submissions.submit import enqueue
from tests.factories import make_judging, make_submission
from tests.queue.fleet import wait_until
from tests.queue.test_lease import LEASE, attempts_left, take, wanted
from tests.queue.test_lease_loop import ACCEPTED, BY_NOTIFY_ONLY, loop, states

MANY = 100_000


def make_background(database: Database, source: str = "sleep 0") -> int:
    with database.transaction() as session:
        submission = make_submission(session)
        submission.source = source
        return make_judging(session, submission.id, priority=BACKGROUND).id


def make_usual(database: Database, priority: int = 0) -> int:
    with database.transaction() as session:
        return make_judging(session, priority=priority).id


def read(database: Database, judging_id: int) -> Judging:
    with database.transaction() as session:
        return session.get_one(Judging, judging_id)


def send_one(database: Database) -> int:
    """Enqueue a student's submission; the worker is notified."""
    with database.transaction() as session:
        return enqueue(session, make_submission(session), Route("cpu")).id


def claim_some(database: Database, slots: int, background: int, preemptible: int = 0) -> list[int]:
    wish = replace(wanted(slots=slots), background=background, preemptible=preemptible)
    return [each.judging_id for each in take(database, wish)]


def test_background_jobs_come_after_the_last_of_the_others_however_old_they_are(database: Database) -> None:
    old = make_background(database)
    last, first = make_usual(database, BACKGROUND + 1), make_usual(database)

    order = [claim_some(database, 1, 1) for _ in range(3)]

    assert order == [[first], [last], [old]]


def test_no_more_background_jobs_are_taken_than_are_wanted(database: Database) -> None:
    for _ in range(3):
        make_background(database)

    assert len(claim_some(database, slots=3, background=1)) == 1
    assert claim_some(database, slots=3, background=0) == []


def test_slots_that_background_jobs_give_up_are_for_others_only(database: Database) -> None:
    make_background(database)

    assert claim_some(database, slots=1, background=1, preemptible=1) == []
    usual = make_usual(database)
    assert claim_some(database, slots=1, background=1, preemptible=1) == [usual]


class Work:
    """Judgings that run until they are released or give way."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.may_end = threading.Event()
        self.running: list[int] = []

    def __call__(self, claim: JudgingClaim, abort: threading.Event) -> None:
        self.running.append(claim.judging_id)
        try:
            while not abort.is_set():
                if self.may_end.wait(0.01):
                    finish(self._database, claim, ACCEPTED)
                    return
        finally:
            self.running.remove(claim.judging_id)

    def runs(self, *judgings: int) -> Callable[[], bool]:
        return lambda: sorted(self.running) == sorted(judgings)


def test_none_begins_while_half_of_the_slots_serve_those_who_wait(database: Database) -> None:
    first, second = send_one(database), send_one(database)
    work = Work(database)

    with loop(database, work, BY_NOTIFY_ONLY, slots=4):
        wait_until(work.runs(first, second))
        background = make_background(database)
        third = send_one(database)  # so the worker looks again, with a slot that is left
        wait_until(work.runs(first, second, third))
        assert read(database, background).state == "queued"
        work.may_end.set()
        wait_until(lambda: set(states(database)) == {"done"})


def test_one_of_several_slots_is_never_taken_by_background_jobs(database: Database) -> None:
    first, second, third = (make_background(database) for _ in range(3))
    work = Work(database)

    with loop(database, work, BY_NOTIFY_ONLY, slots=3):
        wait_until(work.runs(first, second))
        usual = send_one(database)
        wait_until(work.runs(first, second, usual))
        work.may_end.set()
        wait_until(lambda: set(states(database)) == {"done"})

    assert [read(database, each).attempt for each in (first, second, third, usual)] == [1, 1, 1, 1]


def test_where_every_slot_is_taken_the_background_job_that_began_last_gives_way(database: Database) -> None:
    first, second = make_background(database), make_background(database)
    work = Work(database)

    with loop(database, work, BY_NOTIFY_ONLY, slots=3):
        wait_until(work.runs(first, second))
        usual = [send_one(database) for _ in range(2)]
        wait_until(work.runs(first, *usual))
        wait_until(lambda: read(database, second).state == "queued")
        work.may_end.set()
        wait_until(lambda: set(states(database)) == {"done"})

    again = read(database, second)
    assert (again.attempt, again.verdict) == (2, "accepted")
    assert read(database, first).attempt == 1


def test_the_only_slot_is_given_back_at_once_and_at_no_cost_of_an_attempt(database: Database) -> None:
    behind = make_background(database)
    work = Work(database)

    with loop(database, work, BY_NOTIFY_ONLY):
        wait_until(work.runs(behind))
        usual = send_one(database)
        wait_until(work.runs(usual))
        wait_until(lambda: read(database, behind).state == "queued")
        given_back = read(database, behind).job
        work.may_end.set()
        wait_until(lambda: states(database) == ["done", "done"])

    assert given_back is not None
    assert attempts_left(given_back) == MAX_ATTEMPTS
    assert read(database, behind).verdict == "accepted"


def test_a_worker_that_takes_no_more_gives_background_jobs_back_and_ends_the_others(database: Database) -> None:
    behind = make_background(database)
    work = Work(database)

    with loop(database, work, BY_NOTIFY_ONLY, slots=2) as leaving:
        wait_until(work.runs(behind))
        usual = send_one(database)
        wait_until(work.runs(behind, usual))
        leaving.stop_claiming()
        wait_until(lambda: read(database, behind).state == "queued")
        work.may_end.set()
        leaving.drain()

    assert read(database, usual).verdict == "accepted"
    assert read(database, behind).state == "queued"


def test_students_do_not_give_way_to_each_other(database: Database) -> None:
    work = Work(database)

    with loop(database, work, BY_NOTIFY_ONLY):
        first = send_one(database)
        wait_until(work.runs(first))
        send_one(database)
        make_background(database)
        work.may_end.set()
        wait_until(lambda: set(states(database)) == {"done"})

    assert read(database, first).attempt == 1


def test_a_claim_walks_the_index_and_not_what_waits_in_the_background(database: Database) -> None:
    with database.transaction() as session:
        submission = make_submission(session)
        session.execute(
            text(
                "WITH judged AS ("
                " INSERT INTO judgings (submission_id, revision_id, queue, is_current)"
                " SELECT :submission, :revision, 'cpu', false FROM generate_series(1, :many) RETURNING id"
                ") INSERT INTO jobs (judging_id, watched, queue, priority)"
                " SELECT id, :submission, 'cpu', :priority FROM judged"
            ),
            {
                "submission": submission.id,
                "revision": submission.revision_id,
                "priority": BACKGROUND,
                "many": MANY,
            },
        )
        session.execute(text("ANALYZE jobs"))
    usual = make_usual(database)

    with database.transaction() as session:
        values = {
            "queues": ["cpu"],
            "lacks": ["triton"],
            "slots": 4,
            "worker": "w",
            "lease": LEASE,
            "background": 3,
            "preemptible": 0,
        }
        explained = text(f"EXPLAIN (ANALYZE, FORMAT JSON) {CLAIM.text}")
        typed = explained.bindparams(bindparam("queues", type_=ARRAY(Text)))
        plan = session.execute(typed, values).scalar_one()
        taken = session.scalars(select(Job.judging_id).where(Job.is_held).order_by(Job.id)).all()

    nodes = list(each_node(plan[0]["Plan"]))
    assert not [node for node in nodes if node["Node Type"] == "Seq Scan" and node.get("Relation Name") == "jobs"]
    assert max(node["Actual Rows"] for node in nodes if node.get("Relation Name") == "jobs") <= 4, json.dumps(plan)
    assert len(taken) == 4
    assert usual in taken


def each_node(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from each_node(part)
