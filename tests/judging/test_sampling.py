"""The limits of chance, beside counting every possibility."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import comb, sqrt
from statistics import NormalDist

import numpy as np
import pytest

from app.judging.distributions import LAWS
from app.judging.sampling import count_limit, one_sample_limit, run_limit, score_limit, two_sample_limit

RATES = (0.3, 0.05, 1e-2, 1e-3)
SIZE = 6


def largest_gap(first: tuple[int, ...]) -> int:
    """Return n times the largest gap between two distribution functions; `first` holds one sample's ranks of 2n."""
    walk = np.cumsum([1 if rank in first else -1 for rank in range(2 * SIZE)])
    return int(np.abs(walk).max())


def longest_run(first: tuple[int, ...]) -> int:
    """Return the number of largest ranks that belong to one sample."""
    owners = [rank in first for rank in reversed(range(2 * SIZE))]
    return next((i for i, owner in enumerate(owners) if owner != owners[0]), 2 * SIZE)


@pytest.mark.parametrize("rate", RATES)
def test_the_limits_of_two_samples_hold_over_all_their_orders(rate: float) -> None:
    orders = list(combinations(range(2 * SIZE), SIZE))

    gaps, runs = Counter(map(largest_gap, orders)), Counter(map(longest_run, orders))

    for counted, limit in ((gaps, two_sample_limit(SIZE, rate)), (runs, run_limit(SIZE, rate))):
        beyond = sum(count for value, count in counted.items() if value > limit)
        assert beyond / len(orders) <= rate
        assert (beyond + counted[limit]) / len(orders) > rate / 2, "the limit could be lower"


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("sizes", [[1.0] * 10, [1, 2, 4, 8, 16], [1000, 1, 1, 1, 1], [3.0, 1e-9]], ids=str)
def test_the_limit_of_a_score_holds_over_all_signs(sizes: list[float], rate: float) -> None:
    length = sqrt(sum(size * size for size in sizes))
    scores = [
        abs(sum(s * d for s, d in zip(signs, sizes, strict=True))) / length
        for signs in product((-1, 1), repeat=len(sizes))
    ]

    assert sum(score > score_limit(rate) for score in scores) / len(scores) <= rate


@pytest.mark.parametrize(("size", "chance"), [(10, Fraction(1, 100)), (1000, Fraction(1, 2**20))])
@pytest.mark.parametrize("rate", [1e-2, 1e-7, 1e-12])
def test_the_limit_of_a_count_is_that_of_the_binomial_distribution(size: int, chance: Fraction, rate: float) -> None:
    limit = count_limit(size, float(chance), rate)

    def at_least(least: int) -> Fraction:
        return sum((comb(size, k) * chance**k * (1 - chance) ** (size - k) for k in range(least, 15)), Fraction())

    assert at_least(limit + 1) <= rate
    assert at_least(limit) * 2 > rate, "the limit could be lower"


def test_the_limit_of_a_law_is_massarts() -> None:
    assert one_sample_limit(50, 0.05) == pytest.approx(sqrt(np.log(40) / 100))


@pytest.mark.parametrize("name", LAWS)
def test_a_law_has_all_its_probability(name: str) -> None:
    z = np.linspace(-30, 30, 601)

    below, above = LAWS[name].probabilities(z)

    assert np.allclose(below + above, 1)
    assert (np.diff(below) >= 0).all()
    assert (np.diff(above) <= 0).all()


@pytest.mark.parametrize(
    ("name", "z", "below"),
    [
        ("normal", -1.5, NormalDist().cdf(-1.5)),
        ("normal", -8.0, NormalDist().cdf(-8.0)),
        ("uniform", 0.25, 0.25),
        ("exponential", 2.0, 1 - np.exp(-2.0)),
        ("laplace", -1.0, np.exp(-1.0) / 2),
        ("logistic", 1.0, 1 / (1 + np.exp(-1.0))),
        ("gumbel", 0.0, np.exp(-1.0)),
        ("cauchy", 1.0, 0.75),
    ],
)
def test_a_law_is_the_standard_one_of_its_name(name: str, z: float, below: float) -> None:
    assert LAWS[name].probabilities(np.array([z]))[0][0] == pytest.approx(below, rel=1e-12)
