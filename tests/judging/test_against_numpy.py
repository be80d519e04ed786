"""Side by side with `numpy.testing.assert_allclose`, which uses the same formula."""

from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from app.judging.comparison import Rules, compare
from app.judging.leaf import Array
from app.judging.tolerance_comparison import Tolerance, default_for
from tests.examples import examples

magnitudes = st.just(0.0) | st.floats(1e-12, 10.0)
tolerances = st.builds(Tolerance, rtol=magnitudes, atol=magnitudes)
floats = st.floats(-1e6, 1e6) | st.sampled_from([np.nan, np.inf, -np.inf, 0.0])
DTYPES = (np.float64, np.float32, np.float16, ml_dtypes.bfloat16, np.complex64, np.complex128)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Array, Array]:
    """Two arrays of the same shape and dtype, of which many elements are equal or close."""
    shape, dtype = draw(array_shapes(max_dims=3, max_side=4)), draw(st.sampled_from(DTYPES))
    expected = draw(arrays(np.float64, shape, elements=floats))
    drift = draw(arrays(np.float64, shape, elements=st.sampled_from([0.0, 0.0, 1e-9, -1e-3, 1.0, np.inf, np.nan])))
    turn = 1j if draw(st.booleans()) and np.dtype(dtype).kind == "c" else 1.0
    with np.errstate(all="ignore"):
        return ((expected + drift) * turn).astype(dtype), (expected * turn).astype(dtype)


def is_accepted(answer: Any, expected: Any, tolerance: Tolerance | None) -> bool:
    return compare(answer, expected, Rules(tolerance=tolerance, leaves={"*": tolerance} if tolerance else {})).accepted


def numpy_accepts(answer: Array, expected: Array, tolerance: Tolerance) -> bool:
    """In 64 bits, since NumPy subtracts float16 in float16 and knows no bfloat16."""
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    rtol, atol = tolerance.rtol, tolerance.atol
    try:
        np.testing.assert_allclose(answer.astype(wide), expected.astype(wide), rtol=rtol, atol=atol, equal_nan=True)
    except AssertionError:
        return False
    return True


@settings(max_examples=examples(600), deadline=None)
@given(pairs(), st.none() | tolerances)
def test_numpy_says_the_same(pair: tuple[Array, Array], tolerance: Tolerance | None) -> None:
    answer, expected = pair
    used = tolerance or default_for(expected.dtype.name)

    assert is_accepted(answer, expected, tolerance) == numpy_accepts(answer, expected, used)


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
