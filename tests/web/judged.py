"""Submissions on their way, as a worker would move them: by the lease's own functions and with real reports."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np

from app.catalog.package import Package
from app.database.engine import Database
from app.judging.checkers.property import Property
from app.judging.comparison import Rules, compare
from app.judging.leaf import Tree
from app.judging.report import AnswerFault, Material, build_report, copyable_preview, preview
from app.judging.verdicts import CaseResult, Finish, Verdict, Visibility, overall, score
from app.queue.lease import Wanted, claim
from app.submissions.judging_record import JudgingClaim, finish, record_cases
from tests.catalog.packages import PROBLEM, make_listed

WANTED = Wanted(queues=["cpu"], slots=1, worker="test", lease=timedelta(seconds=15))
CASES: tuple[tuple[str, Visibility], ...] = (("small", "sample"), ("large", "hidden"), ("made", "hidden"))
INPUTS = {
    "x": copyable_preview(np.array([1, 2.5], np.float32)),
    "options": copyable_preview({"weights": [1.0, 2.0]}),
    "scale": copyable_preview(2.0),
    "y": copyable_preview({}),
}
LONG_NAMES = {
    "small": "sample_of_a_single_row_with_even_width",
    "large": "hidden_large_batch_with_odd_remainder",
    "made": "hidden_sequence_longer_than_the_window",
}
RIGHT: Tree = np.array(7, np.float32)


def take(database: Database) -> JudgingClaim:
    with database.transaction() as session:
        (taken,) = claim(session, WANTED, JudgingClaim)
    return taken


def record(database: Database, taken: JudgingClaim, *results: CaseResult) -> None:
    for result in results:
        with database.transaction() as session:
            record_cases(session, taken, [result])


def end(database: Database, taken: JudgingClaim, *results: CaseResult, **hints: Any) -> None:
    """`hints`: the fields `hint` and `hint_pending` of Finish."""
    verdicts = [result.verdict for result in results]
    outcome = Finish(
        verdict=overall(verdicts), score=score(verdicts), cases=results, image="test", versions={}, **hints
    )
    assert finish(database, taken, outcome)


def judge(database: Database, *results: CaseResult, **hints: Any) -> None:
    """The whole judging of the submission that waits."""
    end(database, take(database), *results, **hints)


def answered(position: int, answer: Tree, expected: Tree = RIGHT, text: str = "", said: object = None) -> CaseResult:
    """The case at this position was answered so. `said`: by the package's own checker, if it is asked."""
    rules = Rules() if said is None else Rules(checkers={"*": Property(checker="property")})
    comparison = compare(answer, expected, rules, lambda: said)
    material = Material(text=text, inputs=INPUTS, answer=preview(answer), expected=preview(expected))
    verdict = Verdict.ACCEPTED if comparison.accepted else Verdict.WRONG_ANSWER
    return _result(position, verdict, build_report(CASES[position][1], comparison, material))


def failed(position: int, verdict: Verdict, fault: AnswerFault, text: str = "") -> CaseResult:
    """The case at this position has no answer."""
    return _result(position, verdict, build_report(CASES[position][1], fault, Material(text=text)))


def all_right() -> tuple[CaseResult, ...]:
    return tuple(answered(position, RIGHT) for position in range(len(CASES)))


def make_wordy_package() -> Package:
    """The problem `wordy`: its title and the names of its cases are as long as real ones get."""
    problem = PROBLEM
    for short, long in LONG_NAMES.items():
        problem = problem.replace(f"name: {short}", f"name: {long}")
    title = "Accumulated per-example gradients of a causal transformer, microbatched and clipped"
    return make_listed("wordy", problem=problem, title=title)


def as_wordy(*results: CaseResult) -> tuple[CaseResult, ...]:
    """The same results, of the cases of that problem."""
    return tuple(replace(result, name=LONG_NAMES[result.name]) for result in results)


def wordy_results() -> tuple[CaseResult, ...]:
    """Results of that problem with long verdicts and categories."""
    unmet = AnswerFault(category="materialises too much", message="an intermediate of shape (4096, 4096) is computed")
    late = AnswerFault(category="time limit exceeded", message="the time limit of 2 s was exceeded")
    wrong = answered(0, {"encoder/attention/scores": np.zeros(9)}, {"encoder/attention/scores": np.ones(9)})
    return as_wordy(wrong, failed(1, Verdict.REQUIREMENT_NOT_MET, unmet), failed(2, Verdict.TIME_LIMIT_EXCEEDED, late))


def _result(position: int, verdict: Verdict, report: dict[str, Any]) -> CaseResult:
    name, visibility = CASES[position]
    return CaseResult(
        position=position,
        name=name,
        visibility=visibility,
        verdict=verdict,
        wall_seconds=0.25,
        memory_bytes=2**24,
        report=report,
    )
