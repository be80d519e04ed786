import threading

import pytest

from app.engine.job import Job
from app.engine.judge import judge
from app.judging.verdicts import CaseResult, Finish, Verdict
from app.submissions.view import view_case
from sandbox.pool import Pool
from tests.worker.bench import STANDARDISE, judge_source
from tests.worker.cases import make_case

CASES = tuple(make_case(position) for position in range(6))


def judge_and_tell(source: str, pool: Pool) -> tuple[Finish, list[CaseResult]]:
    told: list[CaseResult] = []
    job = Job(package=STANDARDISE, source=source, cases=CASES)
    return judge(job, pool, told.append, threading.Event()), told


def test_after_three_cases_that_ended_the_program_the_others_are_not_run_and_say_so(pool: Pool) -> None:
    source = "import os\ndef standardise(x, eps):\n    return os._exit(1) if x[0] < 4 else x.copy()\n"

    judged, told = judge_and_tell(source, pool)

    assert [case.verdict for case in judged.cases] == [Verdict.RUNTIME_ERROR] * 6
    assert [case.name for case in judged.cases] == [case.name for case in CASES]
    assert list(judged.cases) == told
    assert judged.cases[3].report == {"category": "not run"}
    assert judged.cases[3].wall_seconds == 0


@pytest.mark.whole
def test_after_a_first_case_that_takes_too_long_the_others_are_not_run_and_the_line_is_told(pool: Pool) -> None:
    judged, told = judge_and_tell("def standardise(x, eps):\n    while True:\n        x[:0]\n", pool)

    assert [case.verdict for case in judged.cases] == [Verdict.TIME_LIMIT_EXCEEDED] * 6
    assert "Hint: when it was stopped, it was at solution.py, line " in judged.cases[0].report["message"]
    assert [case.report for case in judged.cases[1:]] == [{"category": "not run"}] * 5
    assert sum(case.wall_seconds or 0 for case in judged.cases[1:]) == 0
    assert list(judged.cases) == told


@pytest.mark.whole
def test_a_later_case_that_takes_too_long_costs_the_others_nothing(pool: Pool) -> None:
    source = "def standardise(x, eps):\n    while x[0] == 1: pass\n    return x.copy()\n"

    judged = judge_source(source, pool, CASES)

    assert [case.verdict is Verdict.ACCEPTED for case in judged.cases] == [True, False, True, True, True, True]


def test_a_sample_that_was_not_run_says_why_and_shows_its_values(pool: Pool) -> None:
    cases = [*CASES[1:4], CASES[0]]

    sample = judge_source("import os\ndef standardise(x, eps):\n    os._exit(1)\n", pool, cases).cases[0]

    assert "not run: 3 earlier cases stopped the program" in sample.report["message"]
    assert sample.report["inputs"] == CASES[0].inputs_preview


def test_the_share_of_the_tolerance_is_kept_also_for_hidden_cases_and_no_view_has_it(pool: Pool) -> None:
    source = "def standardise(x, eps):\n    return x.copy() if x[0] < 3 else x + 1\n"

    judged = judge_source(source, pool, CASES)

    used = [case.tolerance_used for case in judged.cases]
    assert used[:3] == [0, 0, 0]
    assert all(share is not None and share > 1 for share in used[3:])
    assert all("tolerance_used" not in view_case(case).model_dump() for case in judged.cases)
    assert judged.cases[4].report == {"category": "values outside tolerance"}
