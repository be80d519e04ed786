"""Ablation: measure how far an answer moves when a step of the program's loop is left out.

Each program is compiled again for every step left out, so only a few cases are tried.
"""

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from app.catalog.manifest import Manifest
from app.engine.inspection import signature_of
from app.engine.request import numbers_of
from app.judging.requirement import Evidence, Facts
from app.judging.requirements.uses import LEAST_LENGTH, Uses, clear_effect
from app.judging.structure import leaves
from sandbox.guest.codec import Tree, decode
from sandbox.interface import CaseInput

PROGRAMS = 2
CASES = 2
FARTHEST = sys.float_info.max


def choose_tried(manifest: Manifest, cases: Iterable[CaseInput]) -> frozenset[str]:
    """Return the names of the first few cases of a few programs; none if the problem requires no loop."""
    chosen: dict[bytes, list[str]] = {}
    for case in cases:
        signature = signature_of(manifest, case.inputs)
        if signature in chosen or (len(chosen) < PROGRAMS and _asks_for_steps(manifest, case)):
            chosen.setdefault(signature, []).append(case.name)
    return frozenset(name for names in chosen.values() for name in names[:CASES])


def is_telling(reference: Evidence | None) -> bool:
    """Whether the reference's own answer moves enough to measure others by it."""
    return reference is not None and bool(clear_effect((*reference.loops, *reference.branches)))


def _asks_for_steps(manifest: Manifest, case: CaseInput) -> bool:
    wanted = [requirement for requirement in manifest.requirements if isinstance(requirement, Uses)]
    facts = Facts(numbers=numbers_of(manifest, case.inputs) if wanted else {})
    lengths = [requirement.steps(facts) for requirement in wanted]
    return any(length is None or length >= LEAST_LENGTH for length in lengths)


def effect_of(answer: bytes, changed: bytes | None) -> float:
    """Return the largest change of an element, relative to the leaf's largest element.

    Both answers are encoded. `changed` None gives 0.0: a program that fails without a step has not shown that the step
    matters.
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
