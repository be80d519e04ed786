"""How far an answer moves when a part of the program that gave it is left out."""

import sys
from typing import Any

import numpy as np

from app.judging.structure import leaves
from sandbox.guest.codec import Tree, decode

FARTHEST = sys.float_info.max


def effect_of(answer: bytes, changed: bytes | None) -> float:
    """The largest difference of a leaf's elements, in units of its largest one. 0.0 if there was no answer any more.

    Both are encoded. A program that ends without a step has not shown that the step matters.
    """
    if changed is None:
        return 0.0
    own, other = dict(leaves(decode(answer))), dict(leaves(decode(changed)))
    return max((_distance(own[path], other.get(path)) for path in own), default=0.0)


def _distance(own: Tree, other: Tree) -> float:
    one, two = np.asarray(own), np.asarray(other)
    if one.shape != two.shape or one.dtype.kind not in "biufc" or two.dtype.kind not in "biufc":
        return 0.0 if _is_same(one, two) else FARTHEST
    one, two = _wide(one), _wide(two)
    if not one.size or np.array_equal(one, two, equal_nan=True):
        return 0.0
    with np.errstate(all="ignore"):
        moved, largest = np.abs(one - two).max(), np.abs(one).max()
        ratio = moved / largest if largest else FARTHEST
    return float(ratio) if np.isfinite(ratio) else FARTHEST


def _wide(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _is_same(one: np.ndarray[Any, Any], two: np.ndarray[Any, Any]) -> bool:
    return one.shape == two.shape and bool((one == two).all())
