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


REMEDIES: dict[str, tuple[Ending, str, dict[str, Any], str]] = {
    "time": (Ending.TIMED_OUT, "Timeout", {}, "raise limits.wall_seconds, or speed up the reference"),
    "load time": (Ending.TIMED_OUT, "Timeout", {"stage": "load"}, "do less work when the reference loads"),
    "memory": (Ending.OUT_OF_MEMORY, "MemoryLimit", {}, "choose smaller inputs, or raise limits.memory_mib"),
    "exception": (
        Ending.RAISED,
        "KeyError",
        {"traceback": TRACEBACK},
        "correct line 9 of the reference, which raises KeyError, or change the inputs of case small",
    ),
    "exception without a line": (
        Ending.RAISED,
        "KeyError",
        {},
        "correct the reference, which raises KeyError, or change the inputs of case small",
    ),
    "changed argument": (
        Ending.INPUT_CHANGED,
        "x",
        {},
        "copy the argument x before changing it, or list it under `may_change`",
    ),
    "shared memory": (Ending.MEMORY_SHARED, "x", {}, "return a copy that shares no memory with the argument x"),
    "large answer": (Ending.TOO_MUCH_OUTPUT, "TooLarge", {}, "return a smaller output, or choose smaller inputs"),
    "much text": (Ending.TOO_MUCH_OUTPUT, "TooMuchText", {}, "print less"),
    "exit": (Ending.CRASHED, "exit", {}, "return a value; do not end the process"),
    "signal": (Ending.CRASHED, "SIGSEGV", {}, "remove the call that ends the process with SIGSEGV"),
    "other values": (
        Ending.UNSUPPORTED,
        "set",
        {},
        "return arrays, numbers, texts, or lists, tuples and dicts of them",
    ),
    "forged answer": (
        Ending.FORGED,
        "Forged",
        {},
        "return the values, and write to no file descriptor that the code did not open",
    ),
}


@pytest.mark.parametrize("cause", REMEDIES)
def test_each_cause_has_its_remedy(cause: str) -> None:
    ending, kind, more, remedy = REMEDIES[cause]

    assert remedy_of(an_outcome(ending, kind, **more), "reference") == remedy


def test_no_ending_is_without_a_remedy() -> None:
    endings = {ending for ending, *_ in REMEDIES.values()}

    assert endings == set(Ending) - {Ending.ANSWERED, Ending.INVALID}


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
