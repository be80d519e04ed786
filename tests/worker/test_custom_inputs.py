"""Submissions on custom inputs, judged by a worker in real boxes."""

import threading
from typing import Any

import pytest
from sqlalchemy import select

from app.submissions.model import CaseRow, Submission
from tests.worker.bench import REFERENCE, STANDARDISE, Bench, with_reference_line

WRONG = REFERENCE.replace("x.mean()", "x.min()")


def judge(bench: Bench, inputs: str, source: str = REFERENCE, package: Any = STANDARDISE) -> CaseRow:
    """The only case of the submission."""
    judging_id = bench.send(bench.publish(package), source)
    with bench.database.transaction() as session:
        submission = session.scalars(select(Submission)).one()
        submission.mode, submission.inputs = "sample", inputs
    bench.worker().judge(bench.claim(), threading.Event())
    with bench.database.transaction() as session:
        return session.scalars(select(CaseRow).where(CaseRow.judging_id == judging_id)).one()


def test_the_answer_is_compared_with_what_the_reference_answers_to_the_same_inputs(bench: Bench) -> None:
    case = judge(bench, "x: [1, 2, 6]\neps: 0\n", WRONG)

    assert (case.name, case.visibility, case.verdict) == ("own_inputs", "sample", "wrong_answer")
    assert case.report["inputs"]["x"]["leaves"][0]["values"] == [1.0, 2.0, 6.0]
    assert case.report["answer"] != case.report["expected"]
    assert bench.judging().verdict == "wrong_answer"


def test_a_right_answer_to_them_is_accepted(bench: Bench) -> None:
    assert judge(bench, "x: [1, 2, 6]\neps: 0\n").verdict == "accepted"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("assert len(x) > 3, 'the secret of the reference'", "it raises AssertionError"),
        pytest.param("while len(x) == 3: pass", "it exceeds the time limit of a case", marks=pytest.mark.whole),
    ],
)
def test_inputs_that_the_reference_can_not_answer_are_told_as_such_and_show_nothing_of_it(
    bench: Bench, line: str, why: str
) -> None:
    case = judge(bench, "x: [1, 2, 6]\neps: 0\n", package=with_reference_line(line))

    judging = bench.judging()
    assert (judging.state, judging.verdict, judging.attempt) == ("done", "invalid_submission", 1)
    assert [phase["name"] for phase in judging.phases or ()] == ["preparing"]
    assert f"the reference solution fails on these inputs ({why})" in case.report["message"]
    assert "secret" not in str(case.report)
