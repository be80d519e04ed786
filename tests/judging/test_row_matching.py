"""Pairing, beside trying every permutation."""

from itertools import permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from app.judging.leaf import Array
from app.judging.row_matching import Rows, arrange, match_most
from app.judging.tolerance_comparison import EXACT, Tolerance
from tests.examples import examples

values = st.sampled_from([0.0, 0.3, 0.6, 0.9, 1.2, -0.0, float("nan"), float("inf"), -float("inf")])


def test_a_pairing_may_have_to_change_all_the_way() -> None:
    size = 300
    chain = [(1 << i) | (1 << i + 1) for i in range(size - 1)] + [1]

    assert None not in match_most(chain)


@st.composite
def tables(draw: st.DrawFn) -> tuple[Array, Array]:
    """Up to five rows, many of them near to others, and as many more, half of the time nearly the same ones."""
    shape = (draw(st.integers(1, 5)), draw(st.integers(1, 3)))
    expected = draw(arrays(np.float64, shape, elements=values))
    if draw(st.booleans()):
        return draw(arrays(np.float64, shape, elements=values)), expected
    order = draw(st.permutations(range(shape[0])))
    return expected[list(order)] + draw(arrays(np.float64, shape, elements=st.sampled_from([0.0, 0.3, -0.3]))), expected


def pairs_at_best(answer: Array, expected: Array, tolerance: Tolerance) -> int:
    def near(a: Array, e: Array) -> bool:
        return bool(np.allclose(a, e, rtol=tolerance.rtol, atol=tolerance.atol, equal_nan=True))

    orders = permutations(range(len(answer)))
    return max(sum(near(answer[i], expected[j]) for j, i in enumerate(order)) for order in orders)


@settings(max_examples=examples(300), deadline=None)
@given(tables(), st.sampled_from([0.0, 0.31, 0.61]), st.sampled_from([0.0, 0.1]))
def test_as_many_rows_are_paired_as_can_be(table: tuple[Array, Array], atol: float, rtol: float) -> None:
    answer, expected = table
    tolerance = Tolerance(rtol=rtol, atol=atol)

    found = arrange([Rows(answer=answer, expected=expected, kinds=("float", "float"), tolerance=tolerance)])

    assert sorted(found.order) == list(range(len(expected)))
    assert np.count_nonzero(found.is_matched) == pairs_at_best(answer, expected, tolerance)
    for j in np.flatnonzero(found.is_matched):
        assert np.allclose(answer[found.order[j]], expected[j], rtol=rtol, atol=atol, equal_nan=True)


@settings(max_examples=examples(150), deadline=None)
@given(st.data())
def test_rows_of_integers_are_paired_by_value_across_dtypes(data: st.DataObject) -> None:
    shape = (data.draw(st.integers(1, 6)), data.draw(st.integers(1, 2)))
    dtypes = st.sampled_from(["int8", "int64", "uint8", "uint64"])
    answer, expected = (
        data.draw(arrays(data.draw(dtypes), shape, elements=st.sampled_from([0, 1, 2, 127]))) for _ in range(2)
    )

    found = arrange([Rows(answer=answer, expected=expected, kinds=("int", "int"), tolerance=EXACT)])

    assert np.count_nonzero(found.is_matched) == pairs_at_best(answer, expected, EXACT)


def test_negative_integers_are_no_large_ones() -> None:
    answer, expected = np.array([[-1, 0]]), np.array([[2**64 - 1, 0]], np.uint64)

    found = arrange([Rows(answer=answer, expected=expected, kinds=("int", "int"), tolerance=EXACT)])

    assert not found.is_matched.any()
