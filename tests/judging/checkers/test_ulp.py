"""`ulp` beside steps made one by one."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.judging.checkers.ulp import Ulp
from app.judging.comparison import Comparison
from tests.examples import examples
from tests.judging.checkers.examples import judge

NAN, INF = float("nan"), float("inf")
DTYPES: dict[str, Any] = {
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float32": np.float32,
    "float64": np.float64,
}
FINFO: Any = ml_dtypes.finfo
dtypes = st.sampled_from(list(DTYPES))


def step(number: Any, steps: int) -> Any:
    """So many times the next number; −0.0 and 0.0 are one."""
    for _ in range(abs(steps)):
        number = np.nextafter(number, number.dtype.type(np.copysign(INF, steps)))
    return number


def ulp(answer: Any, expected: Any, units: int) -> Comparison:
    return judge("ulp", np.array([answer]), np.array([expected]), units=units)


@settings(max_examples=examples(200), deadline=None)
@given(dtypes, st.floats(-1e4, 1e4) | st.sampled_from([0.0, -0.0, 1.0]), st.integers(-40, 40), st.integers(0, 40))
def test_so_many_steps_are_accepted_and_one_more_is_not(dtype: str, number: float, steps: int, units: int) -> None:
    expected = DTYPES[dtype](number)
    answer = step(expected, steps)

    found = ulp(answer, expected, units)

    assert found.accepted == (abs(steps) <= units)
    assert found.leaves[0].worst_difference == abs(steps)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_distance_goes_across_zero(dtype: str) -> None:
    zero = DTYPES[dtype](0.0)
    least, most_negative = step(zero, 1), step(zero, -1)

    assert ulp(least, most_negative, 2).accepted
    assert not ulp(least, most_negative, 1).accepted
    assert ulp(-zero, zero, 0).accepted


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_farthest_numbers_are_no_neighbours(dtype: str) -> None:
    largest = FINFO(DTYPES[dtype]).max

    found = ulp(-largest, largest, 2**10)

    assert not found.accepted
    width = 8 * np.dtype(DTYPES[dtype]).itemsize
    mantissa = FINFO(DTYPES[dtype]).nmant
    steps = 2 * ((2 ** (width - mantissa - 1) - 1 << mantissa) - 1)
    assert found.leaves[0].worst_difference == float(steps)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("answer", "expected"), [(INF, -INF), (NAN, 1.0), (1.0, NAN), (INF, 1.0), (NAN, INF)])
def test_nan_and_inf_must_stand_where_they_are_expected(dtype: str, answer: float, expected: float) -> None:
    kind = DTYPES[dtype]

    assert ulp(kind(answer), kind(expected), 2**24).category == "nan or inf differs"
    assert ulp(kind(expected), kind(expected), 0).accepted


def test_inf_is_no_neighbour_of_the_largest_number() -> None:
    assert ulp(np.float32(INF), np.finfo(np.float32).max, 1).category == "nan or inf differs"


def test_another_dtype_is_refused_under_every_policy() -> None:
    assert ulp(np.float64(1), np.float32(1), 5).category == "dtype differs"
    assert judge("ulp", 1.0, np.float64(1), units=0).accepted


def test_the_message_counts_the_units() -> None:
    expected = np.array([1, 2, 4], np.float32)
    answer = expected.copy()
    answer[1] = step(expected[1], 3)

    found = judge("ulp", answer, expected, units=2)

    assert found.message == (
        "your output: 1 of 3 elements differs; worst at (1,): yours 2.000001, expected 2 "
        "(3 units in the last place apart; at most 2 allowed)"
    )
    leaf = found.leaves[0]
    assert (leaf.tolerance_used, leaf.worst_difference, leaf.worst_allowed) == (1.5, 3.0, 2.0)
    assert leaf.max_abs == pytest.approx(7.15e-7, rel=1e-2)


@pytest.mark.parametrize("dtype", ["int32", "bool", "complex64", "float8_e5m2", "str"])
def test_only_floats_with_a_last_place_can_be_judged(dtype: str) -> None:
    objection = Ulp(checker="ulp", units=1).find_unfit(dtype, None)

    assert objection is not None
    assert objection.message.startswith(f"is {dtype}, but ulp judges")
