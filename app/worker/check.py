"""From what a box says of one case to its result: the verdict, and a report that the student may see."""

from dataclasses import dataclass, replace

from app.judging.comparison import UNSUPPORTED, Comparison, compare
from app.judging.preview import preview
from app.judging.report import Fault, Material, build_report, told_bytes, told_seconds
from app.judging.result import CaseResult
from app.judging.verdicts import Verdict
from app.worker.asking import Asker
from app.worker.prepare import PreparedCase
from app.worker.rules import rules_of
from app.worker.run import PROCESSES
from sandbox.guest.codec import Malformed, Tree, decode
from sandbox.interface import CaseOutcome, Ending

VERDICT_OF_ENDING = {
    Ending.RAISED: Verdict.RUNTIME_ERROR,
    Ending.TIMED_OUT: Verdict.TIME_LIMIT_EXCEEDED,
    Ending.OUT_OF_MEMORY: Verdict.MEMORY_LIMIT_EXCEEDED,
    Ending.TOO_MUCH_OUTPUT: Verdict.OUTPUT_LIMIT_EXCEEDED,
    Ending.CRASHED: Verdict.RUNTIME_ERROR,
    Ending.FORGED: Verdict.RUNTIME_ERROR,
    Ending.INVALID: Verdict.INVALID_SUBMISSION,
    Ending.UNSUPPORTED: Verdict.WRONG_ANSWER,
    Ending.INPUT_CHANGED: Verdict.WRONG_ANSWER,
    Ending.MEMORY_SHARED: Verdict.WRONG_ANSWER,
}
CATEGORY_OF_ENDING = {
    Ending.RAISED: "exception",
    Ending.TIMED_OUT: "time limit exceeded",
    Ending.OUT_OF_MEMORY: "memory limit exceeded",
    Ending.TOO_MUCH_OUTPUT: "output limit exceeded",
    Ending.CRASHED: "process ended",
    Ending.FORGED: "wrote on the judge's channel",
    Ending.INVALID: "invalid submission",
    Ending.UNSUPPORTED: UNSUPPORTED,
    Ending.INPUT_CHANGED: "input changed",
    Ending.MEMORY_SHARED: "output shares memory with an input",
}
FORGED_ANSWER = "the answer could not be read ({reason}); return your values from the function, and write nothing else"
RERUN = "differs when run again"
RERUN_MESSAGE = (
    "right at first, but not when this case ran again by itself in a new process: {what}. The same inputs must get the "
    "same answer in every run: keep nothing between calls, and use no clock, no process id and no random numbers but "
    "those of a seed or key that is given"
)
GIVEN_UP = "not run"
GIVEN_UP_MESSAGE = (
    f"not run: {PROCESSES} cases before this one ended the program, by the time limit or otherwise, and a submission "
    "gets no more time than that; mend the first of them"
)
OUT_OF_TIME_MESSAGE = (
    "not run to the end: looking into all of your programs takes longer than the {seconds:g} s that there are for it; "
    "compute less in each case"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    verdict: Verdict
    finding: Comparison | Fault
    answer: Tree | None = None


def check_case(asker: Asker, case: PreparedCase, outcome: CaseOutcome) -> CaseResult:
    """Raises JudgeFailed when the package's own checkers do, BoxLost, Aborted."""
    return _result(case, outcome, _find(asker, case, outcome))


def check_again(asker: Asker, case: PreparedCase, first: CaseResult, again: CaseOutcome) -> CaseResult:
    """Of a case that was right at `first` and ran once more. Raises as `check_case` does."""
    found = _find(asker, case, again)
    if found.verdict is Verdict.ACCEPTED:
        return first
    return _result(case, again, replace(found, finding=_retold(found.finding)))


def _retold(finding: Comparison | Fault) -> Comparison | Fault:
    """What was found in the second run, as a difference between two."""
    if isinstance(finding, Comparison):
        return replace(finding, category=RERUN, message=RERUN_MESSAGE.format(what=finding.message))
    what = f"{finding.exception}: {finding.message}" if finding.exception else finding.message
    return Fault(category=RERUN, message=RERUN_MESSAGE.format(what=what))


def _result(case: PreparedCase, outcome: CaseOutcome, found: _Found) -> CaseResult:
    is_sample = case.visibility == "sample"
    material = Material(
        text=outcome.text,
        inputs=case.inputs_preview,
        answer=preview(found.answer) if is_sample and found.answer is not None else None,
        expected=case.expected_preview,
    )
    return CaseResult(
        position=case.position,
        name=case.name,
        visibility=case.visibility,
        verdict=found.verdict,
        wall_seconds=None if case.sealed else told_seconds(case.visibility, outcome.wall_seconds),
        memory_bytes=None if case.sealed else told_bytes(case.visibility, outcome.memory_bytes),
        report=build_report(case.visibility, found.finding, material),
    )


def give_up(case: PreparedCase, verdict: Verdict, message: str = GIVEN_UP_MESSAGE) -> CaseResult:
    """Of a case that was not run, since the submission had cost too much by then: it shares the last one's verdict."""
    material = Material(inputs=case.inputs_preview, expected=case.expected_preview)
    return CaseResult(
        position=case.position,
        name=case.name,
        visibility=case.visibility,
        verdict=verdict,
        wall_seconds=None if case.sealed else 0.0,
        memory_bytes=None if case.sealed else 0,
        report=build_report(case.visibility, Fault(category=GIVEN_UP, message=message), material),
    )


def _find(asker: Asker, case: PreparedCase, outcome: CaseOutcome) -> _Found:
    if outcome.ending is not Ending.ANSWERED:
        return _Found(verdict=VERDICT_OF_ENDING[outcome.ending], finding=_fault(outcome))
    try:
        answer = decode(outcome.answer or b"")
    except Malformed as malformed:
        message = FORGED_ANSWER.format(reason=malformed)
        fault = Fault(category=CATEGORY_OF_ENDING[Ending.FORGED], message=message)
        return _Found(verdict=Verdict.RUNTIME_ERROR, finding=fault)
    ask = asker.about(case.name, case.inputs, case.expected, outcome.answer or b"")
    comparison = compare(answer, decode(case.expected), rules_of(asker.package.manifest), ask)
    verdict = Verdict.ACCEPTED if comparison.accepted else Verdict.WRONG_ANSWER
    return _Found(verdict=verdict, finding=comparison, answer=answer)


def _fault(outcome: CaseOutcome) -> Fault:
    category = CATEGORY_OF_ENDING[outcome.ending]
    failure = outcome.failure
    if failure is None:
        return Fault(category=category, message=category)
    exception = failure.kind if _is_named(outcome.ending, failure.kind) else None
    return Fault(category=category, message=failure.message, exception=exception, traceback=failure.traceback)


def _is_named(ending: Ending, kind: str) -> bool:
    """An exception's type and a signal's name say more than their category; the other kinds say less."""
    return ending is Ending.RAISED or (ending is Ending.CRASHED and kind.startswith("SIG"))
