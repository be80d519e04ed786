"""Whether a case that was answered rightly was also computed as the problem asks, and what to say when it was not."""

import re
from collections.abc import Mapping
from dataclasses import replace

from app.catalog.manifest import Manifest
from app.judging.report import MAX_MESSAGE
from app.judging.requirement import Facts, first_unmet
from app.judging.result import CaseResult
from app.judging.text import printable
from app.judging.verdicts import Verdict
from app.worker.asking import Asker
from app.worker.check import GIVEN_UP_MESSAGE, OUT_OF_TIME_MESSAGE, VERDICT_OF_ENDING, check_case, give_up
from app.worker.examination import Examined
from app.worker.inspection import Cut
from app.worker.numbers import numbers_of
from app.worker.prepare import PreparedCase
from sandbox.interface import Ending, Failure

UNTRACEABLE = "can't be traced"
UNTRACEABLE_MESSAGE = (
    "JAX can't trace {entry_point} with inputs like these, so nobody can see how it computes{place}: {kind}: {message}"
)
REFUSED = "program refused"
OTHER_PROGRAM = "its program answers differently"
OTHER_PROGRAM_MESSAGE = (
    "your function answers rightly when it is called, but the program that JAX traces of it does not: {what}. Both "
    "must do the same: let nothing depend on whether it is being traced, and compute the answer from the inputs"
)
# What JAX raises when Python asks for a value that is not there while it traces.
_TRACING = frozenset(
    """
    ConcretizationTypeError TracerArrayConversionError TracerBoolConversionError TracerIntegerConversionError
    NonConcreteBooleanIndexError UnexpectedTracerError
    """.split()  # noqa: SIM905
)
_FRAME = re.compile(r'File "solution\.py", line (\d+)')


def check_calls(manifest: Manifest, case: PreparedCase, first: CaseResult, calls: Mapping[str, int]) -> CaseResult:
    """`first`: what the answer came to."""
    if first.verdict is not Verdict.ACCEPTED:
        return first
    unmet = first_unmet(manifest.requirements, "calls", Facts(numbers=numbers_of(manifest, case.inputs), calls=calls))
    return refuse(first, unmet.category, unmet.message) if unmet else first


def check_program(asker: Asker, case: PreparedCase, called: CaseResult | None, examined: Examined) -> CaseResult:
    """`called`: what calling the function came to, which was right; None of a sealed case.

    Raises JudgeFailed when the package's own checkers do, BoxLost, Aborted.
    """
    manifest = asker.package.manifest
    if examined.cut and examined.outcome.answer is None:
        return _given_up(case, examined.cut)
    own = check_case(asker, case, examined.outcome)
    if examined.outcome.ending is Ending.RAISED:
        return _without_answer(manifest, called, own, examined)
    if own.verdict is not Verdict.ACCEPTED:
        return own if called is None else _differing(called, own)
    if examined.cut:
        return _given_up(case, examined.cut)
    facts = Facts(numbers=numbers_of(manifest, case.inputs), evidence=examined.evidence, reference=case.evidence)
    unmet = first_unmet(manifest.requirements, "program", facts)
    right = own if called is None else called
    return refuse(right, unmet.category, unmet.message) if unmet else right


def _given_up(case: PreparedCase, cut: Cut) -> CaseResult:
    verdict = Verdict.REQUIREMENT_NOT_MET if cut.ending is None else VERDICT_OF_ENDING[cut.ending]
    message = GIVEN_UP_MESSAGE if cut.seconds is None else OUT_OF_TIME_MESSAGE.format(seconds=cut.seconds)
    return give_up(case, verdict, message)


def refuse(result: CaseResult, category: str, message: str) -> CaseResult:
    """The same case, not computed as asked; a sample keeps what it shows besides."""
    report = {**result.report, "category": category}
    if result.visibility == "sample":
        report["message"] = printable(message, MAX_MESSAGE)
    return replace(result, verdict=Verdict.REQUIREMENT_NOT_MET, report=report)


def _without_answer(manifest: Manifest, called: CaseResult | None, own: CaseResult, examined: Examined) -> CaseResult:
    """Raised while it was traced, or by the inspector; what is raised in a sealed case is the student's own else."""
    failure = examined.outcome.failure or Failure(stage="call", kind="", message="", traceback="")
    result = own if called is None else called
    if examined.is_exported:
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
    """A program that runs too long or too large says so by itself."""
    if own.verdict is not Verdict.WRONG_ANSWER:
        return own
    what = own.report.get("message") or own.report["category"]
    return refuse(called, OTHER_PROGRAM, OTHER_PROGRAM_MESSAGE.format(what=what))
