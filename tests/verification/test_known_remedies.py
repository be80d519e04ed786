"""The remedies for known submissions that get another verdict than their folder names."""

import pytest

from app.catalog.folder import VERDICT_FOLDERS
from app.catalog.verification_section import KnownResult
from app.engine.timing import TOO_SLOW
from app.judging.verdicts import Verdict
from app.verification.known_submissions import remedy_for


def a_result(verdict: Verdict, expected: Verdict) -> KnownResult:
    return KnownResult(name="slow", file="slow.py", expected=expected, verdict=verdict, wall_seconds=0.1)


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (Verdict.WRONG_ANSWER, "correct its answer, widen the tolerance, or move it to submissions/wrong_answer/"),
        (Verdict.TIME_LIMIT_EXCEEDED, "speed it up, raise limits.wall_seconds, or move it"),
        (Verdict.REQUIREMENT_NOT_MET, "let it meet the requirement, or move it"),
    ],
)
def test_each_verdict_has_its_remedy(verdict: Verdict, words: str) -> None:
    assert remedy_for(a_result(verdict, Verdict.ACCEPTED)).startswith(words)


def test_a_wrong_solution_that_is_accepted_needs_a_case() -> None:
    remedy = remedy_for(a_result(Verdict.ACCEPTED, Verdict.WRONG_ANSWER))

    assert remedy == "add a case where its answer differs from the reference's by more than the tolerance"


def test_a_right_solution_that_was_too_slow_may_only_need_a_quiet_machine() -> None:
    result = a_result(Verdict.REQUIREMENT_NOT_MET, Verdict.ACCEPTED).model_copy(update={"category": TOO_SLOW})

    assert "verify again while the machine is quiet" in remedy_for(result)


def test_no_submission_moves_to_a_folder_that_packages_lack() -> None:
    assert "judge_error" not in VERDICT_FOLDERS
    assert remedy_for(a_result(Verdict.JUDGE_ERROR, Verdict.ACCEPTED)) == "verify again"
