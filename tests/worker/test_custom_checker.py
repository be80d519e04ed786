"""A package's own `checker.py` in real boxes: its verdict counts, and its failures are its author's fault."""

import threading
from typing import Any

import numpy as np
import pytest

from app.catalog.package import Package, package_from_files
from app.engine.custom_checker import TOO_LARGE, CheckerFailed, CustomChecker
from app.engine.prepare import Draw, PreparedCase, ReferenceFailed, prepare
from app.errors import JudgeFailed
from app.judging.verdicts import Finish, Verdict
from sandbox.guest.codec import STANDARD_CAPS, encode
from tests.worker.bench import Bench, CountingPool, judge_source

REFERENCE = """\
import numpy as np

def roots(a):
    return {"low": -np.sqrt(a), "any": np.sqrt(a)}
"""
CHECKER = """\
import numpy as np

def check(inputs, expected, answer):
    if np.allclose(answer["any"] ** 2, inputs["a"], rtol=1e-4):
        return True
    return f"its square is {answer['any'][0] ** 2:.1f}"
"""
PROBLEM = """\
title: Roots
summary: Any square root of each number.
difficulty: beginner
estimated_minutes: 5
frameworks: [numpy]
entry_point: roots
parameters: [{name: a, type: numpy, shape: [N], dtype: float32}]
returns: {type: dict}
limits: {wall_seconds: 0.5}
checkers: {any: {checker: property}}
cases:
  - {name: shown, visibility: sample, inputs: {a: [4, 9]}}
  - {name: drawn, inputs: {a: {draw: uniform, shape: [5], low: 1, high: 2}}}
statement: Return the negative root and any root.
starter: |
  def roots(a): ...
submissions:
  accepted: {plain: "def roots(a): ..."}
  wrong_answer: {none: "# returns nothing"}
"""
FLIPPED = REFERENCE.replace('"any": np.sqrt(a)', '"any": -np.sqrt(a)')


def package(checker: str = CHECKER) -> Package:
    files = {"problem.yaml": PROBLEM, "reference.py": REFERENCE, "checker.py": checker}
    return package_from_files("roots", {path: text.encode() for path, text in files.items()})


@pytest.fixture(scope="module")
def cases(references: CountingPool) -> tuple[PreparedCase, ...]:
    return prepare(package(), Draw(b"secret", 0), references, threading.Event()).cases


def run(source: str, pools: tuple[CountingPool, CountingPool], cases: Any, checker: str = CHECKER) -> Finish:
    """`pools`: of students and of references."""
    return judge_source(source, pools[0], cases, package(checker), references=pools[1])


def test_an_answer_without_it_is_wrong_and_only_a_sample_says_why(
    pool: CountingPool, references: CountingPool, cases: Any
) -> None:
    source = REFERENCE.replace('"any": np.sqrt(a)', '"any": 2 * np.sqrt(a)')

    sample, hidden = run(source, (pool, references), cases).cases

    assert (sample.verdict, sample.report["message"]) == (Verdict.WRONG_ANSWER, "`any`: its square is 16.0")
    assert hidden.report == {"category": "property does not hold"}


def test_it_runs_in_the_boxes_of_references_and_never_in_those_of_students(
    pool: CountingPool, references: CountingPool, cases: Any
) -> None:
    pool.leases = references.leases = 0

    run(REFERENCE, (pool, references), cases)

    once_more = 1  # the case that runs again
    assert (pool.leases, references.leases) == (1 + once_more, len(cases) + once_more)


@pytest.mark.whole
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return {}['x']", "KeyError: 'x'"),
        ("import time; time.sleep(60)", "took longer than 2 s"),
        ("import os; os._exit(0)", "ended itself with exit code 0"),
        ("return np.zeros(100_000)", "TooLarge: an array of shape"),
        ("return object()", "object can't be returned"),
        ("return None", "checker.py returned None for leaf any; return True, False or the reason as a text"),
    ],
)
def test_a_checker_that_fails_is_an_error_of_the_judge_with_the_reason(
    body: str, words: str, pool: CountingPool, references: CountingPool, cases: Any
) -> None:
    checker = f"import numpy as np\n\ndef check(inputs, expected, answer):\n    {body}\n"

    with pytest.raises(JudgeFailed, match=words):
        run(REFERENCE, (pool, references), cases, checker)
    assert run(REFERENCE, (pool, references), cases).verdict is Verdict.ACCEPTED


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return 'no'", "checkers, case shown: the reference's own answer is refused: `any`: no"),
        ("return 1 / 0", "checkers, case shown: roots/checker.py, case shown: ZeroDivisionError"),
    ],
)
def test_a_checker_that_refuses_the_reference_is_found_before_any_submission(
    body: str, words: str, references: CountingPool
) -> None:
    checker = f"def check(inputs, expected, answer):\n    {body}\n"

    with pytest.raises(ReferenceFailed, match=words):
        prepare(package(checker), Draw(b"secret", 0), references, threading.Event())


def test_a_case_that_does_not_fit_into_one_message_is_the_authors_to_make_smaller(references: CountingPool) -> None:
    large = encode(np.zeros(5 * 2**20, np.float32))
    asker = CustomChecker(package(), references, threading.Event())

    with pytest.raises(CheckerFailed, match="inputs, expected and answer together hold more than"):
        asker.about("big", large, large, encode(np.zeros(8 * 2**20, np.float32)))()


def test_many_questions_share_a_process_and_one_that_fails_is_asked_again_alone(references: CountingPool) -> None:
    checker = "def check(inputs, expected, answer):\n    return 1 / answer['any'][0] > 0 or 'negative'\n"
    asker = CustomChecker(package(checker), references, threading.Event())
    inputs, none = encode({"a": np.ones(1, np.float32)}), encode({})
    answers = [encode({"any": np.array([number], np.int64).tolist()}) for number in (1, -1, 0)]
    references.leases = 0

    right, wrong, failing, other = asker.about_all([("one", inputs, answers[0], each) for each in (*answers, none)])

    assert (right(), wrong(), references.leases) == (True, "negative", 1)
    with pytest.raises(CheckerFailed, match="ZeroDivisionError"):
        failing()
    assert references.leases == 2
    assert other is not None


def test_a_worker_asks_in_the_boxes_of_its_references(bench: Bench) -> None:
    judging = bench.judge(bench.publish(package()), FLIPPED)

    assert (judging.verdict, judging.reason) == ("accepted", None)


def test_an_answer_that_is_too_large_to_be_checked_is_wrong_and_no_fault_of_the_package(
    references: CountingPool,
) -> None:
    largest = encode("x" * STANDARD_CAPS.text_bytes)
    checker = CustomChecker(package(), references, threading.Event())

    ask = checker.about("shown", encode({"text": "an input"}), encode("expected"), largest)

    assert ask() == TOO_LARGE
