"""How far chance takes apart what has one distribution: limits that it exceeds with at most a given probability.

None of them is an approximation for large samples: each holds for every size and every distribution, so that a rate of
one in a million can be stated though nobody measures it. Two samples have n values each.
"""

from collections.abc import Callable
from math import lgamma, log, log1p, sqrt
from statistics import NormalDist

# P(S ≥ t) ≤ c · P(N ≥ t) for N normal and S = Σ aᵢεᵢ with random signs εᵢ and Σ aᵢ² = 1; c = 1 / (4 · P(N ≥ √2)).
# Bentkus and Dzindzalieta, "A tight Gaussian bound for weighted sums of Rademacher random variables", 2015.
RADEMACHER = 3.18


def score_limit(probability: float) -> float:
    """Of |Σ dᵢ| / √Σ dᵢ² for numbers dᵢ that are as likely to have the one sign as the other, whatever their size."""
    return -NormalDist().inv_cdf(probability / (2 * RADEMACHER))


def two_sample_limit(size: int, probability: float) -> int:
    """Of n · sup |F − G|, a whole number, for the empirical distribution functions of two samples.

    P(≥ k) ≤ 2 · C(2n, n − k) / C(2n, n): the first term of the alternating series of Gnedenko and Korolyuk (1951) for
    continuous distributions. Ties make the gap smaller.
    """

    def log_chance(k: int) -> float:
        return log(2) + 2 * lgamma(size + 1) - lgamma(size - k + 1) - lgamma(size + k + 1)

    return _largest_likely(size, log_chance, probability)


def one_sample_limit(size: int, probability: float) -> float:
    """Of sup |F − law|: P(> ε) ≤ 2 · exp(−2nε²) (Massart, "The tight constant in the DKW inequality", 1990)."""
    return sqrt(log(2 / probability) / (2 * size))


def run_limit(size: int, probability: float) -> int:
    """Of how many values of one sample lie beyond all of the other, on a given side.

    The k largest of 2n values are all from the one sample, or all from the other, with probability 2 · ∏ (n−i)/(2n−i).
    """

    def log_chance(k: int) -> float:
        n = size
        return log(2) + lgamma(n + 1) - lgamma(n - k + 1) + lgamma(2 * n - k + 1) - lgamma(2 * n + 1)

    return _largest_likely(size, log_chance, probability)


def count_limit(size: int, chance: float, probability: float) -> int:
    """Of how many of n independent values are where each is with at most this small chance.

    The binomial tail from k on is below its first term, by the geometric series of their ratio.
    """

    def log_chance(k: int) -> float:
        ratio = (size - k) * chance / ((k + 1) * (1 - chance))
        if ratio >= 1:
            return 0.0
        choices = lgamma(size + 1) - lgamma(k + 1) - lgamma(size - k + 1)
        return choices + k * log(chance) + (size - k) * log1p(-chance) - log1p(-ratio)

    return _largest_likely(size, log_chance, probability)


def _largest_likely(size: int, log_chance: Callable[[int], float], probability: float) -> int:
    """The largest count from 0 to `size` such that the chance of more is above the probability, or `size`."""
    low, high = 0, size + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if log_chance(middle) <= log(probability) else (middle, high)
    return low
