"""A worker that can't open a box now: judgings cost no attempt, and are not claimed and returned all the time."""

import logging
import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from app.admin.worker import list_workers
from app.database.engine import Database
from app.queue import lease_loop as module
from app.queue.lease_loop import CircuitBreaker
from app.queue.model import MAX_ATTEMPTS
from app.submissions.judging_record import JudgingClaim, finish
from app.submissions.model import Judging
from sandbox.interface import SandboxAway
from tests.clock import Clock
from tests.queue.fleet import wait_until
from tests.queue.test_lease import attempts_left, read_job
from tests.queue.test_lease_loop import ACCEPTED, BY_NOTIFY_ONLY, loop, send, states


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


def test_a_judging_for_which_no_box_is_to_be_had_runs_later_at_no_cost_of_an_attempt(database: Database) -> None:
    def run(claim: JudgingClaim, _: threading.Event) -> None:
        if claim.attempt < 3:
            raise SandboxAway("the engine is being restarted")
        left.append(attempts_left(read_job(database)))
        finish(database, claim, ACCEPTED)

    left: list[int] = []
    send(database)
    with loop(database, run, BY_NOTIFY_ONLY):
        wait_until(lambda: states(database) == ["done"])

    with database.transaction() as session:
        judging = session.scalars(select(Judging)).one()
    assert (judging.verdict, judging.attempt, judging.reason) == ("accepted", 3, None)
    assert left == [MAX_ATTEMPTS - 1]


def test_nothing_is_claimed_while_no_box_is_to_be_had(database: Database, clock: Clock) -> None:
    tried: list[int] = []

    def run(claim: JudgingClaim, _: threading.Event) -> None:
        tried.append(claim.judging_id)
        if clock.now == 1000:
            raise SandboxAway("the engine is being restarted")
        finish(database, claim, ACCEPTED)

    send(database)
    with loop(database, run, BY_NOTIFY_ONLY):
        wait_until(lambda: tried and states(database) == ["queued"])
        send(database)  # its notification wakes the loop
        wait_until(lambda: states(database) == ["queued", "queued"])
        before = list(tried)
        clock.now += 1
        send(database)
        wait_until(lambda: states(database) == ["done"] * 3)

    assert len(before) == 1


def test_a_worker_that_can_not_open_boxes_says_so_until_it_can(database: Database) -> None:
    can_open = threading.Event()
    seen: list[tuple[str, str]] = []

    def run(claim: JudgingClaim, _: threading.Event) -> None:
        if not can_open.is_set():
            raise SandboxAway("the machine has too much to do")
        finish(database, claim, ACCEPTED)

    def look() -> tuple[str, str]:
        with database.transaction() as session:
            return next(((each.state, each.box_failure) for each in list_workers(session)), ("", ""))

    often = replace(BY_NOTIFY_ONLY, beat=timedelta(seconds=0.05))
    with loop(database, run, often):
        send(database)
        wait_until(lambda: look()[0] == "no_boxes")
        seen.append(look())
        can_open.set()
        wait_until(lambda: states(database) == ["done"])
        wait_until(lambda: look()[0] == "alive")
        seen.append(look())

    assert seen == [("no_boxes", "the machine has too much to do"), ("alive", "")]


def test_pauses_grow_until_a_judging_has_ended(clock: Clock) -> None:
    pause, lengths = CircuitBreaker(), []

    for _ in range(7):
        pause.begin(SandboxAway("away"))
        lengths.append(pause.seconds_left)
        clock.now += pause.seconds_left
    pause.end()
    pause.begin(SandboxAway("away"))

    assert lengths == [1, 2, 4, 8, 16, 32, 32]
    assert pause.seconds_left == 1


def test_those_that_fail_at_once_make_one_pause(clock: Clock) -> None:
    pause = CircuitBreaker()

    for _ in range(3):
        pause.begin(SandboxAway("away"))
    clock.now += 1

    assert pause.seconds_left == 0


def test_a_pause_is_told_when_it_begins_and_when_all_is_well(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    pause = CircuitBreaker()
    pause.end()

    for _ in range(3):
        pause.begin(SandboxAway("the engine is being restarted"))
        clock.now += 60
    pause.end()

    assert [record.levelno for record in caplog.records] == [logging.ERROR, logging.WARNING]
    assert "the engine is being restarted" in caplog.messages[0]
