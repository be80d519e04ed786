"""Turn a box's outcome of one case into its result: the verdict, and a report for the student.

A program without an answer raised, crashed, was killed, or exceeded a limit (`sandbox.process_ending`). A right answer
is also checked against the requirements: whether it was computed as the problem asks.
"""

import re
from dataclasses import dataclass, replace
from math import isnan

from app.catalog.manifest import Manifest
from app.engine.custom_checker import CustomChecker
from app.engine.inspection import Examination
from app.engine.inspector_protocol import SkipReason
from app.engine.prepare import PreparedCase
from app.engine.request import PROCESSES, numbers_of, rules_of
from app.judging.comparison import UNSUPPORTED, Comparison, compare
from app.judging.leaf import aligned
from app.judging.printable_text import printable
from app.judging.report import MAX_MESSAGE, AnswerFault, Material, build_report, preview, told_bytes, told_seconds
from app.judging.requirement import EVIDENCE, Basis, Facts, Kernels, first_unmet
from app.judging.verdicts import CaseResult, Verdict
from sandbox.guest.codec import Malformed, Tree, decode
from sandbox.interface import CaseOutcome, Ending, Failure

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
# After these the remaining cases run in another process.
ENDS_ITS_PROCESS = frozenset(
    {Ending.TIMED_OUT, Ending.OUT_OF_MEMORY, Ending.TOO_MUCH_OUTPUT, Ending.CRASHED, Ending.FORGED}
)
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


# Of a source that can't be loaded, by the kind of failure.
_INVALID_CATEGORIES = {
    **dict.fromkeys(("SyntaxError", "IndentationError", "TabError"), "syntax error"),
    "FunctionNotFound": "function not found",
    "ClassNotFound": "class not found",
    "MethodNotFound": "method not found",
}


def fault_of(outcome: CaseOutcome) -> AnswerFault:
    """Return what the report says about a program without an answer."""
    category = CATEGORY_OF_ENDING[outcome.ending]
    failure = outcome.failure
    if failure is None:
        return AnswerFault(category=category, message=category)
    if outcome.ending is Ending.INVALID:
        category = _INVALID_CATEGORIES.get(failure.kind, category)
    exception = failure.kind if _is_named(outcome.ending, failure.kind) else None
    return AnswerFault(category=category, message=failure.message, exception=exception, traceback=failure.traceback)


def _is_named(ending: Ending, kind: str) -> bool:
    """Whether the failure's kind is an exception type or a signal, which says more than the category."""
    return ending is Ending.RAISED or (ending is Ending.CRASHED and kind.startswith("SIG"))


FORGED_ANSWER = "the answer could not be read ({reason}); return your values from the function, and write nothing else"
RERUN = "differs when run again"
RERUN_MESSAGE = (
    "this case was correct at first, but wrong when it ran again alone in a new process: {what}. The same inputs must "
    "give the same answer in every run: keep no state between calls, and use no clock, no process ID and no random "
    "numbers except those from a given seed or key"
)
GIVEN_UP = "not run"
GIVEN_UP_MESSAGE = (
    f"not run: {PROCESSES} earlier cases stopped the program by a time limit or a crash, which is the limit for one "
    "submission; fix the first of these cases"
)
TOO_SLOW_MESSAGE = "not run: the first case took longer than the time limit; make it faster first"
OUT_OF_TIME_MESSAGE = (
    "stopped early: inspecting all of your programs takes longer than the limit of {seconds:g} s; compute less in each "
    "case"
)
UNTRACEABLE = "can't be traced"
UNTRACEABLE_MESSAGE = (
    "JAX can't trace {entry_point} with inputs like these, so its program is unknown{place}: {kind}: {message}"
)
REFUSED = "program refused"
# Of `sandbox.guest.pallas`.
NOT_COMPILED = "NotCompiled"
OTHER_PROGRAM = "its program answers differently"
OTHER_PROGRAM_MESSAGE = (
    "your function is correct when it is called, but the program that JAX traces from it is not: {what}. Both must "
    "give the same answer: do not check whether JAX is tracing the function, and compute the answer from the inputs"
)
MAX_KERNELS = 8
# JAX raises these when Python asks for a value that is not known while tracing.
_TRACING = frozenset(
    """
    ConcretizationTypeError TracerArrayConversionError TracerBoolConversionError TracerIntegerConversionError
    NonConcreteBooleanIndexError UnexpectedTracerError
    """.split()  # noqa: SIM905
)
_FRAME = re.compile(r'File "solution\.py", line (\d+)')


@dataclass(frozen=True, slots=True, kw_only=True)
class _CaseFinding:
    verdict: Verdict
    finding: Comparison | AnswerFault
    answer: Tree | None = None


def check_case(custom_checker: CustomChecker, case: PreparedCase, outcome: CaseOutcome) -> CaseResult:
    """Raises JudgeFailed when the package's own checkers fail, BoxLost, Aborted."""
    return _result(case, outcome, _find(custom_checker, case, outcome))


def check_again(custom_checker: CustomChecker, case: PreparedCase, first: CaseResult, again: CaseOutcome) -> CaseResult:
    """Check a case that was accepted at `first` and ran once more. Raises as `check_case` does."""
    found = _find(custom_checker, case, again)
    if found.verdict is Verdict.ACCEPTED:
        return first
    return _result(case, again, replace(found, finding=_retold(found.finding)))


def _retold(finding: Comparison | AnswerFault) -> Comparison | AnswerFault:
    """Describe the finding of the second run as a difference between two runs."""
    if isinstance(finding, Comparison):
        return replace(finding, category=RERUN, message=RERUN_MESSAGE.format(what=finding.message))
    what = f"{finding.exception}: {finding.message}" if finding.exception else finding.message
    return AnswerFault(category=RERUN, message=RERUN_MESSAGE.format(what=what))


def _result(case: PreparedCase, outcome: CaseOutcome, found: _CaseFinding) -> CaseResult:
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
        tolerance_used=_tolerance_used(found.finding),
    )


def _tolerance_used(finding: Comparison | AnswerFault) -> float | None:
    """Return the largest share of a leaf, or None if no leaf has one."""
    leaves = finding.leaves if isinstance(finding, Comparison) else ()
    shares = [leaf.tolerance_used for leaf in leaves if leaf.tolerance_used is not None]
    return max((share for share in shares if not isnan(share)), default=None)


def result_not_run(case: PreparedCase, verdict: Verdict, message: str = GIVEN_UP_MESSAGE) -> CaseResult:
    """Return the result of a case that was not run. It gets the verdict of the case that used up the limit."""
    material = Material(inputs=case.inputs_preview, expected=case.expected_preview)
    return CaseResult(
        position=case.position,
        name=case.name,
        visibility=case.visibility,
        verdict=verdict,
        wall_seconds=None if case.sealed else 0.0,
        memory_bytes=None if case.sealed else 0,
        report=build_report(case.visibility, AnswerFault(category=GIVEN_UP, message=message), material),
    )


def _find(custom_checker: CustomChecker, case: PreparedCase, outcome: CaseOutcome) -> _CaseFinding:
    if outcome.ending is not Ending.ANSWERED:
        return _CaseFinding(verdict=VERDICT_OF_ENDING[outcome.ending], finding=fault_of(outcome))
    try:
        answer = decode(outcome.answer or b"")
    except Malformed as malformed:
        message = FORGED_ANSWER.format(reason=malformed)
        fault = AnswerFault(category=CATEGORY_OF_ENDING[Ending.FORGED], message=message)
        return _CaseFinding(verdict=Verdict.RUNTIME_ERROR, finding=fault)
    ask = custom_checker.about(case.name, case.inputs, case.expected, outcome.answer or b"")
    expected = decode(case.expected)
    rules = rules_of(custom_checker.package.manifest)
    comparison = compare(answer, expected, rules, ask)
    verdict = Verdict.ACCEPTED if comparison.accepted else Verdict.WRONG_ANSWER
    return _CaseFinding(verdict=verdict, finding=comparison, answer=aligned(rules.view(answer), rules.view(expected)))


def check_calls(manifest: Manifest, source: str, case: PreparedCase, first: CaseResult, calls: Facts) -> CaseResult:
    """Apply the requirements on the source and on calls. `first`: the result of checking the answer."""
    if first.verdict is not Verdict.ACCEPTED:
        return first
    right = _with_kernels(first, calls.kernels, "calls")
    if not manifest.requirements:
        return right
    facts = replace(calls, numbers=numbers_of(manifest, case.inputs), source=source)
    unmet = first_unmet(manifest.requirements, "source", facts) or first_unmet(manifest.requirements, "calls", facts)
    return refuse(right, unmet.category, unmet.message) if unmet else right


def check_program(
    custom_checker: CustomChecker, case: PreparedCase, called: CaseResult | None, examined: Examination
) -> CaseResult:
    """Apply the requirements on programs. `called`: the accepted result of calling the function; None for a sealed
    case.

    Raises JudgeFailed when the package's own checkers fail, BoxLost, Aborted.
    """
    manifest = custom_checker.package.manifest
    if examined.skip_reason and examined.outcome.answer is None:
        return _given_up(case, examined.skip_reason)
    own = check_case(custom_checker, case, examined.outcome)
    if examined.outcome.ending is Ending.RAISED:
        return _without_answer(manifest, called, own, examined)
    if own.verdict is not Verdict.ACCEPTED:
        return own if called is None else _differing(called, own)
    if examined.skip_reason:
        return _given_up(case, examined.skip_reason)
    facts = Facts(numbers=numbers_of(manifest, case.inputs), evidence=examined.evidence, reference=case.evidence)
    unmet = first_unmet(manifest.requirements, "program", facts)
    kernels = examined.evidence.kernels if examined.evidence else None
    right = _with_kernels(own if called is None else called, kernels, "program")
    return refuse(right, unmet.category, unmet.message) if unmet else right


def _with_kernels(result: CaseResult, kernels: Kernels | None, basis: Basis) -> CaseResult:
    """Add the first kernels to a sample's report. `basis`: how they are known."""
    if result.visibility != "sample" or kernels is None:
        return result
    shown = [call.as_json() for call in kernels.calls[:MAX_KERNELS]]
    return replace(result, report={**result.report, "kernels": shown, "kernel_evidence": EVIDENCE[basis]})


def _given_up(case: PreparedCase, skip_reason: SkipReason) -> CaseResult:
    verdict = Verdict.REQUIREMENT_NOT_MET if skip_reason.ending is None else VERDICT_OF_ENDING[skip_reason.ending]
    message = (
        GIVEN_UP_MESSAGE if skip_reason.seconds is None else OUT_OF_TIME_MESSAGE.format(seconds=skip_reason.seconds)
    )
    return result_not_run(case, verdict, message)


def refuse(result: CaseResult, category: str, message: str) -> CaseResult:
    """Turn the result into one that is not computed as required. A sample keeps what it shows besides."""
    report = {**result.report, "category": category}
    if result.visibility == "sample":
        report["message"] = printable(message, MAX_MESSAGE)
    return replace(result, verdict=Verdict.REQUIREMENT_NOT_MET, report=report)


def _without_answer(
    manifest: Manifest, called: CaseResult | None, own: CaseResult, examined: Examination
) -> CaseResult:
    """Handle an error while tracing, or from the inspector. Other errors in a sealed case are the student's own."""
    failure = examined.outcome.failure or Failure(stage="call", kind="", message="", traceback="")
    result = own if called is None else called
    if examined.is_exported or failure.kind == NOT_COMPILED:
        return refuse(result, REFUSED, failure.message)
    if called is None and failure.kind not in _TRACING:
        return own
    lines = _FRAME.findall(failure.traceback)
    message = UNTRACEABLE_MESSAGE.format(
        entry_point=manifest.entry_point,
        place=f" (solution.py, line {lines[-1]})" if lines else "",
        kind=failure.kind,
        message=failure.message,
    )
    return refuse(result, UNTRACEABLE, message)


def _differing(called: CaseResult, own: CaseResult) -> CaseResult:
    """A program that exceeds a limit keeps its own verdict."""
    if own.verdict is not Verdict.WRONG_ANSWER:
        return own
    what = own.report.get("message") or own.report["category"]
    return refuse(called, OTHER_PROGRAM, OTHER_PROGRAM_MESSAGE.format(what=what))
