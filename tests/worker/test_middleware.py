"""The middleware around judgings.

A host that refuses every box stops its worker; one problem's refusal, or an engine that is away, does not.
"""

import threading
from unittest.mock import ANY
from uuid import uuid4

import pytest

from app.engine.job import Outcomes
from app.submissions.judging_record import JudgingClaim
from app.worker.middleware import JudgingResult, StopAfterRefusals, StopWhenIdle, with_middleware
from sandbox.interface import SandboxAway, SandboxUnavailable

CLAIM = JudgingClaim(job_id=1, judging_id=1, attempt=1, watched=uuid4())
JUDGED = JudgingResult(claim=CLAIM, work=ANY, finish=ANY, outcomes=Outcomes())


REFUSAL, AWAY = SandboxUnavailable("no image"), SandboxAway("restarting")


def judge_with(refusals: StopAfterRefusals, outcomes: list[SandboxUnavailable | None]) -> None:
    waiting = iter(outcomes)

    def judge(_claim: JudgingClaim, _abort: threading.Event) -> JudgingResult:
        if error := next(waiting):
            raise error
        return JUDGED

    watched = with_middleware(judge, [refusals])
    for error in outcomes:
        if error is None:
            watched(CLAIM, threading.Event())
            continue
        with pytest.raises(SandboxUnavailable):
            watched(CLAIM, threading.Event())


def test_three_refusals_in_a_row_stop_the_worker_once() -> None:
    stops: list[int] = []
    refusals = StopAfterRefusals(lambda: stops.append(1))

    judge_with(refusals, [REFUSAL] * 5)

    assert len(stops) == 1
    assert refusals.reason is REFUSAL


@pytest.mark.parametrize("outcomes", [[REFUSAL, REFUSAL, None] * 3, [AWAY] * 9, [REFUSAL, AWAY, REFUSAL]])
def test_a_success_between_or_an_engine_that_is_away_stops_nothing(outcomes: list[SandboxUnavailable | None]) -> None:
    stops: list[int] = []
    refusals = StopAfterRefusals(lambda: stops.append(1))

    judge_with(refusals, outcomes)

    assert stops == []
    assert refusals.reason is None


def test_a_worker_without_work_is_told_to_stop_and_one_that_judges_is_not() -> None:
    idle, judging = threading.Event(), threading.Event()
    StopWhenIdle(0.01, idle.set)
    busy = StopWhenIdle(1.0, judging.set)

    def judge(_claim: JudgingClaim, _abort: threading.Event) -> JudgingResult:
        assert idle.wait(10)
        assert not judging.wait(2)
        return JUDGED

    with_middleware(judge, [busy])(CLAIM, threading.Event())

    assert judging.wait(10)
