"""Signatures of exported functions: shapes, dtypes and static values, and no traced values."""

from typing import Any

import numpy as np
import pytest

from sandbox.guest.trace_signature import Untraceable
from tests.sandbox.inspecting import describe

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_equal_shapes_and_static_values_are_one_signature() -> None:
    first: dict[str, Any] = {"x": X, "n": 4.0, "rate": 0.1}

    assert describe(first, ("n",)) == describe({"x": X + 1, "n": 4.0, "rate": 0.2}, ("n",))
    assert describe(first, ("n",)) != describe({"x": X, "n": 5.0, "rate": 0.1}, ("n",))
    assert describe(first, ("n",)) != describe({"x": X[:1], "n": 4.0, "rate": 0.1}, ("n",))


def test_no_value_that_is_traced_is_in_it() -> None:
    secret = b"secret values hold 16"

    described = describe({"x": np.frombuffer(secret[:16], np.float32), "p": {"lr": 1234.5}})

    assert secret[:16] not in described
    assert np.float64(1234.5).tobytes() not in described


def test_a_text_is_static_or_refused() -> None:
    with pytest.raises(Untraceable, match="mode holds a value of type str"):
        describe({"mode": "sum"})

    describe({"mode": "sum"}, ("mode",))
