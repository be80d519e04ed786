"""`fraction`: how many may miss, and by how much."""

from math import isclose
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.judging.checkers.examples import judge

REST = {"rtol": 0.0, "atol": 1.0}
NAN, INF = float("nan"), float("inf")


@settings(max_examples=examples(200), deadline=None)
@given(st.integers(1, 60), st.integers(1, 99), st.data())
def test_as_many_may_miss_as_the_share_leaves(size: int, percent: int, data: st.DataObject) -> None:
    missed = data.draw(st.integers(0, size))
    expected = np.zeros(size)
    answer = expected.copy()
    answer[data.draw(st.permutations(range(size)))[:missed]] = 0.5

    found = judge("fraction", answer, expected, tolerance=(0.0, 0.1), least=percent / 100, rest=REST)

    assert found.accepted == (100 * (size - missed) >= percent * size)
    assert found.leaves[0].outside == missed


@pytest.mark.parametrize(
    ("least", "size", "most"), [(0.9, 10, 1), (0.99, 100, 1), (0.7, 10, 3), (0.9, 9, 0), (0.5, 1, 0)]
)
def test_the_count_is_exact_where_floats_are_not(least: float, size: int, most: int) -> None:
    expected = np.zeros(size)

    for missed in (most, most + 1):
        answer = np.where(np.arange(size) < missed, 0.5, 0.0)
        found = judge("fraction", answer, expected, tolerance=(0.0, 0.1), least=least, rest=REST)
        assert found.accepted == (missed == most)


def test_the_rest_has_a_tolerance_too() -> None:
    expected = np.zeros(100)
    answer = expected.copy()
    answer[3] = 1.5

    found = judge("fraction", answer, expected, tolerance=(0.0, 0.1), least=0.9, rest=REST)

    assert found.category == "values outside tolerance"
    assert found.message == (
        "your output: 1 of 100 elements are outside even the wider tolerance; worst at (3,): "
        "yours 1.5, expected 0 (allowed ±1)"
    )


def test_a_message_counts_what_missed_and_what_may() -> None:
    answer = np.array([0.0, 0.5, 0.75, 0.0])

    found = judge("fraction", answer, np.zeros(4), tolerance=(0.0, 0.1), least=0.75, rest=REST)

    assert found.message == (
        "your output: 2 of 4 elements differ; at most 1 may differ; "
        "worst at (2,): yours 0.75, expected 0 (allowed ±0.1)"
    )
    assert found.leaves[0].tolerance_used == 2.0


@pytest.mark.parametrize(("answer", "expected"), [(NAN, 0.0), (0.0, NAN), (INF, 0.0), (INF, -INF)])
def test_nan_and_inf_out_of_place_are_forgiven_to_none(answer: float, expected: float) -> None:
    wanted = np.zeros(1000)
    wanted[0] = expected
    given_ = wanted.copy()
    given_[0] = answer

    assert judge("fraction", wanted, wanted, least=0.5, rest=REST).accepted
    assert judge("fraction", given_, wanted, least=0.5, rest=REST).category == "nan or inf differs"


@pytest.mark.parametrize("dtype", ["int64", "bool"])
def test_labels_need_no_wider_tolerance(dtype: Any) -> None:
    expected = np.arange(10).astype(dtype)
    answer = expected.copy()
    answer[1] = 0

    assert judge("fraction", answer, expected, least=0.9).accepted
    assert not judge("fraction", answer, expected, least=0.95).accepted


def test_the_share_of_the_tolerance_is_that_of_misses_or_of_the_rest() -> None:
    answer = np.array([0.5] + [0.0] * 9)

    (leaf,) = judge(
        "fraction", answer, np.zeros(10), tolerance=(0.0, 0.1), least=0.8, rest={"rtol": 0, "atol": 0.6}
    ).leaves

    assert leaf.category is None
    assert isclose(leaf.tolerance_used or 0, 0.5 / 0.6)
