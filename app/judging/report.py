"""The report of one case for its student, ready for JSON.

A sample case shows everything. A hidden case shows only the category of what went wrong. Text, messages and values from
the student's process could leak the hidden inputs.
"""

import builtins
import signal
from dataclasses import asdict, dataclass, replace
from typing import Any

from app.judging.checker import severity
from app.judging.comparison import Comparison, LeafReport
from app.judging.leaf import shown
from app.judging.printable_text import printable
from app.judging.verdicts import Visibility

MAX_LEAVES = 40
MAX_WINDOWS = 3
MAX_MESSAGE = 2_000
MAX_TRACEBACK = 8_000
MAX_TEXT = 4 * 64 * 1024  # a box keeps 64 KiB, and an escape has up to 4 characters
MEMORY_STEP = 16 * 2**20
TIME_STEP = 0.1  # seconds

_BUILTIN = {
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
}
_FRAMEWORK = {
    *("LinAlgError", "AxisError"),
    *("JaxRuntimeError", "XlaRuntimeError", "ConcretizationTypeError", "NonConcreteBooleanIndexError", "KeyReuseError"),
    *("TracerArrayConversionError", "TracerBoolConversionError", "TracerIntegerConversionError"),
    *("UnexpectedTracerError", "ScanLengthError"),
    *("ScopeParamShapeError", "ScopeParamNotFoundError", "ScopeCollectionNotFound", "TraceContextError"),
    "OutOfMemoryError",
}
_KNOWN = _BUILTIN | _FRAMEWORK | set(signal.Signals.__members__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFault:
    """The reason why there is no answer to compare. `exception` is the name of what the code raised."""

    category: str
    message: str
    exception: str | None = None
    traceback: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Further content of a sample case's report: printed text and previews of the values."""

    text: str = ""
    inputs: dict[str, Any] | None = None
    answer: dict[str, Any] | None = None
    expected: dict[str, Any] | None = None


def build_report(visibility: Visibility, finding: Comparison | AnswerFault, material: Material) -> dict[str, Any]:
    category = _category(finding)
    if visibility == "hidden":
        return {"category": category}
    return {
        "category": category,
        "message": printable(finding.message, MAX_MESSAGE),
        "text": printable(material.text, MAX_TEXT),
        "inputs": material.inputs,
        "answer": material.answer,
        "expected": material.expected,
    } | (_comparison_part(finding) if isinstance(finding, Comparison) else _fault_part(finding))


def exception_category(name: str) -> str:
    """Return the name of a known exception, or "Exception": a student's own name could carry hidden inputs."""
    return name if name in _KNOWN else "Exception"


def told_seconds(visibility: Visibility, seconds: float) -> float:
    return seconds if visibility == "sample" else coarse_seconds(seconds)


def told_bytes(visibility: Visibility, size: int) -> int:
    return size if visibility == "sample" else coarse_bytes(size)


def coarse_seconds(seconds: float) -> float:
    """Round to two significant digits, in steps of 100 ms and at least 100 ms. Hidden cases show no more."""
    steps = round(float(f"{seconds:.2g}") / TIME_STEP)
    return round(max(steps, 1) * TIME_STEP, 1)


def coarse_bytes(size: int) -> int:
    """Round up to a multiple of 16 MiB."""
    return -(-size // MEMORY_STEP) * MEMORY_STEP


def _category(finding: Comparison | AnswerFault) -> str | None:
    if isinstance(finding, AnswerFault) and finding.exception is not None:
        return exception_category(finding.exception)
    return finding.category


def _fault_part(fault: AnswerFault) -> dict[str, Any]:
    if fault.exception is None:
        return {}
    name = printable(fault.exception, 100)
    return {"exception": {"type": name, "traceback": printable(fault.traceback, MAX_TRACEBACK)}}


def _comparison_part(comparison: Comparison) -> dict[str, Any]:
    """Return the leaves' reports: the wrong ones first, the worst before the others."""
    wrong = [leaf for leaf in comparison.leaves if leaf.category is not None]
    right = [leaf for leaf in comparison.leaves if leaf.category is None]
    wrong.sort(key=lambda leaf: severity(leaf.category, leaf.tolerance_used), reverse=True)
    worst_first = wrong + right
    left_out = max(len(worst_first) - MAX_LEAVES, 0)
    parts = [_leaf_part(leaf, place < MAX_WINDOWS) for place, leaf in enumerate(worst_first[:MAX_LEAVES])]
    return {"leaves": parts, "leaves_left_out": left_out}


def _leaf_part(leaf: LeafReport, with_window: bool) -> dict[str, Any]:
    facts = asdict(replace(leaf, window=None))
    window = leaf.window.as_json() if leaf.window and with_window else None
    return {name: shown(fact) if isinstance(fact, float) else _as_list(fact) for name, fact in facts.items()} | {
        "window": window
    }


def _as_list(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
