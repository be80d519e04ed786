"""How `make growth` judges the cost of an input that grows."""

import pytest

from benchmarks.input_growth import fit

SIZES = (2_000, 16_000, 128_000, 1_000_000)


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("seconds", [0.5, 2.0])
def test_the_exponent_of_growth_is_found_although_the_last_input_is_refused(power: int, seconds: float) -> None:
    costs = [(size, 0.01 + seconds * (size / SIZES[-1]) ** power) for size in SIZES]

    exponent = fit([*costs, (2 * SIZES[-1], 0.01)])

    assert exponent == pytest.approx(power, abs=0.35)


def test_an_input_that_costs_little_has_no_exponent() -> None:
    assert fit([(size, 0.01 + 0.08 * (size == SIZES[-1])) for size in SIZES]) is None
    assert fit([(SIZES[0], 0.5)]) is None
    assert fit([]) is None
