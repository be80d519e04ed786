"""Workers are killed, frozen, woken and stopped at random with a fixed seed; every judging ends exactly once."""

import random
import signal
import time
from collections import Counter, deque
from dataclasses import dataclass

import pytest
from sqlalchemy import select

from app.database.engine import Database
from app.queue.model import Job
from app.submissions.model import CaseRow, Judging
from tests.factories import make_judging, make_problem, make_submission, make_user
from tests.queue.fleet import Fleet, read_record, wait_until
from tests.queue.worker_process import CASES


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    judgings: int
    workers: int
    faults: int


QUICK = Size(judgings=12, workers=3, faults=6)
WHOLE = Size(judgings=60, workers=4, faults=24)
KINDS = (signal.SIGKILL, signal.SIGSTOP, signal.SIGSTOP, signal.SIGTERM)


@pytest.mark.parametrize(
    "size", [pytest.param(QUICK, id="quick"), pytest.param(WHOLE, id="whole", marks=pytest.mark.whole)]
)
def test_no_judging_is_lost_or_finished_twice_when_workers_fail(database: Database, fleet: Fleet, size: Size) -> None:
    chance = random.Random(1)
    enqueue(database, chance, size)

    wreak_havoc(fleet, chance, size)
    fleet.start("healthy", slots=4)
    wait_until(lambda: is_done(database))

    check_invariants(database, size)


def enqueue(database: Database, chance: random.Random, size: Size) -> None:
    with database.transaction() as session:
        user, revision = make_user(session), make_problem(session)
        for _ in range(size.judgings):
            submission = make_submission(session, user, revision)
            submission.source = f"{chance.choice(['sleep', 'stubborn'])} {chance.uniform(0.5, 3):.2f}"
            make_judging(session, submission.id, given_back=1000)


def wreak_havoc(fleet: Fleet, chance: random.Random, size: Size) -> None:
    """Frozen workers wake after two more faults, when another worker may hold their jobs; ended ones are replaced."""
    working, frozen = [f"worker-{number}" for number in range(size.workers)], deque[str]()
    for name in working:
        fleet.start(name, slots=2)
    for fault in range(size.faults):
        name = working.pop(chance.randrange(len(working)))
        kind = chance.choice(KINDS)
        fleet.send(name, kind)
        if kind == signal.SIGSTOP:
            frozen.append(name)
        else:
            working.append(f"replacement-{fault}")
            fleet.start(working[-1], slots=2)
        time.sleep(chance.uniform(0.5, 1.5))
        if len(frozen) > 2 or len(working) == 1:
            working.append(frozen.popleft())
            fleet.send(working[-1], signal.SIGCONT)
    for name in frozen:
        fleet.send(name, signal.SIGCONT)


def is_done(database: Database) -> bool:
    with database.transaction() as session:
        return session.scalar(select(Job.id).limit(1)) is None


def check_invariants(database: Database, size: Size) -> None:
    with database.transaction() as session:
        judgings = session.scalars(select(Judging)).all()
        cases = session.scalars(select(CaseRow)).all()
    assert Counter(judging.verdict for judging in judgings) == {"accepted": size.judgings}
    finished = Counter(row.judging_id for row in read_record(database, "done"))
    assert finished == {judging.id: 1 for judging in judgings}
    claimed = Counter((row.judging_id, row.attempt) for row in read_record(database, "judging"))
    assert set(claimed.values()) == {1}
    shown = {(case.judging_id, case.attempt, case.position): case.report["worker"] for case in cases}
    for judging in judgings:
        of_last_attempt = {shown[judging.id, judging.attempt, position] for position in range(CASES)}
        assert of_last_attempt == {judging.worker}
