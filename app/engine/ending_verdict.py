"""The verdict of a program that gave no answer: it raised, crashed, was killed, or exceeded a limit.

`sandbox.process_ending` finds out how a process ended.
"""

from app.judging.comparison import UNSUPPORTED
from app.judging.report import Fault
from app.judging.verdicts import Verdict
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


# Of a source that can't be loaded, by the kind of failure.
_INVALID_CATEGORIES = {
    **dict.fromkeys(("SyntaxError", "IndentationError", "TabError"), "syntax error"),
    "FunctionNotFound": "function not found",
    "ClassNotFound": "class not found",
    "MethodNotFound": "method not found",
}


def fault_of(outcome: CaseOutcome) -> Fault:
    """Return what the report says about a program without an answer."""
    category = CATEGORY_OF_ENDING[outcome.ending]
    failure = outcome.failure
    if failure is None:
        return Fault(category=category, message=category)
    if outcome.ending is Ending.INVALID:
        category = _INVALID_CATEGORIES.get(failure.kind, category)
    exception = failure.kind if _is_named(outcome.ending, failure.kind) else None
    return Fault(category=category, message=failure.message, exception=exception, traceback=failure.traceback)


def _is_named(ending: Ending, kind: str) -> bool:
    """Whether the failure's kind is an exception type or a signal, which says more than the category."""
    return ending is Ending.RAISED or (ending is Ending.CRASHED and kind.startswith("SIG"))
