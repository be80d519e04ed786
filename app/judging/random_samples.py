"""The rules for answers of the kind `random`: the worker finds by the values of samples whether they are random.

The student's process calls the solution with several seeds and sends plain samples: `samples` of a single call, or of
each call, stacked; `again`, the first seed's sample once more; `others`, those of further seeds, stacked. `view` gives
what the checkers compare. If that is right, `find_fault` applies three rules:

1. The same seed gives the same sample, bit by bit.
2. Other seeds give other samples. Samples that are equal everywhere are refused only if the reference's differ so often
   that chance explains it with a probability of at most RATE: of 2N exchangeable rows, k of which differ, all N rows of
   one side are alike with probability C(2N − k, N) / C(2N, N).
3. The samples are independent, by the trials of `sampling.try_independence`, which share RATE.

So all three rules together refuse at most 2 · RATE of the right solutions, for each case. The order of the values
within a single call does not count.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import lgamma, log
from typing import Any

from app.judging.leaf import Array, Tree
from app.judging.numeric import np
from app.judging.sampling import try_independence

RATE = 1e-6
# With so many rows, chance explains equal ones with a probability below RATE, if none of the reference's are equal.
LEAST_ROWS = 14
MOST_COMPONENTS = 32
KEYS = {"samples", "again", "others"}

REPEATS, VARIES, DEPENDS = "same seed, another sample", "other seeds, the same sample", "samples are not independent"
MESSAGES = {
    REPEATS: "the same seed gave another sample when your function was called again; take random numbers only from "
    "what the function gets",
    VARIES: "another seed gave the same sample; take the random numbers from what the function gets",
}
DEPENDENT = (
    "your samples have the right distribution, but they are not independent; {what}: yours {answer:.4g}, expected "
    "{expected:.4g} (statistic {statistic:.3g}, limit {limit:.3g}); draw each sample by random numbers of its own"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomRules:
    """`statistics`: compared in place of the samples. `rate`: of rule 2, and of rule 3, for right solutions."""

    statistics: tuple[str, ...] = ()
    rate: float = RATE

    def view(self, tree: Tree) -> Tree:
        """Return what the checkers compare. A tree of another form stays as it is, and so differs."""
        calls = _read(tree)
        if calls is None or (self.statistics and not calls.samples.size):
            return tree
        if not self.statistics:
            return {"samples": calls.samples}
        wide = calls.samples.astype(np.float64)
        with np.errstate(all="ignore"):
            return {"statistics": {name: STATISTICS[name](wide) for name in self.statistics}}

    def find_fault(self, answer: Tree, expected: Tree) -> tuple[str, str] | None:
        """Return the category and message of the first broken rule. The answer is right otherwise."""
        given, wanted = _read(answer), _read(expected)
        if given is None or given.first.tobytes() != given.again.tobytes():
            return REPEATS, MESSAGES[REPEATS]
        if wanted is None or given.others.shape != wanted.others.shape:
            return None
        if _is_constant(given, wanted, self.rate):
            return VARIES, MESSAGES[VARIES]
        return _find_dependence(given, wanted, self.rate)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Calls:
    samples: Array
    again: Array
    others: Array

    @property
    def is_single(self) -> bool:
        return self.samples.shape == self.again.shape

    @property
    def first(self) -> Array:
        return self.samples if self.is_single else self.samples[0]

    @property
    def has_rows(self) -> bool:
        """Whether a single call gives enough rows."""
        return self.is_single and self.samples.ndim > 0 and len(self.samples) >= LEAST_ROWS and len(self.others) > 0

    def halves(self) -> tuple[Array, Array]:
        """Return two matrices of equal size whose rows come from different seeds."""
        if self.has_rows:
            both = self.samples, self.others[0]
        else:
            own = self.samples[np.newaxis] if self.is_single else self.samples
            rows = np.concatenate([own, self.others])
            half = len(rows) // 2
            both = rows[:half], rows[half : 2 * half]
        return both[0].reshape(len(both[0]), -1), both[1].reshape(len(both[1]), -1)


def _read(tree: Tree) -> _Calls | None:
    """Return None if the tree has another form: a hostile process may have written it."""
    if (
        not isinstance(tree, dict)
        or set(tree) != KEYS
        or not all(isinstance(each, np.ndarray) for each in tree.values())
    ):
        return None
    arrays: dict[str, Array] = tree
    calls = _Calls(**arrays)
    is_stacked = calls.samples.ndim == calls.again.ndim + 1 and calls.samples.shape[1:] == calls.again.shape
    fits = calls.is_single or (is_stacked and len(calls.samples) > 0)
    same_dtype = calls.samples.dtype == calls.again.dtype == calls.others.dtype
    return calls if fits and same_dtype and calls.others.shape[1:] == calls.again.shape else None


def _is_constant(given: _Calls, wanted: _Calls, rate: float) -> bool:
    one, other = given.halves()
    wanted_one, wanted_other = wanted.halves()
    if given.has_rows:
        if np.array_equal(one, other):
            return _is_too_unlikely(len(one), int((wanted_one != wanted_other).any(axis=1).sum()), rate)
        is_same_set = np.array_equal(_sorted_rows(one), _sorted_rows(other))
        return is_same_set and len(np.unique(wanted_one, axis=0)) == len(wanted_one)
    rows, wanted_rows = np.concatenate([one, other]), np.concatenate([wanted_one, wanted_other])
    if (rows != rows[:1]).any() or not rows.size:
        return False
    _, counts = np.unique(wanted_rows, axis=0, return_counts=True)
    return _is_too_unlikely(len(rows), len(wanted_rows) - int(counts.max()), rate)


def _sorted_rows(rows: Array) -> Array:
    return rows[np.lexsort(rows.T[::-1])] if rows.size else rows


def _is_too_unlikely(size: int, different: int, rate: float) -> bool:
    """Whether C(2N − k, N) / C(2N, N) is at most the rate."""
    left = 2 * size - different
    log_chance = lgamma(left + 1) - lgamma(left - size + 1) - lgamma(2 * size + 1) + lgamma(size + 1)
    return log_chance <= log(rate)


def _find_dependence(given: _Calls, wanted: _Calls, rate: float) -> tuple[str, str] | None:
    sides = [half[:, :MOST_COMPONENTS].astype(np.float64) for calls in (given, wanted) for half in calls.halves()]
    if not all(side.size and np.isfinite(side).all() for side in sides) or len({side.shape for side in sides}) > 1:
        return None
    trials = try_independence((sides[0], sides[1]), (sides[2], sides[3]), rate, is_ordered=not given.has_rows)
    worst = max(trials, key=lambda trial: trial.used)
    if worst.used <= 1:
        return None
    numbers = {"answer": worst.answer, "expected": worst.expected, "statistic": worst.statistic, "limit": worst.limit}
    return DEPENDS, DEPENDENT.format(what=worst.what, **numbers)


STATISTICS: Mapping[str, Callable[[Any], Any]] = {
    "mean": lambda samples: samples.mean(axis=0),
    "std": lambda samples: samples.std(axis=0),
    "median": lambda samples: np.median(samples, axis=0),
    "min": lambda samples: samples.min(axis=0),
    "max": lambda samples: samples.max(axis=0),
}
