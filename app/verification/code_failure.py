"""Findings about package code that fails when it runs: the file, the line and one remedy per cause."""

import re

from app.catalog.folder import FILE_OF_KEY, MANIFEST_FILE
from app.catalog.package import Package
from app.catalog.verification_report import CheckName, Finding
from app.engine.request import PackageFailed, place_of
from app.errors import JudgeFailed
from sandbox.interface import CaseOutcome, Ending, Failure

NOUNS = {
    "reference": "the reference",
    "driver": "driver.py",
    "generators": "the generator",
    "property": "checker.py",
}
UNFIT = "choose a checker that fits the reference's answer; a checker.py returns True, False or a reason"
_LINE = re.compile(r'^  File "solution\.py", line (\d+)', re.M)
_REMEDIES = {
    Ending.OUT_OF_MEMORY: "choose smaller inputs, or raise limits.memory_mib",
    Ending.FORGED: "return the values, and write to no file descriptor that the code did not open",
    Ending.UNSUPPORTED: "return arrays, numbers, texts, or lists, tuples and dicts of them",
}
_REMEDIES_OF_KIND = {
    "TooMuchText": "print less",
    "TooLarge": "return a smaller output, or choose smaller inputs",
    "exit": "return a value; do not end the process",
    "TooManyThreads": "start fewer threads",
    "TooManyFiles": "write fewer files to /tmp",
    "Closed": "close only the file descriptors that the code opened",
}


def failure_finding(check: CheckName, failed: JudgeFailed, package: Package) -> Finding:
    """Return the error for a check that could not run because a part of the package failed."""
    reason, remedy, part, line = str(failed), UNFIT, "", None
    if isinstance(failed, PackageFailed):
        reason, remedy, part = failed.reason, failed.remedy or UNFIT, failed.part
    place = place_of(package, part) if part else f"{package.slug}/{MANIFEST_FILE}"
    if isinstance(failed, PackageFailed) and failed.outcome is not None:
        part = culprit_of(package, part, failed.outcome)
        remedy, line = remedy_of(failed.outcome, part), line_of(failed.outcome.failure)
    return Finding(
        check=check,
        severity="error",
        message=reason.splitlines()[0].removeprefix(f"{place}, "),
        remedy=remedy,
        file=FILE_OF_KEY.get(part, MANIFEST_FILE),
        line=line,
        details=str(failed) if len(reason.splitlines()) > 1 else "",
    )


def culprit_of(package: Package, part: str, outcome: CaseOutcome) -> str:
    """Return `driver` if the driver raised around the part, and not the part itself, which a traceback would show."""
    is_outside = outcome.ending is Ending.RAISED and line_of(outcome.failure) is None
    return "driver" if part == "reference" and package.driver is not None and is_outside else part


def remedy_of(outcome: CaseOutcome, part: str) -> str:
    """Return what the author changes if `part`, a key such as `reference`, ends a case without an answer."""
    failure, noun = outcome.failure, NOUNS.get(part, part)
    if failure is None or outcome.ending in _REMEDIES:
        return _REMEDIES.get(outcome.ending, f"let {noun} answer every case")
    if outcome.ending is Ending.TIMED_OUT:
        is_loading = failure.stage == "load"
        return f"do less work when {noun} loads" if is_loading else f"raise limits.wall_seconds, or speed up {noun}"
    if outcome.ending in (Ending.RAISED, Ending.INVALID):
        where = f"line {line} of {noun}" if (line := line_of(failure)) else noun
        return f"correct {where}, which raises {failure.kind}, or change the inputs of case {outcome.name}"
    if outcome.ending is Ending.INPUT_CHANGED:
        return f"copy the argument {failure.kind} before changing it, or list it under `may_change`"
    if outcome.ending is Ending.MEMORY_SHARED:
        return f"return a copy that shares no memory with the argument {failure.kind}"
    return _REMEDIES_OF_KIND.get(failure.kind, f"remove the call that ends the process with {failure.kind}")


def line_of(failure: Failure | None) -> int | None:
    """Return the line of the package's code that failed, counted from 1, if the traceback names one."""
    lines = _LINE.findall(failure.traceback) if failure else ()
    return int(lines[-1]) if lines else None
