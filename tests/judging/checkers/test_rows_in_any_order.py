"""`up_to_permutation` of rows. The pairing itself is tested in `test_row_matching.py`."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from app.judging.checker import CheckerUnfit
from app.judging.leaf import Array
from tests.examples import examples
from tests.judging.checkers.examples import judge

NAN, INF = float("nan"), float("inf")
DTYPES = ("float16", "float32", "float64", "complex128", "int8", "uint64", "bool")


@settings(max_examples=examples(200), deadline=None)
@given(st.data())
def test_the_order_of_rows_does_not_matter(data: st.DataObject) -> None:
    shape = data.draw(array_shapes(max_dims=3, max_side=5))
    expected = data.draw(arrays(data.draw(st.sampled_from(DTYPES)), shape))

    answer = expected[list(data.draw(st.permutations(range(shape[0]))))]

    assert judge("up_to_permutation", answer, expected, axis=0).accepted


@settings(max_examples=examples(200), deadline=None)
@given(arrays(np.float64, array_shapes(max_dims=2, max_side=5), elements=st.integers(-50, 50).map(float)), st.data())
def test_a_row_beyond_the_tolerance_is_found_in_any_order(expected: Array, data: st.DataObject) -> None:
    """Whole numbers with a tenth of a tolerance: another whole number is another row."""
    answer = expected[list(data.draw(st.permutations(range(len(expected)))))]
    index = tuple(data.draw(st.integers(0, size - 1)) for size in expected.shape)
    answer[index] += data.draw(st.sampled_from([0.09, -0.09, 0.2, -0.2, 200.0]))

    found = judge("up_to_permutation", answer, expected, tolerance=(0.0, 0.1), axis=0)

    assert found.accepted == (abs(answer[index] - np.round(answer[index])) < 0.1 and abs(answer[index]) < 100)


@pytest.mark.parametrize(
    ("answer", "expected", "accepted"),
    [
        ([1, 1, 2], [1, 2, 2], False),
        ([2, 1, 2], [1, 2, 2], True),
        ([NAN, 1.0], [1.0, NAN], True),
        ([NAN, 1.0], [1.0, 2.0], False),
        ([-INF, INF], [INF, -INF], True),
        ([INF, INF], [INF, -INF], False),
        ([-0.0, 1.0], [1.0, 0.0], True),
        ([1j, 1.0], [1.0, 1j], True),
        ([1j, 1j], [1.0, 1j], False),
        ([True, False], [False, True], True),
        ([True, True], [False, True], False),
    ],
)
def test_every_row_counts_as_often_as_it_is_expected(answer: list[Any], expected: list[Any], accepted: bool) -> None:
    assert judge("up_to_permutation", np.array(answer), np.array(expected), axis=0).accepted == accepted


def test_rows_that_are_near_to_several_are_paired_so_that_it_works_out() -> None:
    expected, answer = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), np.array([[1.5, 0.0], [0.5, 0.0], [0.5, 0.0]])

    assert judge("up_to_permutation", answer, expected, tolerance=(0.0, 0.5), axis=0).accepted
    assert not judge("up_to_permutation", answer, expected, tolerance=(0.0, 0.49), axis=0).accepted


def test_half_precision_rows_are_rows_too() -> None:
    expected = np.array([[1, 2], [3, 4]]).astype(ml_dtypes.bfloat16)

    assert judge("up_to_permutation", expected[::-1], expected, axis=0).accepted


def test_a_message_counts_the_missing_rows_and_shows_one_beside_what_is_left_over() -> None:
    expected = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    answer = np.array([[3.0, 3.0], [2.0, 2.5], [1.0, 1.0]])

    found = judge("up_to_permutation", answer, expected, tolerance=(0.0, 0.1), axis=0)

    assert found.category == "values outside tolerance"
    assert found.message == (
        "your output: 1 of 3 expected rows are not in your output; expected row 1 against your closest unmatched one: "
        "worst at (1, 1): yours 2.5, expected 2 (allowed ±0.1)"
    )


def test_one_missing_number_is_one_missing_row() -> None:
    expected = np.arange(1000.0)

    assert (
        "1 of 1000 expected rows"
        in judge("up_to_permutation", np.append(expected[1:], 5000.0), expected, axis=0).message
    )


def test_too_many_rows_to_pair_are_the_authors_mistake() -> None:
    with pytest.raises(CheckerUnfit, match="up_to_permutation can't judge the output: it has 3000 rows of 2 elements"):
        judge("up_to_permutation", np.zeros((3000, 2), int), np.zeros((3000, 2), int), tolerance=(0.0, 1.0), axis=0)
    assert judge("up_to_permutation", np.zeros((3000, 2), int), np.zeros((3000, 2), int), axis=0).accepted
