"""Cases that run out of time on an overloaded machine run once more when it is quieter, and that result counts."""

import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from uuid import uuid4

import pytest

from app.engine.boxes import box_spec
from app.engine.job import Job, Timeline
from app.engine.judge import judge
from app.engine.overload import OverloadWaits, wait_until_quieter
from app.engine.prepare import PreparedCase
from app.judging.verdicts import CaseResult, Finish, Phase, Verdict
from sandbox.interface import Aborted
from sandbox.pool import Pool
from tests.sandbox.busy import busy
from tests.worker.bench import CountingPool, changed
from tests.worker.cases import make_case

PACKAGE = changed("wall_seconds: 3", "wall_seconds: 0.5")
CASES = tuple(make_case(position) for position in range(2))
# Longer than a case may take in all, ten times its limit, and a warm box to begin with it.
LOAD_SECONDS = 8
HANGING = "def standardise(x, eps):\n    while x[0] == 1: pass\n    return x.copy()\n"
HANGING_UNTIL = "import time\ndef standardise(x, eps):\n    while time.time() < {}: pass\n    return x.copy()\n"


@dataclass
class Told:
    cases: list[CaseResult] = field(default_factory=list)
    phases: list[str] = field(default_factory=list)


def judge_under_load(
    source: str,
    pool: Pool,
    cases: Sequence[PreparedCase],
    wait: Callable[[threading.Event], None],
    quiet_at: float = 0.0,
) -> tuple[Finish, Told]:
    """The load begins when the source runs, and ends when it is waited for, not before `quiet_at`."""
    told = Told()
    with ExitStack() as others:

        def tell(now: Sequence[Phase]) -> None:
            told.phases.append(now[-1].name)
            if told.phases.count("running") == 1 and now[-1].name == "running":
                for core in os.sched_getaffinity(0):
                    others.enter_context(busy(core))
            elif now[-1].name == "waiting":
                time.sleep(max(0.0, quiet_at - time.time()))
                others.close()

        job = Job(package=PACKAGE, source=source, cases=cases, timeline=Timeline(tell), wait_until_quieter=wait)
        return judge(job, pool, told.cases.append, threading.Event()), told


def wait_briefly(abort: threading.Event) -> None:
    wait_until_quieter(4, abort)


def test_a_slow_case_on_an_overloaded_machine_is_accepted_when_it_is_quieter(pool: Pool) -> None:
    with pool.lease(box_spec(PACKAGE.manifest), threading.Event()):
        pass  # a warm box stays
    quiet_at = time.time() + LOAD_SECONDS

    judged, told = judge_under_load(HANGING_UNTIL.format(quiet_at), pool, CASES[:1], wait_briefly, quiet_at)

    assert judged.verdict is Verdict.ACCEPTED
    assert list(judged.cases) == told.cases
    assert told.phases == ["box", "running", "waiting", "box", "running", "again"]


@pytest.mark.whole
def test_an_endless_case_runs_twice_and_the_other_cases_keep_their_results(pool: CountingPool) -> None:
    pool.leases = 0

    judged, told = judge_under_load(HANGING, pool, CASES, wait_briefly)

    assert [case.verdict for case in judged.cases] == [Verdict.ACCEPTED, Verdict.TIME_LIMIT_EXCEEDED]
    assert len(told.cases) == 2
    assert (pool.leases, told.phases.count("waiting")) == (2, 1)


def test_a_judging_that_may_not_wait_runs_once_more_at_once(pool: CountingPool) -> None:
    waits, user = OverloadWaits(slots=4), uuid4()
    pool.leases = 0

    with waits.seat(user):
        judged, _ = judge_under_load(HANGING, pool, CASES[1:], partial(waits.wait, user, 60))

    assert judged.verdict is Verdict.TIME_LIMIT_EXCEEDED
    assert pool.leases == 2


def test_nothing_waits_for_a_quieter_machine_once_it_is_aborted(pool: Pool) -> None:
    def wait(abort: threading.Event) -> None:
        abort.set()
        wait_until_quieter(60, abort)

    with pytest.raises(Aborted):
        judge_under_load(HANGING, pool, CASES[1:], wait)


def test_one_judging_of_each_user_waits_at_a_time() -> None:
    waits, user = OverloadWaits(slots=8), uuid4()

    with waits.seat(user) as first, waits.seat(user) as second, waits.seat(uuid4()) as another:
        found = first, second, another

    assert found == (True, False, True)
    with waits.seat(user) as later:
        assert later


@pytest.mark.parametrize(("slots", "seats"), [(1, 1), (2, 1), (5, 2)])
def test_half_of_the_slots_wait_at_once_and_at_least_one(slots: int, seats: int) -> None:
    waits = OverloadWaits(slots)

    with ExitStack() as others:
        found = [others.enter_context(waits.seat(uuid4())) for _ in range(slots + 1)]

    assert found == [True] * seats + [False] * (slots + 1 - seats)
