"""`distribution`: right samplers pass at the stated rate, wrong ones don't."""

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from app.judging.checker import CheckerUnfit
from app.judging.checkers.distribution import Distribution
from app.judging.leaf import Array
from tests.judging.checkers.examples import judge

Sampler = Callable[[np.random.Generator], Array]

RATE = 0.01
DRAWS = 2000
SAMPLERS: dict[str, Sampler] = {
    "normal": lambda random: random.normal(3, 2, 300),
    "cauchy": lambda random: random.standard_cauchy(300),
    "lognormal": lambda random: random.lognormal(0, 2, 300),
    "coin": lambda random: random.integers(0, 2, 300),
    "rare": lambda random: random.random(300) < 0.02,
    "plane": lambda random: random.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], 300),
    "few_values": lambda random: random.choice([1e-300, 1.0, 1e300], 300),
}


@pytest.mark.whole
@pytest.mark.parametrize("name", SAMPLERS)
def test_right_samplers_are_refused_less_often_than_stated(name: str) -> None:
    random = np.random.default_rng(20)

    refused = sum(
        not judge("distribution", SAMPLERS[name](random), SAMPLERS[name](random), false_reject_rate=RATE).accepted
        for _ in range(DRAWS)
    )

    assert refused <= RATE * DRAWS


def draw(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).normal(size=shape or (3000,))


CORRELATED = draw(1, 3000, 2) @ np.array([[1.0, 0.8], [0.0, 0.6]])
OUTLYING = draw(4)
OUTLYING[:30] = 4.5
WRONG: dict[str, tuple[Array, Array, str]] = {
    "shifted": (draw(2) + 0.25, draw(3), "; the mean: yours 0.2"),
    "wider": (draw(2) * 1.3, draw(3), "; the standard deviation: yours 1.3"),
    "another shape": (np.sign(draw(2)), draw(3), "; the share of the values up to"),
    "clipped": (np.clip(draw(2), -1.8, 1.8), draw(3), "; the number of values"),
    "outlying": (OUTLYING, draw(3), "; the number of values above every value of the other sample: yours 30"),
    "uncorrelated": (draw(2, 3000, 2), CORRELATED, "; the covariance of components 0 and 1: yours 0.0"),
    "one component": (draw(2, 3000, 2) * [1, 2], draw(3, 3000, 2), "of component 1"),
    "constant": (np.zeros(3000), draw(3), "; the standard deviation: yours 0"),
    "one value repeated": (np.full(3000, draw(3)[0]), draw(3), "; the mean: yours 2.0"),
    "the mean repeated": (np.full(3000, draw(3).mean()), draw(3), "; the standard deviation: yours 0"),
    "unfair coin": (draw(2) < 0.3, draw(3) < 0, "; the mean: yours 0.62"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_samplers_are_refused_with_what_is_wrong_about_them(name: str) -> None:
    answer, expected, words = WRONG[name]

    found = judge("distribution", answer, expected)

    assert found.category == "distribution differs"
    assert found.message.startswith("your output does not follow the expected distribution; ")
    assert words in found.message
    assert (found.leaves[0].tolerance_used or 0) > 1
    assert judge("distribution", expected, expected).accepted


def test_half_precision_samples_are_compared_in_half_precision() -> None:
    expected = draw(3).astype(ml_dtypes.bfloat16)

    assert judge("distribution", draw(2).astype(np.float32), expected).accepted


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_nan_and_inf_are_no_samples(value: float) -> None:
    odd = draw(2)
    odd[7] = value

    found = judge("distribution", odd, draw(3))

    assert found.category == "nan or inf differs"
    assert "first nan or inf mismatch at (7,)" in found.message
    with pytest.raises(CheckerUnfit, match="holds nan or inf"):
        judge("distribution", odd, odd)


def test_too_few_samples_can_not_be_judged_and_are_told_how_many_are_needed() -> None:
    checker = Distribution(checker="distribution")

    objection = checker.find_unfit("float32", (3,))

    assert objection is not None
    needed = int(objection.message.split()[-3])
    assert objection.message == f"has 3 samples, and a false_reject_rate of 1e-06 needs {needed} or more"
    assert checker.find_unfit("float32", (needed - 1,)) is not None
    assert checker.find_unfit("float32", (needed,)) is None
    assert checker.find_unfit("float32", (None, 3)) is None


def test_too_many_components_can_not_be_judged() -> None:
    objection = Distribution(checker="distribution").find_unfit("float32", (10_000, 8, 9))

    assert objection is not None
    assert objection.message == "has 72 components, and distribution looks at 32 at most"
