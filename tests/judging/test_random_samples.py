"""Comparing random samples, and the limits of the statistics that do it."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations, product
from math import sqrt
from typing import Any

import numpy as np
import pytest

from app.judging.comparison import Rules, compare
from app.judging.leaf import Tree
from app.judging.random_samples import DEPENDS, LEAST_ROWS, REPEATS, VARIES, RandomRules
from app.judging.sampling import run_limit, score_limit, two_sample_limit
from tests.examples import IS_WHOLE

Sampler = Callable[[np.random.Generator], Any]


def calls(sampler: Sampler, repeat: int, start: int = 0) -> Tree:
    """What the driver sends."""

    def sample(number: int) -> Any:
        return np.array(sampler(np.random.default_rng((start, number))))

    first = sample(0)
    has_rows = repeat == 1 and first.ndim > 0 and len(first) >= LEAST_ROWS
    others = [sample(number) for number in range(1, 2 if has_rows else max(repeat, LEAST_ROWS))]
    further = others[repeat - 1 :]
    return {
        "samples": first if repeat == 1 else np.stack([first, *others[: repeat - 1]]),
        "again": sample(0),
        "others": np.stack(further) if further else np.empty((0, *first.shape), first.dtype),
    }


def walk(generator: np.random.Generator) -> Any:
    return generator.normal(size=6).cumsum()


def vectors(generator: np.random.Generator) -> Any:
    return generator.normal(size=(50, 2)) @ [[1, 2], [0, 1]]


# Each: the reference, another right sampler, and the number of calls.
RIGHT: dict[str, tuple[Sampler, Sampler, int]] = {
    "a coin": (lambda g: int(g.random() < 0.5), lambda g: int(g.integers(2)), 100),
    "a skewed coin": (lambda g: g.random() < 0.01, lambda g: g.random() > 0.99, 60),
    "a coin, thrice": (lambda g: int(g.random() < 0.5), lambda g: int(g.normal() > 0), 3),
    "a coin, once": (lambda g: int(g.random() < 0.5), lambda g: int(g.normal() > 0), 1),
    "nothing random": (lambda _: 3, lambda _: 3, 40),
    "normal": (lambda g: g.normal(size=60), lambda g: g.normal(size=60), 1),
    "the same draws": (lambda g: g.random(60) ** 2, lambda g: g.random(60) ** 2, 1),
    "the draws reversed": (lambda g: g.random(60), lambda g: 1 - g.random(60), 1),
    "sorted": (lambda g: g.random(60), lambda g: np.sort(g.random(60)), 1),
    "heavy tails": (lambda g: g.standard_cauchy(60), lambda g: np.tan(np.pi * (g.random(60) - 0.5)), 1),
    "dice in one call": (lambda g: g.integers(1, 7, 40), lambda g: 1 + (6 * g.random(40)).astype(int), 1),
    "vectors": (vectors, vectors, 1),
    "permutations": (lambda g: g.permutation(4), lambda g: np.argsort(g.random(4)), 50),
    "random walks": (walk, walk, 50),
    "two values": (lambda g: g.normal(size=2), lambda g: g.normal(size=2), 2),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_samplers_are_refused_at_most_at_the_rate(name: str) -> None:
    """The rate in use can't be measured. All trials keep their parts of a larger one."""
    rules, runs = RandomRules(rate=0.02), 2000 if IS_WHOLE else 200
    reference, other, repeat = RIGHT[name]

    refused = sum(
        rules.find_fault(calls(other, repeat, start), calls(reference, repeat, start)) is not None
        for start in range(runs)
    )

    assert refused <= 2 * rules.rate * runs + 3 * np.sqrt(2 * rules.rate * runs)


def fault(answer: Tree, expected: Tree) -> str | None:
    found = RandomRules().find_fault(answer, expected)
    return found and found[0]


def once_and_a_grid(generator: np.random.Generator) -> Any:
    return (generator.random() + np.arange(400) / 400) % 1


def grid_in_random_order(generator: np.random.Generator) -> Any:
    return generator.permutation((np.arange(400) + 0.5) / 400)


def jittered_grid_in_random_order(generator: np.random.Generator) -> Any:
    return generator.permutation((np.arange(400) + generator.random(400)) / 400)


def each_value_twice(generator: np.random.Generator) -> Any:
    return np.repeat(generator.random(200), 2)


@pytest.mark.parametrize(
    ("sampler", "category"),
    [
        (lambda _: np.full(400, 0.5), VARIES),
        (lambda _: np.random.default_rng(0).random(400), VARIES),
        (lambda g: g.permutation(np.random.default_rng(0).random(400)), VARIES),
        (once_and_a_grid, DEPENDS),
        (grid_in_random_order, VARIES),
        (jittered_grid_in_random_order, DEPENDS),
        (each_value_twice, DEPENDS),
    ],
    ids=["a constant", "its own seed", "shuffled", "a draw and a grid", "a grid in random order", "jittered", "twice"],
)
def test_one_call_that_is_not_random_is_refused(sampler: Sampler, category: str) -> None:
    for start in range(5):
        assert fault(calls(sampler, 1, start), calls(lambda g: g.random(400), 1, start)) == category


@pytest.mark.parametrize("repeat", [1, 2, 20, 400])
def test_a_constant_is_refused_with_few_calls_and_with_many(repeat: int) -> None:
    constant, reference = calls(lambda _: 0.5, repeat), calls(lambda g: g.random(), repeat)

    assert fault(constant, reference) == VARIES


def test_calls_that_depend_on_one_another_are_refused() -> None:
    golden = (np.sqrt(5) - 1) / 2
    numbers = np.arange(1000)
    right = calls(lambda g: g.random(), 1000)
    alternating = np.random.default_rng(1).random(1000)
    alternating[1::2] = 1 - alternating[::2]

    for values in (numbers * golden % 1, numbers / 1000, alternating):
        answer: Tree = {"samples": values, "again": np.array(values[0]), "others": np.empty(0)}

        assert fault(answer, right) == DEPENDS


def test_the_process_can_not_claim_to_be_random() -> None:
    right: Any = calls(lambda g: g.random(100), 1)
    rules = Rules(random=RandomRules(statistics=("mean",)))
    flagged = {"statistics": {"mean": right["samples"].mean()}, "repeats": True, "varies": True}

    assert compare(right, right, rules).accepted
    for forged in (flagged, {**right, "repeats": True}, {**right, "others": right["others"][:, :5]}, {}, None, [1]):
        assert not compare(forged, right, rules).accepted
    other = {**right, "again": right["again"] + 1e-12}
    assert (fault(other, right), compare(other, right, rules).category) == (REPEATS, REPEATS)


def test_statistics_are_computed_here_from_the_samples() -> None:
    samples = np.array([[1, 2], [3, 6]], np.int8)
    tree: Tree = {"samples": samples, "again": samples[0], "others": np.zeros((12, 2), np.int8)}

    view: Any = RandomRules(statistics=("mean", "max")).view(tree)

    assert view["statistics"]["mean"].tolist() == [2, 4]
    assert view["statistics"]["max"].tolist() == [3, 6]


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
