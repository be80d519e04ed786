"""`exact`: bits, with two remarks about zeros and NaN."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from app.judging.leaf import Array
from tests.examples import examples
from tests.judging.checkers.examples import judge

NAN = float("nan")
DTYPES = ("float16", "float32", "float64", "complex64", "complex128", "int8", "uint64", "bool")


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Array, Array]:
    """Two arrays of one dtype, mostly equal."""
    expected = draw(arrays(draw(st.sampled_from(DTYPES)), array_shapes(max_dims=2, max_side=4)))
    answer = expected.copy()
    if draw(st.booleans()):
        index = tuple(draw(st.integers(0, size - 1)) for size in expected.shape)
        answer[index] = draw(arrays(expected.dtype, ()))
    return answer, expected


def same_bits(answer: Array, expected: Array) -> bool:
    """Byte by byte, every NaN first made the same."""

    def plain(array: Array) -> bytes:
        if array.dtype.kind not in "fc":
            return array.tobytes()
        parts = array.reshape(-1).view(array.real.dtype)
        return np.where(np.isnan(parts), np.abs(np.array(np.nan, parts.dtype)), parts).tobytes()

    return plain(answer) == plain(expected)


@settings(max_examples=examples(300), deadline=None)
@given(pairs())
def test_an_answer_is_right_when_its_bytes_are(pair: tuple[Array, Array]) -> None:
    answer, expected = pair

    assert judge("exact", answer, expected).accepted == same_bits(answer, expected)


@pytest.mark.parametrize(
    ("answer", "expected", "accepted"),
    [
        (np.float32(-0.0), np.float32(0.0), False),
        (np.array([NAN]), np.array([-NAN]), True),
        (np.array([0x7FC00001], np.uint32).view(np.float32), np.array([NAN], np.float32), True),
        (complex(NAN, 1), complex(NAN, 2), False),
        (complex(NAN, 1), complex(NAN, 1), True),
        (np.float32(1), np.float64(1), False),
        (np.array([1], np.int32), np.array([1], np.int64), False),
        (1.5, np.float64(1.5), True),
        (np.array([-0.0], ml_dtypes.bfloat16), np.array([0.0], ml_dtypes.bfloat16), False),
        (np.array([1.0], ml_dtypes.bfloat16), np.array([1.0], ml_dtypes.bfloat16), True),
        (2**70, 2**70, True),
        (2**70, 2**70 + 1, False),
        ("adam", "adam", True),
        ("adam", "Adam", False),
    ],
)
def test_zeros_have_signs_and_nan_has_none(answer: Any, expected: Any, accepted: bool) -> None:
    assert judge("exact", answer, expected).accepted == accepted


def test_the_message_says_that_it_was_the_sign_of_a_zero() -> None:
    found = judge("exact", np.array([0.0, -0.0]), np.array([0.0, 0.0]))

    assert found.message == (
        "your output: 1 of 2 elements differs; worst at (1,): yours −0, expected 0 "
        "(same number, different bits: check the sign of zero)"
    )
    assert found.leaves[0].tolerance_used == float("inf")
