"""Statistical tests of samples: several trials, each with a limit that chance exceeds with at most a given probability.

Two samples of n rows each: if both have the same distribution, swapping a row between them changes nothing. So each
difference below has either sign with equal probability, and `score_limit` bounds the sums of the differences. The rows
are shuffled first, always in the same way, because samples may arrive sorted.

- mean: xᵢ − yᵢ. Spread: (xᵢ − c)² − (yᵢ − c)², c the mean of all. Two components: products in place of squares.
- shape: the largest gap between the empirical distribution functions (Kolmogorov and Smirnov).
- tails: the number of values of one sample above, or below, all values of the other.
- evenness: in the order of all 2n values, the blocks of neighbours that come from one sample. Their number is
  hypergeometric. Values of a grid lie too evenly, and values that were drawn twice too closely.

No limit is an approximation for large samples: each holds for every size and every distribution. So a false-reject rate
of one in a million is exact, although it is too small to measure.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import inf, lgamma, log, sqrt
from statistics import NormalDist

from app.judging.leaf import Array
from app.judging.numeric import np

# P(S ≥ t) ≤ c · P(N ≥ t) for N normal and S = Σ aᵢεᵢ with random signs εᵢ and Σ aᵢ² = 1; c = 1 / (4 · P(N ≥ √2)).
# Bentkus and Dzindzalieta, "A tight Gaussian bound for weighted sums of Rademacher random variables", 2015.
RADEMACHER = 3.18
COMPONENT_TRIALS = 5


def score_limit(probability: float) -> float:
    """Return the limit of |Σ dᵢ| / √Σ dᵢ² for numbers dᵢ that have either sign with equal probability."""
    return -NormalDist().inv_cdf(probability / (2 * RADEMACHER))


def two_sample_limit(size: int, probability: float) -> int:
    """Return the limit of n · sup |F − G|, a whole number, for two empirical distribution functions.

    P(≥ k) ≤ 2 · C(2n, n − k) / C(2n, n): the first term of the alternating series of Gnedenko and Korolyuk (1951) for
    continuous distributions. Ties make the gap smaller.
    """

    def log_chance(k: int) -> float:
        return log(2) + 2 * lgamma(size + 1) - lgamma(size - k + 1) - lgamma(size + k + 1)

    return _largest_likely(size, log_chance, probability)


def run_limit(size: int, probability: float) -> int:
    """Return the limit of how many values of one sample lie beyond all of the other, on one side.

    The k largest of 2n values all come from the same sample with probability 2 · ∏ (n−i)/(2n−i).
    """

    def log_chance(k: int) -> float:
        n = size
        return log(2) + lgamma(n + 1) - lgamma(n - k + 1) + lgamma(2 * n - k + 1) - lgamma(2 * n + 1)

    return _largest_likely(size, log_chance, probability)


def _largest_likely(size: int, log_chance: Callable[[int], float], probability: float) -> int:
    """Return the largest count from 0 to `size` for which the chance of more exceeds the probability, or `size`."""
    low, high = 0, size + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if log_chance(middle) <= log(probability) else (middle, high)
    return low


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingTest:
    """A test that passes if `statistic` ≤ `limit`. `what` names the two numbers in messages."""

    what: str
    answer: float
    expected: float
    statistic: float
    limit: float

    @property
    def used(self) -> float:
        if self.statistic == 0:
            return 0.0
        return self.statistic / self.limit if self.limit else inf


def count_of_trials(components: int) -> int:
    """The number of trials with two samples."""
    return COMPONENT_TRIALS * components + components * (components - 1) // 2


def try_two_samples(answer: Array, expected: Array, probability: float) -> Iterator[SamplingTest]:
    """Yield the trials of two finite float64 samples of shape (n, components). Each has this `probability`."""
    given, wanted = _shuffled(answer, 1), _shuffled(expected, 2)
    unit = np.maximum(np.abs(given).max(axis=0), np.abs(wanted).max(axis=0))
    unit[unit == 0] = 1.0
    given, wanted = given / unit, wanted / unit
    centre = (given.mean(axis=0) + wanted.mean(axis=0)) / 2
    limit = score_limit(probability)
    for part in range(len(unit)):
        name = f" of component {part}" if len(unit) > 1 else ""
        x, y = given[:, part], wanted[:, part]
        yield _mean(x, y, float(unit[part]), name, limit)
        yield _spread(x - centre[part], y - centre[part], float(unit[part]), name, limit)
        yield from _order_trials(np.sort(x), np.sort(y), float(unit[part]), name, probability)
    yield from _covariances(given - centre, wanted - centre, unit, limit)


def _mean(x: Array, y: Array, unit: float, name: str, limit: float) -> SamplingTest:
    means = float(x.mean()) * unit, float(y.mean()) * unit
    return SamplingTest(
        what=f"the mean{name}", answer=means[0], expected=means[1], statistic=_score(x - y), limit=limit
    )


def _spread(x: Array, y: Array, unit: float, name: str, limit: float) -> SamplingTest:
    """Compare the spreads. Both samples are relative to their common centre."""
    deviations = float(x.std()) * unit, float(y.std()) * unit
    return SamplingTest(
        what=f"the standard deviation{name}",
        answer=deviations[0],
        expected=deviations[1],
        statistic=_score(x * x - y * y),
        limit=limit,
    )


def _order_trials(x: Array, y: Array, unit: float, name: str, probability: float) -> Iterator[SamplingTest]:
    """Yield the trials of shape and tails. Both samples are in ascending order."""
    size = len(x)
    both = np.concatenate([x, y])
    counts = np.searchsorted(x, both, side="right"), np.searchsorted(y, both, side="right")
    worst = int(np.argmax(np.abs(counts[0] - counts[1])))
    gap = float(abs(counts[0][worst] - counts[1][worst]))
    what = f"the share of the values{name} up to {both[worst] * unit:.3g}"
    shares = float(counts[0][worst] / size), float(counts[1][worst] / size)
    most = two_sample_limit(size, probability)
    yield SamplingTest(what=what, answer=shares[0], expected=shares[1], statistic=gap / size, limit=most / size)
    for side, a, b in (("above", x, y), ("below", -x[::-1], -y[::-1])):
        own = size - int(np.searchsorted(a, b[-1], side="right"))
        other = size - int(np.searchsorted(b, a[-1], side="right"))
        what = f"the number of values{name} {side} every value of the other sample"
        run = run_limit(size, probability)
        yield SamplingTest(what=what, answer=own, expected=other, statistic=max(own, other), limit=run)


def _covariances(x: Array, y: Array, unit: Array, limit: float) -> Iterator[SamplingTest]:
    """Compare the covariances. Both samples are relative to their common centres."""
    for i, j in combinations(range(len(unit)), 2):
        products = x[:, i] * x[:, j], y[:, i] * y[:, j]
        covariances = [float(side.mean()) * float(unit[i]) * float(unit[j]) for side in products]
        yield SamplingTest(
            what=f"the covariance of components {i} and {j}",
            answer=covariances[0],
            expected=covariances[1],
            statistic=_score(products[0] - products[1]),
            limit=limit,
        )


def try_independence(
    answer: tuple[Array, Array], expected: tuple[Array, Array], rate: float, *, is_ordered: bool
) -> Iterator[SamplingTest]:
    """Yield the trials of whether samples are independent. They share the rate.

    Each side has two finite float64 samples of shape (n, components), from different seeds. What comes from the same
    seeds is never compared: both sides may use them in the same way. `is_ordered`: the rows come in the order of calls.
    """
    size, components = answer[0].shape
    probability = rate / (5 * components + 1)
    unit = np.maximum.reduce([np.abs(side).max(axis=0) for side in (*answer, *expected)])
    unit[unit == 0] = 1.0
    (one, other), (wanted, wanted_other) = ([side / unit for side in sides] for sides in (answer, expected))
    centre = (one.mean(axis=0) + other.mean(axis=0) + wanted.mean(axis=0) + wanted_other.mean(axis=0)) / 4
    one, other, wanted, wanted_other = (side - centre for side in (one, other, wanted, wanted_other))
    turned = np.roll(np.arange(size), size // 2)
    limit = score_limit(probability)
    for part in range(components):
        name = f" of component {part}" if components > 1 else ""
        for x, y in ((one, wanted_other), (other, wanted), (one, other)):
            yield _evenness(x[:, part], y[:, part], name, probability)
        if is_ordered and size > 1:
            across = one[:, part] * other[:, part], (wanted[:, part] * wanted_other[:, part])[turned]
            yield _mean_product(across, f"the mean product of values{name} from two calls, from the centre", limit)
            first, second = slice(0, size - size % 2, 2), slice(1, size, 2)
            along = one[first, part] * one[second, part], wanted_other[first, part] * wanted_other[second, part]
            yield _mean_product(along, f"the mean product of values{name} from calls in a row, from the centre", limit)
    if components > 1:
        totals = one.sum(axis=1) ** 2, wanted_other.sum(axis=1) ** 2
        yield _mean_product(totals, "the mean square of the sum of all components, from the centre", limit)


def _mean_product(products: tuple[Array, Array], what: str, limit: float) -> SamplingTest:
    means = float(products[0].mean()), float(products[1].mean())
    return SamplingTest(
        what=what, answer=means[0], expected=means[1], statistic=_score(products[0] - products[1]), limit=limit
    )


def _evenness(x: Array, y: Array, name: str, probability: float) -> SamplingTest:
    """Count the blocks of x among both, with equal values in random order.

    Serfling, "Probability inequalities for the sum in sampling without replacement", 1974.
    """
    size = len(x)
    mixed = np.random.Generator(np.random.PCG64(3)).permutation(2 * size)
    order = mixed[np.argsort(np.concatenate([x, y])[mixed], kind="stable")]
    is_own = order < size
    blocks = int(is_own[0]) + int(np.count_nonzero(is_own[1:] & ~is_own[:-1]))
    usual = (size + 1) / 2
    limit = sqrt(size * (1 - (size - 1) / (2 * size)) * log(2 / probability) / 2)
    what = f"the number of groups of neighbouring values{name} beside another sample"
    return SamplingTest(what=what, answer=blocks, expected=usual, statistic=abs(blocks - usual), limit=limit)


def _score(differences: Array) -> float:
    """Return |Σ d| / √Σ d², or 0 if nothing differs."""
    squares = float(differences @ differences)
    return abs(float(differences.sum())) / sqrt(squares) if squares else 0.0


def _shuffled(rows: Array, seed: int) -> Array:
    return np.random.Generator(np.random.PCG64(seed)).permutation(rows)
