"""Prepared cases of the quick problem."""

from dataclasses import replace

import numpy as np

from app.engine.prepare import PreparedCase
from app.judging.report import preview
from sandbox.guest.codec import encode


def make_case(position: int) -> PreparedCase:
    """The first is a sample, the others are hidden; each holds its position as `x`."""
    x = np.full(2, position, np.float32)
    return PreparedCase(
        position=position,
        name=f"case {position}",
        visibility="hidden" if position else "sample",
        inputs=encode({"x": x, "eps": 1.0}),
        expected=encode(x),
        inputs_preview={"x": preview(x), "eps": preview(1.0)},
        expected_preview=preview(x),
    )


def sized(position: int, size: int) -> PreparedCase:
    """`x` has this many elements."""
    x = np.full(size, position, np.float64)
    return replace(make_case(position), inputs=encode({"x": x, "eps": 0.1}), expected=encode(x))
