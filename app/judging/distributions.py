"""Distributions for the `distribution` checker, in standard form: P(X ≤ z) and P(X ≥ z).

Both probabilities are given because each is accurate where it is small. Formulas: Johnson, Kotz and Balakrishnan,
"Continuous Univariate Distributions". Names and standard forms are those of `jax.random` and `scipy.stats`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import erfc, inf, pi, sqrt
from typing import TypeAlias

from app.judging.leaf import Array
from app.judging.numeric import np

Probabilities: TypeAlias = tuple[Array, Array]


@dataclass(frozen=True, slots=True)
class SampleDistribution:
    """`low` and `high` are the ends of its support."""

    probabilities: Callable[[Array], Probabilities]
    low: float = -inf
    high: float = inf


def _symmetric(tail: Callable[[Array], Array]) -> Callable[[Array], Probabilities]:
    """Derive both probabilities from P(X ≥ |z|)."""

    def probabilities(z: Array) -> Probabilities:
        outer = tail(np.abs(z))
        return np.where(z < 0, outer, 1 - outer), np.where(z < 0, 1 - outer, outer)

    return probabilities


def _normal_tail(z: Array) -> Array:
    # NumPy has no error function. Python's is exact enough even in the far tails.
    return np.fromiter(map(erfc, (z / sqrt(2)).tolist()), np.float64, z.size) / 2


def _uniform(z: Array) -> Probabilities:
    return np.clip(z, 0, 1), np.clip(1 - z, 0, 1)


def _exponential(z: Array) -> Probabilities:
    inside = np.maximum(z, 0)
    return -np.expm1(-inside), np.exp(-inside)


def _gumbel(z: Array) -> Probabilities:
    beyond = np.exp(-z)
    return np.exp(-beyond), -np.expm1(-beyond)


LAWS: Mapping[str, SampleDistribution] = {
    "normal": SampleDistribution(_symmetric(_normal_tail)),
    "uniform": SampleDistribution(_uniform, low=0.0, high=1.0),
    "exponential": SampleDistribution(_exponential, low=0.0),
    "laplace": SampleDistribution(_symmetric(lambda z: np.exp(-z) / 2)),
    "logistic": SampleDistribution(_symmetric(lambda z: 1 / (1 + np.exp(z)))),
    "gumbel": SampleDistribution(_gumbel),
    "cauchy": SampleDistribution(_symmetric(lambda z: np.arctan2(1.0, z) / pi)),
}
