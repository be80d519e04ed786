"""One case runs again in another process, and its answer must be correct there too."""

import threading
from textwrap import dedent

import pytest

from app.engine.boxes import box_spec
from app.engine.case_verdict import RERUN
from app.engine.job import Job
from app.engine.judge import judge
from app.judging.verdicts import CaseResult, Verdict
from sandbox.interface import Launcher
from sandbox.pool import Pool
from tests.queue.fleet import wait_until
from tests.worker.bench import STANDARDISE, CountingPool, changed, have_idle, judge_source
from tests.worker.cases import make_case, sized

SPEC = box_spec(STANDARDISE.manifest)
CASES = tuple(make_case(position) for position in range(4))
# What is drawn is never what ran first.
SAMPLE_LAST = [CASES[1], CASES[0]]
HONEST = "def standardise(x, eps):\n    return x.copy()\n"
# Right as long as the first call is for the case that is first in order.
COUNTING = """
calls = []

def standardise(x, eps):
    calls.append(x)
    return x.copy() if len(calls) > 1 or x[0] == {first} else x + 99
"""


@pytest.mark.parametrize("runs_in_parallel", [False, True], ids=["after", "beside"])
def test_an_answer_that_depends_on_the_calls_before_it_is_found(pool: Pool, *, runs_in_parallel: bool) -> None:
    have_idle(pool, SPEC, 2)

    judged = judge_source(COUNTING.format(first=0), pool, CASES, runs_in_parallel=runs_in_parallel)

    assert judged.verdict is Verdict.WRONG_ANSWER
    wrong = [case for case in judged.cases if case.verdict is not Verdict.ACCEPTED]
    # Beside each other, the process of the first runs may have begun with another case.
    found_in = {RERUN, "values outside tolerance"} if runs_in_parallel else {RERUN}
    assert len(wrong) == 1
    assert wrong[0].report["category"] in found_in
    assert wrong[0].position > 0


@pytest.mark.whole
def test_the_second_run_is_beside_the_first_ones_where_a_core_and_a_box_are_idle(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a submission that is wrong after its first case has taken two boxes, and else one."""
    taken: list[int] = []
    at_once = "import time\ndef standardise(x, eps):\n    time.sleep(0.5)\n    return x + 99\n"
    later = at_once.replace("x + 99", "x.copy() if x[0] == 0 else x + 99")

    for cores, boxes, wrong in ((4, 2, later), (4, 2, at_once), (1, 2, later), (4, 1, later)):
        monkeypatch.setattr("app.engine.parallel_runs.count_cores", lambda cores=cores: cores)
        pool = CountingPool(launcher, capacity=3, max_runs=1000)
        have_idle(pool, SPEC, boxes)
        pool.leases = 0
        judged = judge_source(wrong, pool, CASES, runs_in_parallel=True)
        assert judged.verdict is Verdict.WRONG_ANSWER
        taken.append(pool.leases)
        pool.close()

    assert taken == [2, 1, 1, 1]


@pytest.mark.parametrize("sizes", [(2, 2), (2, 3), (2, 3, 4), (2, 3, 4, 5, 6)])
def test_an_answer_that_is_right_only_in_its_place_is_found_beside_other_cases(
    pool: Pool, sizes: tuple[int, ...]
) -> None:
    """The first call of a process is wrong, unless it is for the case that the first process begins with."""
    cases = [sized(position, size) for position, size in enumerate(sizes)]
    have_idle(pool, SPEC, 2)
    source = COUNTING.format(first=0)

    verdicts = {judge_source(source, pool, cases, runs_in_parallel=True).verdict for _ in range(6)}

    assert verdicts == {Verdict.WRONG_ANSWER}


@pytest.mark.whole
def test_a_second_run_that_decides_nothing_any_more_is_ended(pool: CountingPool) -> None:
    endless_if_first = """
        calls = []

        def standardise(x, eps):
            calls.append(x)
            while len(calls) == 1 and x[0] != 0:
                pass
            return x.copy() if x[0] == 0 else x + 99
    """
    have_idle(pool, SPEC, 2)
    pool.leases = 0

    judged = judge_source(dedent(endless_if_first), pool, CASES, runs_in_parallel=True)

    assert judged.verdict is Verdict.WRONG_ANSWER
    assert pool.leases == 2
    wait_until(lambda: pool.count().busy == 0, seconds=10)


def test_a_sample_says_what_the_second_run_answered(pool: Pool) -> None:
    judged = judge_source(COUNTING.format(first=1), pool, SAMPLE_LAST)

    report = judged.cases[0].report
    assert report["category"] == RERUN
    assert report["message"].startswith("this case was correct at first, but wrong when it ran again alone")
    assert "2 of 2 elements differ" in report["message"]
    assert report["answer"] is not None


def test_a_second_run_that_raises_counts_as_what_it_is(pool: Pool) -> None:
    source = COUNTING.format(first=1).replace("x + 99", "calls[1]")

    judged = judge_source(source, pool, SAMPLE_LAST)

    assert judged.verdict is Verdict.RUNTIME_ERROR
    assert judged.cases[0].report["category"] == RERUN
    assert "in a new process: IndexError: list index out of range. The same inputs" in judged.cases[0].report["message"]


def test_a_result_that_was_shown_does_not_change(pool: Pool) -> None:
    told: list[CaseResult] = []
    job = Job(package=STANDARDISE, source=COUNTING.format(first=0), cases=CASES)

    judged = judge(job, pool, told.append, threading.Event())

    assert sorted(told, key=lambda result: result.position) == list(judged.cases)


def test_a_problem_that_is_not_deterministic_runs_nothing_again(pool: CountingPool) -> None:
    pool.leases = 0
    package = changed("variants: 2", "variants: 2\ndeterministic: false")

    judged = judge_source(COUNTING.format(first=0), pool, CASES, package)

    assert (judged.verdict, pool.leases) == (Verdict.ACCEPTED, 1)


def test_an_honest_submission_pays_for_one_more_process(pool: CountingPool) -> None:
    pool.leases = 0

    judged = judge_source(HONEST, pool, CASES)

    assert (judged.verdict, pool.leases) == (Verdict.ACCEPTED, 2)


def test_a_wrong_submission_pays_for_none(pool: CountingPool) -> None:
    pool.leases = 0

    judge_source(HONEST.replace("x.copy()", "x + (x[0] == 2)"), pool, CASES)

    assert pool.leases == 1
