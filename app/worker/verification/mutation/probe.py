"""Inputs beyond the cases, on which a mutant that no case noticed is compared with the reference bit by bit.

Another variant's draws; those of a third with every float moved a little, for what cases hold fixed, such as a learning
rate; and the same moved far, past limits and to the other sign, for what they never reach. Where the reference itself
can't answer such inputs, they say nothing.
"""

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.catalog.revision import digest
from app.worker.prepare import Draw, PreparedCase, prepare
from app.worker.verification.noise import some_of_each
from app.worker.verification.trial import Trial
from sandbox.guest.codec import decode, encode

VARIANTS = (1, 2)
LITTLE, FAR = (0.9, 1.1), (-3.0, 3.0)

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Probes:
    """The moved ones have no right expected outputs: there the reference is asked again."""

    fresh: tuple[PreparedCase, ...]
    moved: tuple[PreparedCase, ...]


def draw_probes(trial: Trial) -> Probes:
    """Raises JudgeFailed, BoxLost, Aborted."""
    secret = hashlib.sha256(f"probes of {digest(trial.package.files)}".encode()).digest()

    def draw(variant: int) -> list[PreparedCase]:
        prepared = prepare(trial.package, Draw(secret, variant), trial.bench.references, trial.abort)
        return some_of_each(prepared.cases)

    fresh, others = trial.each("other inputs", VARIANTS, draw)
    moved = tuple(_moved(case, by) for by in (LITTLE, FAR) for case in others)
    return Probes(tuple(fresh), moved)


def _moved(case: PreparedCase, by: Range) -> PreparedCase:
    random = np.random.Generator(np.random.PCG64(0))
    inputs = encode(_each(decode(case.inputs), lambda shape: random.uniform(*by, shape)))
    return replace(case, name=f"{case.name} times {by[0]:g} to {by[1]:g}", inputs=inputs)


def _each(value: Any, factor: Callable[[tuple[int, ...]], Any]) -> Any:
    """A plain float that is a whole number may stand for one: a count, a seed."""
    if isinstance(value, dict):
        return {key: _each(item, factor) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_each(item, factor) for item in value]
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.asarray(value * factor(value.shape)).astype(value.dtype)
    if isinstance(value, float) and math.isfinite(value) and not value.is_integer():
        return value * abs(float(factor(())))
    return value
