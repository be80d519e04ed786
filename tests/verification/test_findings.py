"""Findings: their files and lines, and the remedies of failures and of known submissions."""

from typing import Any

import pytest

from app.catalog.folder import VERDICT_FOLDERS
from app.catalog.verification_report import Report
from app.catalog.verification_section import KnownResult
from app.engine.prepare import ReferenceFailed
from app.engine.timing import TOO_SLOW
from app.judging.checker import CheckerUnfit
from app.judging.verdicts import Verdict
from app.verification.code_failure import UNFIT, failure_finding, remedy_of
from app.verification.known_submissions import remedy_for
from app.verification.trial import Effort, VerificationPools
from sandbox.interface import CaseOutcome, Ending, Failure, Stage
from tests.verification.bench import NO_MUTANTS, PACKAGES, changed, package_of, said, verified

TOLERANCE = "tolerance: {rtol: 1.0e-5, atol: 1.0e-6}"
LOOSE = "tolerance: {rtol: 1.0e-2, atol: 0.0, leaves: {gradients: {rtol: 0.0, atol: 1.0}}}"


@pytest.fixture(scope="module")
def loose(pools: VerificationPools) -> Report:
    return verified(changed("running_mean", (TOLERANCE, LOOSE)), pools, NO_MUTANTS)


def test_a_tolerance_of_no_leaf_is_pointed_out(loose: Report) -> None:
    messages = [message for check, message in said(loose, "warning") if check == "lint"]

    assert messages == ["the tolerance of gradients matches no leaf of any case"]


def test_a_wrong_solution_in_the_folder_of_right_ones_is_named(pools: VerificationPools) -> None:
    report = verified(changed("running_mean", ("x[: i + 1].mean()", "x[: i + 1].sum()")), pools, NO_MUTANTS)

    (finding,) = (finding for finding in report.findings if finding.check == "known")

    assert (finding.file, finding.line) == ("problem.yaml", line_of("import numpy as np", below="place_by_place:"))
    assert finding.message == (
        "submissions.accepted.place_by_place: gets wrong_answer (case worked_example: values outside tolerance); "
        "expected accepted"
    )


def line_of(text: str, below: str) -> int:
    """Return the line in the package's problem.yaml."""
    whole = (PACKAGES / "running_mean" / "problem.yaml").read_text()
    return whole.count("\n", 0, whole.index(text, whole.index(below))) + 1


def test_a_mutant_of_a_text_in_the_manifest_has_its_line_there(pools: VerificationPools) -> None:
    report = verified(package_of("running_mean"), pools, Effort(is_quick=True, mutants=1))

    assert report.mutation is not None
    (mutant,) = report.mutation.mutants
    assert mutant.line == line_of("return np.cumsum", below="reference:")


TRACEBACK = '  File "solution.py", line 6, in running_mean\n    return mean(x)\n  File "solution.py", line 9, in mean'


def an_outcome(ending: Ending, kind: str, *, stage: Stage = "call", traceback: str = "") -> CaseOutcome:
    return CaseOutcome(
        name="small",
        ending=ending,
        answer=None,
        failure=Failure(stage=stage, kind=kind, message="why", traceback=traceback),
        text="",
        wall_seconds=0.1,
        memory_bytes=0,
    )


@pytest.mark.parametrize(
    ("ending", "kind", "more", "remedy"),
    [
        (Ending.TIMED_OUT, "Timeout", {}, "raise limits.wall_seconds, or speed up the reference"),
        (Ending.TIMED_OUT, "Timeout", {"stage": "load"}, "do less work when the reference loads"),
        (Ending.RAISED, "KeyError", {"traceback": TRACEBACK}, "correct line 9 of the reference, which raises KeyError"),
        (Ending.RAISED, "KeyError", {}, "correct the reference, which raises KeyError, or change the inputs of case"),
        (Ending.INPUT_CHANGED, "x", {}, "copy the argument x before changing it, or list it under `may_change`"),
        (Ending.MEMORY_SHARED, "x", {}, "return a copy that shares no memory with the argument x"),
        (Ending.TOO_MUCH_OUTPUT, "TooLarge", {}, "return a smaller output, or choose smaller inputs"),
        (Ending.CRASHED, "SIGSEGV", {}, "remove the call that ends the process with SIGSEGV"),
    ],
)
def test_each_cause_has_its_remedy(ending: Ending, kind: str, more: dict[str, Any], remedy: str) -> None:
    assert remedy_of(an_outcome(ending, kind, **more), "reference").startswith(remedy)


def test_a_finding_names_the_file_and_the_line() -> None:
    outcome = an_outcome(Ending.RAISED, "KeyError", traceback=TRACEBACK)
    failed = ReferenceFailed(
        "running_mean/problem.yaml, reference, case small: KeyError: 3\nmore", part="reference", outcome=outcome
    )

    finding = failure_finding("reference", failed, package_of("running_mean"))

    assert (finding.file, finding.line) == ("reference.py", 9)
    assert finding.message == "case small: KeyError: 3"
    assert finding.details == str(failed)


def test_an_exception_outside_the_reference_is_the_drivers() -> None:
    outcome = an_outcome(Ending.RAISED, "KeyError")
    failed = ReferenceFailed(
        "other_data/problem.yaml, reference, case small: KeyError", part="reference", outcome=outcome
    )

    finding = failure_finding("reference", failed, package_of("other_data"))

    assert (finding.file, finding.message) == ("driver.py", "case small: KeyError")
    assert finding.remedy == "correct driver.py, which raises KeyError, or change the inputs of case small"


def test_a_failure_that_brings_its_remedy_keeps_it() -> None:
    failed = ReferenceFailed(
        "running_mean/problem.yaml, checkers, loss judges no leaf", remedy="correct the pattern, or remove it"
    )

    finding = failure_finding("reference", failed, package_of("running_mean"))

    assert (finding.file, finding.line) == ("problem.yaml", None)
    assert (finding.message, finding.remedy) == ("checkers, loss judges no leaf", "correct the pattern, or remove it")


def test_a_checker_that_does_not_fit_has_a_remedy() -> None:
    finding = failure_finding("trivial", CheckerUnfit("set is for lists"), package_of("running_mean"))

    assert (finding.message, finding.remedy) == ("set is for lists", UNFIT)


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
