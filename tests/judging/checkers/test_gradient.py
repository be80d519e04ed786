"""`gradient`: one vector beside another."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from app.judging.checker import CheckerUnfit
from tests.examples import examples
from tests.judging.checkers.examples import judge

numbers = st.floats(-1e3, 1e3, allow_subnormal=False)
vectors = st.lists(st.tuples(numbers, numbers), min_size=1, max_size=8)


def relative_error(answer: list[float], expected: list[float]) -> float:
    longer = max(math.hypot(*answer), math.hypot(*expected))
    return math.hypot(*(a - e for a, e in zip(answer, expected, strict=True))) / longer if longer else 0.0


@settings(max_examples=examples(300), deadline=None)
@given(vectors, st.floats(1e-6, 0.5))
def test_the_relative_error_of_the_whole_vector_decides(pairs: list[tuple[float, float]], relative: float) -> None:
    answer, expected = [list(side) for side in zip(*pairs, strict=True)]
    error = relative_error(answer, expected)
    assume(abs(error - relative) > 1e-9)

    found = judge("gradient", np.array(answer), np.array(expected), relative=relative)

    assert found.accepted == (error <= relative)
    assert found.leaves[0].worst_difference == pytest.approx(error, abs=1e-12)


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(numbers, min_size=2, max_size=8), st.sampled_from([1e-300, 1e-30, 1.0, 1e30, 1e300]), st.booleans())
def test_it_does_not_matter_how_long_the_vectors_are(expected: list[float], scale: float, is_near: bool) -> None:
    assume(max(map(abs, expected)) > 1)
    wanted = np.array(expected) * scale
    answer = wanted * (1.0005 if is_near else 1.002)

    assert judge("gradient", answer, wanted, relative=1e-3).accepted == is_near


def test_a_small_element_may_be_off_by_much_of_itself() -> None:
    assert judge("gradient", np.array([100.0, 2e-3]), np.array([100.0, 1e-3]), relative=1e-4).accepted


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            [6.0, 8.0],
            "the relative error is 0.5; at most 0.001 is allowed; "
            "your vector has the expected direction and 2 times the expected length",
        ),
        (
            [-3.0, -4.0],
            "the relative error is 2; at most 0.001 is allowed; "
            "your vector points in the opposite direction and 1 times the expected length",
        ),
        (
            [-4.0, 3.0],
            "the relative error is 1.41; at most 0.001 is allowed; "
            "your vector points 90° away from the expected direction",
        ),
        ([0.0, 0.0], "the relative error is 1; at most 0.001 is allowed; your vector is all zeros"),
    ],
)
def test_the_message_says_whether_direction_or_length_is_off(answer: list[float], said: str) -> None:
    found = judge("gradient", {"w": np.array(answer)}, {"w": np.array([3.0, 4.0])}, relative=1e-3)

    assert found.category == "values outside tolerance"
    assert found.message == f"`w`: {said}"


def test_a_gradient_of_zero_needs_an_absolute_allowance() -> None:
    noise, zero = np.array([1e-9, -1e-9]), np.zeros(2)

    assert not judge("gradient", noise, zero, relative=1e-3).accepted
    assert judge("gradient", noise, zero, relative=1e-3, absolute=1e-8).accepted
    assert judge("gradient", zero, zero, relative=1e-3).accepted


@pytest.mark.parametrize("size", [1.7e308, 5e-324])
def test_numbers_at_the_edge_of_the_dtype_are_measured(size: float) -> None:
    wanted = np.full(5, size)

    assert judge("gradient", wanted, wanted, relative=1e-3).accepted
    assert not judge("gradient", -wanted, wanted, relative=1e-3).accepted
    both = np.full(5, complex(size, size))
    assert judge("gradient", both, both, relative=1e-3).accepted
    assert not judge("gradient", both.conj(), both, relative=1e-3).accepted


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_nan_and_inf_are_in_no_gradient(value: float) -> None:
    odd: Any = np.array([1.0, value])

    assert judge("gradient", odd, np.ones(2), relative=0.5).category == "nan or inf differs"
    with pytest.raises(CheckerUnfit, match="gradient can't judge the output: it holds nan or inf"):
        judge("gradient", odd, odd, relative=0.5)
