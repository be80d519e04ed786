"""Cases that run out of time on an overloaded machine run once more when it is quieter, and that result counts."""

import os
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

import pytest

from app.judging.result import CaseResult
from app.judging.verdicts import Verdict
from app.submissions.phase import Phase
from app.worker.judge import Job, judge
from app.worker.lease import Finish
from app.worker.prepare import PreparedCase
from app.worker.timeline import Timeline
from sandbox.interface import Aborted
from sandbox.pool import Pool
from tests.sandbox.busy import busy
from tests.worker.bench import CountingPool, changed
from tests.worker.cases import make_case

PACKAGE = changed("wall_seconds: 3", "wall_seconds: 1")
CASES = tuple(make_case(position) for position in range(2))
# Far more than what runs beside this test is likely to want.
BUSY_PROCESSES_PER_CORE = 48
# It takes far longer where it gets less than a twentieth of a core, as one does that others have driven out of memory.
SLOW_UNDER_LOAD = """
import time

def standardise(x, eps):
    started, processor = time.monotonic(), time.thread_time()
    while time.thread_time() - processor < 0.05: pass
    time.sleep(20 if time.monotonic() - started > 1 else 0)
    return x.copy()
"""
HANGING = "def standardise(x, eps):\n    while x[0] == 1: pass\n    return x.copy()\n"


@dataclass
class Told:
    cases: list[CaseResult] = field(default_factory=list)
    phases: list[str] = field(default_factory=list)


def judge_under_load(
    source: str, pool: Pool, cases: Sequence[PreparedCase], abort: threading.Event | None = None
) -> tuple[Finish, Told]:
    """The load begins when the source runs and ends when it is waited for; then `abort` is set, if it is given."""
    told = Told()
    with ExitStack() as others:

        def tell(now: Sequence[Phase]) -> None:
            told.phases.append(now[-1].name)
            if told.phases.count("running") == 1 and now[-1].name == "running":
                for core in os.sched_getaffinity(0):
                    others.enter_context(busy(core, BUSY_PROCESSES_PER_CORE))
            elif now[-1].name == "waiting" and abort is not None:
                abort.set()
            elif now[-1].name == "waiting":
                others.close()

        job = Job(package=PACKAGE, source=source, cases=cases, timeline=Timeline(tell), overload_wait_seconds=4)
        return judge(job, pool, told.cases.append, abort or threading.Event()), told


def test_what_took_too_long_on_an_overloaded_machine_is_accepted_when_it_is_quieter(pool: Pool) -> None:
    judged, told = judge_under_load(SLOW_UNDER_LOAD, pool, CASES[:1])

    assert judged.verdict is Verdict.ACCEPTED
    assert list(judged.cases) == told.cases
    assert told.phases == ["box", "running", "waiting", "box", "running", "again"]


def test_what_never_ends_runs_twice_and_the_other_cases_keep_their_results(pool: CountingPool) -> None:
    pool.leases = 0

    judged, told = judge_under_load(HANGING, pool, CASES)

    assert [case.verdict for case in judged.cases] == [Verdict.ACCEPTED, Verdict.TIME_LIMIT_EXCEEDED]
    assert len(told.cases) == 2
    assert (pool.leases, told.phases.count("waiting")) == (2, 1)


def test_nothing_waits_for_a_quieter_machine_once_it_is_aborted(pool: Pool) -> None:
    with pytest.raises(Aborted):
        judge_under_load(HANGING, pool, CASES[1:], threading.Event())
