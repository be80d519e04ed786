"""The limits of chance, beside counting every possibility."""

from collections import Counter
from itertools import combinations, product
from math import sqrt

import numpy as np
import pytest

from app.judging.sampling import run_limit, score_limit, two_sample_limit

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
