"""Tolerances and their defaults by dtype.

The defaults are those of `torch.testing.assert_close`. https://docs.pytorch.org/docs/stable/testing.html
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from app.errors import Invalid


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """The bound |answer − expected| ≤ atol + rtol · |expected| for each element."""

    rtol: float
    atol: float

    def __post_init__(self) -> None:
        for name, value in (("rtol", self.rtol), ("atol", self.atol)):
            if not (math.isfinite(value) and value >= 0):
                raise Invalid(name, f"{name} is {value}; it must be a finite number of at least 0")


EXACT = Tolerance(rtol=0.0, atol=0.0)

DEFAULTS: Mapping[str, Tolerance] = {
    "float16": Tolerance(rtol=1e-3, atol=1e-5),
    "bfloat16": Tolerance(rtol=1.6e-2, atol=1e-5),
    "float32": Tolerance(rtol=1.3e-6, atol=1e-5),
    "float64": Tolerance(rtol=1e-7, atol=1e-7),
    "complex64": Tolerance(rtol=1.3e-6, atol=1e-5),
    "complex128": Tolerance(rtol=1e-7, atol=1e-7),
}


def default_for(dtype: str) -> Tolerance:
    """Return the default for the expected dtype. Integers, bool and floats of at most 8 bits are exact."""
    return DEFAULTS.get(dtype, EXACT)
