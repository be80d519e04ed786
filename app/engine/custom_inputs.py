"""Custom inputs: judge a submission on inputs typed by the student, against the reference's answer.

The reference was written for the problem's own cases and may fail on these inputs. That is no fault of the student or
the author: the judging ends with a message. The reference's answer is not stored.
"""

from threading import Event

from app.catalog.custom_inputs import OWN_INPUTS, UNANSWERED, read_own_inputs
from app.catalog.inputs import draw_inputs
from app.catalog.package import Package
from app.engine.prepare import PreparedCase, ReferenceFailed, prepare_given
from app.engine.single_flight import SingleFlight
from app.errors import JudgeFailed
from app.judging.finish import Finish
from app.judging.report import Fault, Material, build_report, exception_category
from app.judging.verdicts import CaseResult, Verdict
from sandbox.interface import CaseOutcome, Ending
from sandbox.pool import Pool

UNANSWERED_MESSAGE = (
    "the reference solution fails on these inputs{why}, so Allclose can't compare your answer; use inputs that the "
    "statement allows"
)
_WHY = {
    Ending.TIMED_OUT: "it exceeds the time limit of a case",
    Ending.OUT_OF_MEMORY: "it exceeds the memory limit of a case",
    Ending.TOO_MUCH_OUTPUT: "its answer is too large",
}


class CustomInputs:
    """Runs the reference on custom inputs, one judging at a time, so that a box stays free for other work."""

    def __init__(self, references: Pool) -> None:
        self._references = references
        self._single_flight = SingleFlight()

    def prepare(self, package: Package, text: str, abort: Event) -> PreparedCase:
        """Raises ReferenceFailed, BoxLost, Aborted."""
        case = read_own_inputs(text, package.manifest.case_inputs)
        inputs = draw_inputs(package.manifest, case, b"", 0)
        with self._single_flight.of(OWN_INPUTS, abort):
            return prepare_given(package, case, inputs, self._references, abort)


def find_unanswerable(failure: JudgeFailed) -> Finish:
    """Return the end of a judging whose inputs made the package's own code fail."""
    outcome = failure.outcome if isinstance(failure, ReferenceFailed) else None
    why = _why(outcome) if outcome else ""
    fault = Fault(category=UNANSWERED, message=UNANSWERED_MESSAGE.format(why=f" ({why})" if why else ""))
    result = CaseResult(
        position=0,
        name=OWN_INPUTS,
        visibility="sample",
        verdict=Verdict.INVALID_SUBMISSION,
        wall_seconds=None,
        memory_bytes=None,
        report=build_report("sample", fault, Material()),
    )
    return Finish(verdict=result.verdict, score=0, cases=(result,), image="", versions={})


def _why(outcome: CaseOutcome) -> str:
    """Give only the exception's type: its text and traceback would show the reference's code."""
    if outcome.ending is Ending.RAISED and outcome.failure:
        return f"it raises {exception_category(outcome.failure.kind)}"
    return _WHY.get(outcome.ending, "")
