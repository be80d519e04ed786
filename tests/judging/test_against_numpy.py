"""Side by side with `numpy.testing.assert_allclose`, which uses the same formula."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from app.judging.comparison import Rules, compare
from app.judging.leaf import Array
from app.judging.tolerance_comparison import Tolerance
from tests.examples import examples
from tests.judging.generated_cases import Generated, generate

magnitudes = st.just(0.0) | st.floats(1e-12, 10.0)
tolerances = st.builds(Tolerance, rtol=magnitudes, atol=magnitudes)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Array, Array]:
    """Two float64 arrays of the same shape, of which many elements are equal or close."""
    shape = draw(array_shapes(max_dims=3, max_side=4))
    expected = draw(
        arrays(np.float64, shape, elements=st.floats(-1e6, 1e6) | st.sampled_from([np.nan, np.inf, -np.inf, 0.0]))
    )
    drift = draw(arrays(np.float64, shape, elements=st.sampled_from([0.0, 0.0, 1e-9, -1e-3, 1.0, np.inf, np.nan])))
    with np.errstate(invalid="ignore"):
        return expected + drift, expected


def is_accepted(answer: Any, expected: Any, tolerance: Tolerance | None) -> bool:
    return compare(answer, expected, Rules(tolerance=tolerance, leaves={"*": tolerance} if tolerance else {})).accepted


def numpy_accepts(answer: Any, expected: Any, tolerance: Tolerance) -> bool:
    try:
        np.testing.assert_allclose(answer, expected, rtol=tolerance.rtol, atol=tolerance.atol, equal_nan=True)
    except AssertionError:
        return False
    return True


@settings(max_examples=examples(300), deadline=None)
@given(pairs(), tolerances)
def test_numpy_says_the_same(pair: tuple[Array, Array], tolerance: Tolerance) -> None:
    answer, expected = pair

    assert is_accepted(answer, expected, tolerance) == numpy_accepts(answer, expected, tolerance)


@settings(max_examples=examples(100), deadline=None)
@given(pairs(), tolerances)
def test_an_answer_is_right_by_itself(pair: tuple[Array, Array], tolerance: Tolerance) -> None:
    for array in pair:
        assert is_accepted(array, array.copy(), tolerance)


@settings(max_examples=examples(200), deadline=None)
@given(pairs(), tolerances, magnitudes, magnitudes)
def test_an_accepted_answer_stays_accepted_under_a_wider_tolerance(
    pair: tuple[Array, Array], tolerance: Tolerance, more_rtol: float, more_atol: float
) -> None:
    wider = Tolerance(rtol=tolerance.rtol + more_rtol, atol=tolerance.atol + more_atol)

    assert not is_accepted(*pair, tolerance) or is_accepted(*pair, wider)


@settings(max_examples=examples(200), deadline=None)
@given(pairs(), tolerances)
def test_the_report_agrees_with_the_verdict(pair: tuple[Array, Array], tolerance: Tolerance) -> None:
    found = compare(*pair, Rules(tolerance=tolerance))

    (leaf,) = found.leaves
    assert found.accepted == (leaf.outside == 0) == (leaf.category is None)
    if found.accepted and leaf.tolerance_used is not None:
        assert leaf.tolerance_used <= 1.0


@settings(max_examples=examples(100), deadline=None)
@given(arrays(np.int64, array_shapes(max_dims=2, max_side=4)), st.data())
def test_integers_are_equal_or_wrong(expected: Array, data: st.DataObject) -> None:
    answer = data.draw(arrays(np.int64, expected.shape) | st.just(expected))

    assert is_accepted(answer, expected, None) == np.array_equal(answer, expected)


@pytest.fixture(scope="module")
def generated() -> list[Generated]:
    return generate(count=5000, seed=2)


@pytest.mark.whole
def test_numpy_says_the_same_of_every_generated_case(generated: list[Generated]) -> None:
    differing = [case for case in generated if ours(case) != numpy_accepts(*_wide(case), case.effective)]

    assert differing == []


def test_the_generated_cases_are_right_and_wrong_in_good_measure(generated: list[Generated]) -> None:
    right = sum(map(ours, generated))

    assert 0.2 < right / len(generated) < 0.8


def ours(case: Generated) -> bool:
    return is_accepted(case.answer, case.expected, case.tolerance)


def _wide(case: Generated) -> tuple[Array, Array]:
    """NumPy subtracts float16 in float16, and knows no bfloat16."""
    wide = np.complex128 if case.expected.dtype.kind == "c" else np.float64
    return case.answer.astype(wide), case.expected.astype(wide)
