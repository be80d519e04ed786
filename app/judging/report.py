"""The report of one case for its student, ready for JSON, and the previews of values in it.

A sample case shows everything. A hidden case shows only the category of what went wrong. Text, messages and values from
the student's process could leak the hidden inputs.

A preview shows small values whole, and large ones by their first elements and statistics:

{"structure": "a dict with the keys 'loss', 'params'", "left_out": 0, "leaves": [
    {"path": "loss", "dtype": "float32", "shape": [], "values": 0.25},
    {"path": "params", "dtype": "float32", "shape": [512, 8], "first": [0.1, …], "min": -1.0, "max": 1.0,
     "mean": 0.0, "nan": 0, "inf": 0}]}

A sample's preview also has the value as Python, in pieces. A number stands for the array of that leaf, and null for
what is too large to copy.

"python": ["{'loss': ", 0, ", 'params': ", 1, "}"]
"""

import builtins
import signal
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import count, islice
from typing import Any

from app.judging.checker import severity
from app.judging.comparison import Comparison, LeafReport
from app.judging.leaf import Array, Leaf, Tree, describe, leaves, path_text, read_leaf, shown
from app.judging.numeric import np
from app.judging.printable_text import printable
from app.judging.tolerance_comparison import PIECE
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
    *("OutOfMemoryError", "BadGrid", "SharedBlock", "BlockOutside"),
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


MAX_ELEMENTS = 64  # a larger array is not shown whole
FIRST_ELEMENTS = 8
MAX_CHARACTERS = 500
MAX_COPIED = 20_000  # characters of a value as Python


def preview(tree: Tree) -> dict[str, Any]:
    """Preview a tree. Numbers that JSON lacks become strings: "nan", "inf", "-inf", ints beyond 2**53, complex."""
    found = list(leaves(tree))
    shown_leaves = [_preview_leaf(path_text(path), read_leaf(value)) for path, value in islice(found, MAX_LEAVES)]
    return {"structure": describe(tree), "leaves": shown_leaves, "left_out": max(len(found) - MAX_LEAVES, 0)}


def copyable_preview(tree: Tree) -> dict[str, Any]:
    """Preview a sample's value, with its Python."""
    pieces = list(_python(tree, count()))
    is_small = sum(len(piece) for piece in pieces if isinstance(piece, str)) <= MAX_COPIED
    return preview(tree) | {"python": pieces if is_small else [None]}


def _python(tree: Tree, numbers: Iterator[int]) -> Iterator[str | int | None]:
    """Yield the pieces. `numbers` counts the leaves, in the order of `leaves`."""
    if isinstance(tree, dict) and not isinstance(tree, OrderedDict):
        for place, (key, item) in enumerate(tree.items()):
            yield f"{', ' if place else '{'}{key!r}: "
            yield from _python(item, numbers)
        yield "}" if tree else "{}"
    elif isinstance(tree, dict | list | tuple):
        items = list(tree.values()) if isinstance(tree, dict) else tree
        begin, end = ("[", "]") if isinstance(tree, list) else ("(", ",)" if len(items) == 1 else ")")
        for place, item in enumerate(items):
            yield ", " if place else begin
            yield from _python(item, numbers)
        yield end if items else begin + end
    else:
        number, text = next(numbers), "" if isinstance(tree, np.ndarray) else repr(tree)
        if isinstance(tree, np.ndarray):
            yield number if number < MAX_LEAVES else None
        else:
            yield text if len(text) <= MAX_COPIED // 2 else None


def _preview_leaf(path: str, leaf: Leaf) -> dict[str, Any]:
    about = {"path": path, "dtype": leaf.dtype, "shape": list(leaf.shape)}
    if leaf.kind == "text":
        return about | {"values": None if leaf.value is None else printable(_as_text(leaf.value), MAX_CHARACTERS)}
    if leaf.array.size <= MAX_ELEMENTS:
        return about | {"values": _nested(leaf.array) if leaf.array.size else []}
    first = [shown(element) for element in leaf.array.reshape(-1)[:FIRST_ELEMENTS]]
    return about | {"first": first} | ({} if leaf.kind == "complex" else _statistics(leaf))


def _as_text(value: Tree) -> str:
    return value if isinstance(value, str) else repr(value)


def _nested(array: Array) -> Any:
    return shown(array[()]) if array.ndim == 0 else [_nested(part) for part in array]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tally:
    smallest: float
    largest: float
    total: float
    finite: int
    nan: int


def _statistics(leaf: Leaf) -> dict[str, Any]:
    flat = leaf.array.reshape(-1)
    tallies = [_tally(flat[start : start + PIECE]) for start in range(0, flat.size, PIECE)]
    finite, nan = sum(tally.finite for tally in tallies), sum(tally.nan for tally in tallies)
    counts = {"nan": nan, "inf": flat.size - finite - nan}
    if not finite:
        return counts
    smallest, largest = min(tally.smallest for tally in tallies), max(tally.largest for tally in tallies)
    mean = sum(tally.total for tally in tallies) / finite
    return {"min": _rounded(smallest), "max": _rounded(largest), "mean": _rounded(mean)} | counts


def _tally(piece: Array) -> _Tally:
    numbers = piece.astype(np.float64)
    finite = np.isfinite(numbers)
    return _Tally(
        smallest=float(np.min(numbers, where=finite, initial=np.inf)),
        largest=float(np.max(numbers, where=finite, initial=-np.inf)),
        total=float(np.sum(numbers, where=finite)),
        finite=int(np.count_nonzero(finite)),
        nan=int(np.count_nonzero(np.isnan(numbers))),
    )


def _rounded(number: float) -> Any:
    return shown(float(f"{number:.6g}"))
