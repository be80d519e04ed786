"""The remedies for package code that fails, one per cause, from given outcomes."""

from typing import Any

import pytest

from app.engine.prepare import ReferenceFailed
from app.judging.checker import CheckerUnfit
from app.verification.code_failure import UNFIT, failure_finding, remedy_of
from sandbox.interface import CaseOutcome, Ending, Failure, Stage
from tests.verification.bench import package_of

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
