"""Inputs beyond the cases, on which a mutant that no case noticed is compared with the reference bit by bit.

Another variant's draws, and those of a third with every float moved by up to a tenth: what cases hold fixed, such as a
learning rate or a zero, varies there. Where the reference itself can't answer such inputs, they say nothing.
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
TENTH = 0.1


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

    fresh, moved = trial.each("other inputs", VARIANTS, draw)
    random = np.random.Generator(np.random.PCG64(0))
    return Probes(tuple(fresh), tuple(replace(case, inputs=_moved(case.inputs, random)) for case in moved))


def _moved(inputs: bytes, random: np.random.Generator) -> bytes:
    return encode(_each(decode(inputs), lambda shape: 1 + random.uniform(-TENTH, TENTH, shape)))


def _each(value: Any, factor: Callable[[tuple[int, ...]], Any]) -> Any:
    """A plain float that is a whole number may stand for one: a count, a seed."""
    if isinstance(value, dict):
        return {key: _each(item, factor) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_each(item, factor) for item in value]
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.asarray(value * factor(value.shape)).astype(value.dtype)
    if isinstance(value, float) and math.isfinite(value) and not value.is_integer():
        return value * float(factor(()))
    return value
