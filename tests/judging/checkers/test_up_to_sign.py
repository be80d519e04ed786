"""`up_to_sign`: columns, rows, batches and the whole, alone and together."""

from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from app.judging.checker import CheckerUnfit
from app.judging.checkers.up_to_sign import UpToSign
from app.judging.comparison import Comparison, compare
from app.judging.leaf import Array, Tree
from app.judging.tolerance_comparison import Tolerance
from tests.examples import examples
from tests.judging.checkers.examples import judge, rules

NAN, INF = float("nan"), float("inf")
SVD = {
    "u": {"checker": "up_to_sign", "axes": [1], "group": "svd"},
    "v": {"checker": "up_to_sign", "axes": [1], "group": "svd"},
}


@st.composite
def flipped(draw: st.DrawFn) -> tuple[Array, Array, list[int]]:
    """A leaf with some of its parts negated, the leaf, and the axes."""
    shape = draw(array_shapes(min_dims=1, max_dims=3, max_side=4))
    elements = st.floats(-1e3, 1e3) | st.sampled_from([NAN, INF, 0.0])
    expected = draw(arrays(np.float64, shape, elements=elements))
    axes = draw(st.lists(st.integers(0, len(shape) - 1), unique=True))
    sizes = tuple(size if axis in axes else 1 for axis, size in enumerate(shape))
    return expected * draw(arrays(np.float64, sizes, elements=st.sampled_from([1.0, -1.0]))), expected, axes


def together(answer: Tree, expected: Tree, checkers: Any = SVD) -> Comparison:
    return compare(answer, expected, rules(checkers, tolerance=Tolerance(rtol=1e-6, atol=1e-6)))


def accepts(answer: Array, expected: Array, axes: list[int], atol: float) -> bool:
    """Decide by trying both signs of every part, with loops."""
    for part in product(*(range(expected.shape[axis]) for axis in axes)):
        index: list[Any] = [slice(None)] * expected.ndim
        for axis, place in zip(axes, part, strict=True):
            index[axis] = place
        a, e = answer[tuple(index)], expected[tuple(index)]
        if not any(np.allclose(sign * a, e, rtol=0, atol=atol, equal_nan=True) for sign in (1, -1)):
            return False
    return True


@settings(max_examples=examples(200), deadline=None)
@given(flipped(), st.sampled_from([0.05, 0.2, 5.0]), st.data())
def test_an_element_beyond_the_tolerance_is_found(
    case: tuple[Array, Array, list[int]], shift: float, data: st.DataObject
) -> None:
    answer, expected, axes = case
    index = tuple(data.draw(st.integers(0, size - 1)) for size in expected.shape)
    answer[index] += shift

    found = judge("up_to_sign", answer, expected, tolerance=(0.0, 0.1), axes=axes)

    assert found.accepted == accepts(answer, expected, axes, 0.1)
    if shift < 0.1:
        assert found.accepted


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, ml_dtypes.float8_e5m2])
def test_every_kind_of_float_has_a_sign(dtype: Any) -> None:
    expected = np.array([[1, 2], [3, 4]]).astype(dtype)

    assert judge("up_to_sign", expected * np.array([1, -1]).astype(dtype), expected, axes=[1]).accepted


def test_a_part_has_one_sign_only() -> None:
    expected = np.array([[1.0, 2.0], [3.0, 4.0]])
    answer = expected * np.array([[1.0, -1.0], [1.0, 1.0]])

    assert judge("up_to_sign", -expected, expected).accepted
    assert not judge("up_to_sign", answer, expected, axes=[1]).accepted
    assert not judge("up_to_sign", expected * np.array([1.0, -1.0]), expected).accepted


def test_the_message_names_the_column_and_says_that_both_signs_were_tried() -> None:
    expected = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    answer = expected * np.array([1.0, 1.0, -1.0])
    answer[1, 2] = -7.0

    found = judge("up_to_sign", answer, expected, tolerance=(0.0, 0.1), axes=[1])

    assert found.category == "values outside tolerance"
    assert found.message == (
        "your output: column 2 differs under either sign; with the sign flipped, "
        "worst at (1, 2): yours 7, expected 6 (allowed ±0.1)"
    )
    assert found.leaves[0].outside == 1


def test_leaves_of_a_group_are_flipped_together() -> None:
    u, v = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0], [7.0, 8.0], [9.0, 1.0]])
    signs = np.array([-1.0, 1.0])

    assert together({"u": u * signs, "v": v * signs}, {"u": u, "v": v}).accepted
    found = together({"u": u * signs, "v": v}, {"u": u, "v": v})
    assert not found.accepted
    assert "the other leaves of its group have different signs flipped; flip them together" in found.message


def test_leaves_without_a_group_are_flipped_each_by_itself() -> None:
    alone = {name: {"checker": "up_to_sign", "axes": [1]} for name in ("u", "v")}
    u, v = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])

    assert together({"u": -u, "v": v}, {"u": u, "v": v}, alone).accepted


def test_a_group_whose_leaves_have_different_numbers_of_signs_is_the_authors_mistake() -> None:
    with pytest.raises(CheckerUnfit, match="these have leaf u: \\(2,\\), leaf v: \\(3,\\)"):
        together({"u": np.ones((2, 2)), "v": np.ones((2, 3))}, {"u": np.ones((2, 2)), "v": np.ones((2, 3))})


def test_a_wrong_leaf_of_a_group_is_told_before_the_group_is_looked_at() -> None:
    expected = {"u": np.ones((2, 2)), "v": np.ones((3, 2))}

    assert together({"u": np.ones((2, 2)), "v": np.ones((2, 3))}, expected).category == "shape differs"


@pytest.mark.parametrize(
    ("axes", "shape", "words"),
    [
        ([2], (None, 3), "is [2], but the leaf has 2 dimensions"),
        ([-3], (4, 3), "is [-3], but the leaf has 2 dimensions"),
        ([0, -2], (4, 3), "is [0, -2]"),
    ],
)
def test_axes_that_the_leaf_does_not_have_are_found_by_its_shape(axes: list[int], shape: Any, words: str) -> None:
    objection = UpToSign(checker="up_to_sign", axes=tuple(axes)).find_unfit("float32", shape)

    assert objection is not None
    assert (objection.key, objection.message) == ("axes", words)
