"""The trivial answers to a case, made from its inputs and from expected outputs."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.judging.leaf import Array, Leaf, Tree, read_leaf
from app.judging.structure import leaves, path_text
from app.worker.prepare import PreparedCase
from sandbox.guest.codec import decode

MEANINGS = {
    "zeros": "an answer of zeros",
    "ones": "an answer of ones",
    "minus_ones": "an answer of -1",
    "mean": "the mean of all expected outputs",
    "nan": "an answer of NaN",
    "empty_text": "an answer of empty text",
    "usual_text": "the text that is expected most often",
    "transposed": "the transposed answer",
    "float64": "the answer in float64",
    "float16_inside": "the answer rounded to float16",
    "extra_axis": "the answer with one more axis",
    "empty": "an empty container",
    "nothing": "None",
    "empty_array": "an array of no elements",
    "other_case": "the answer to another case",
}


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    prepared: PreparedCase
    inputs: dict[str, Tree]
    expected: Tree

    @staticmethod
    def open(prepared: PreparedCase) -> "Case":
        inputs: Any = decode(prepared.inputs)
        return Case(prepared, inputs, decode(prepared.expected))


def answers_of(case: Case, cases: Sequence[Case]) -> Iterator[tuple[str, Tree]]:
    """By name: those that can be made for the case. What changes nothing is left out: it would be the right answer."""
    yield from _constants(case, cases)
    for name, change in CHANGES.items():
        changed = mapped(case.expected, change)
        if not is_same(changed, case.expected):
            yield name, changed
    yield "empty", [] if isinstance(case.expected, list | tuple) else {}
    yield "nothing", None
    if _has_numbers(case.expected):
        yield "empty_array", mapped(case.expected, lambda leaf: leaf.array.reshape(-1)[:0])
    yield from ((f"input:{name}", value) for name, value in case.inputs.items())
    if (other := _other(case, cases)) is not None:
        yield "other_case", other.expected


def _constants(case: Case, cases: Sequence[Case]) -> Iterator[tuple[str, Tree]]:
    """The same value everywhere. Numbers and texts are filled alike: only the containers are those of the answer."""
    text = usual_text(cases)
    if _has_numbers(case.expected):
        values = {"zeros": 0, "ones": 1, "minus_ones": -1, "mean": mean_of(cases), "nan": np.nan}
        found: list[Tree] = []
        for name, value in values.items():
            answer = filled(case.expected, value, text if name == "mean" else "")
            if not any(is_same(answer, other) for other in found):  # -1 and 1 are the same bool
                yield name, answer
            found.append(answer)
    elif text is not None:
        yield "empty_text", filled(case.expected, 0, "")
        yield "usual_text", filled(case.expected, 0, text)


def filled(tree: Tree, value: float, text: str | bytes | None) -> Tree:
    """The same containers, with `value` in the place of every number and `text` in that of every text."""
    if isinstance(tree, dict):
        return {key: filled(item, value, text) for key, item in tree.items()}
    if isinstance(tree, list | tuple):
        return [filled(item, value, text) for item in tree]
    leaf = read_leaf(tree)
    if leaf.kind == "text":
        return text
    if leaf.array.dtype == object:  # an int of more than 64 bits
        return int(value) if np.isfinite(value) else value
    array = _full(leaf, value)
    return array.item() if leaf.is_python else array


def usual_text(cases: Sequence[Case]) -> str | bytes | None:
    """The text that is expected most often: the best guess that knows no case. None where there are no texts."""
    found = (value for case in cases for _, value in leaves(case.expected) if isinstance(value, str | bytes))
    return next((text for text, _ in Counter(found).most_common(1)), None)


def mean_of(cases: Sequence[Case]) -> float:
    """Of all finite numbers that are expected: the best guess that knows no case."""
    numbers = [leaf.array[np.isfinite(leaf.array)].ravel() for case in cases for leaf in _numbers(case.expected)]
    total = np.concatenate([part.astype(np.float64) for part in numbers]) if numbers else np.zeros(0)
    return float(total.mean()) if total.size else 0.0


def mapped(tree: Tree, change: Callable[[Leaf], Array]) -> Tree:
    """The right answer with every number or array changed; texts stay, and a plain number stays plain."""
    if isinstance(tree, dict):
        return {key: mapped(item, change) for key, item in tree.items()}
    if isinstance(tree, list | tuple):
        return [mapped(item, change) for item in tree]
    leaf = read_leaf(tree)
    if leaf.kind == "text" or leaf.array.dtype == object:
        return tree
    changed = change(leaf)
    return changed.item() if leaf.is_python and changed.shape == () else changed


def is_same(answer: Tree, expected: Tree) -> bool:
    """Bit for bit, with shapes and dtypes."""
    return _content(answer) == _content(expected)


def _content(tree: Tree) -> list[Any]:
    found = [(path_text(path), read_leaf(value)) for path, value in leaves(tree)]
    return [
        (path, leaf.dtype, leaf.shape, leaf.array.tobytes(), leaf.kind == "text" and leaf.value) for path, leaf in found
    ]


def _full(leaf: Leaf, value: float) -> Array:
    """An array of the leaf's own shape and dtype; an integer where the dtype has no fractions."""
    if leaf.kind in ("int", "bool") and not np.isfinite(value):
        return np.full(leaf.shape, value, np.float32)
    with np.errstate(all="ignore"):
        return np.full(leaf.shape, value).astype(leaf.array.dtype)


def _transposed(leaf: Leaf) -> Array:
    return leaf.array.T


def _in_float64(leaf: Leaf) -> Array:
    return leaf.array.astype(np.float64) if leaf.kind == "float" and not leaf.is_python else leaf.array


def _through_float16(leaf: Leaf) -> Array:
    if leaf.kind != "float" or leaf.array.dtype.itemsize <= 2:
        return leaf.array
    with np.errstate(all="ignore"):
        return leaf.array.astype(np.float16).astype(leaf.array.dtype)


def _extra_axis(leaf: Leaf) -> Array:
    return leaf.array[None]


CHANGES: dict[str, Callable[[Leaf], Array]] = {
    "transposed": _transposed,
    "float64": _in_float64,
    "float16_inside": _through_float16,
    "extra_axis": _extra_axis,
}


def _other(case: Case, cases: Sequence[Case]) -> Case | None:
    """The next one with an answer of the same shapes."""
    start = cases.index(case)
    wanted = _shapes(case.expected)
    others = (*cases[start + 1 :], *cases[:start])
    return next((other for other in others if _shapes(other.expected) == wanted), None)


def _shapes(tree: Tree) -> list[tuple[str, tuple[int, ...]]]:
    return [(path_text(path), read_leaf(value).shape) for path, value in leaves(tree)]


def _has_numbers(tree: Tree) -> bool:
    return any(read_leaf(value).kind != "text" for _, value in leaves(tree))


def _numbers(tree: Tree) -> Iterator[Leaf]:
    for _, value in leaves(tree):
        leaf = read_leaf(value)
        if leaf.kind in ("int", "float") and leaf.array.dtype != object:
            yield leaf
