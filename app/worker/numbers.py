"""The whole numbers of a case by name, for requirements that speak of them: of what it gives, and of symbolic sizes."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from app.catalog.manifest import Manifest
from sandbox.guest.codec import decode


def numbers_of(manifest: Manifest, inputs: bytes) -> Mapping[str, int]:
    """`inputs`: encoded. A fraction counts as the whole number below it."""
    given: Any = decode(inputs)
    numbers: dict[str, int] = {}
    for parameter in manifest.case_inputs:
        value = given[parameter.name]
        if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
            numbers[parameter.name] = int(value // 1)
        elif isinstance(value, np.ndarray) and parameter.is_array:
            sizes = zip(parameter.shape or (), value.shape, strict=False)
            numbers |= {size: length for size, length in sizes if isinstance(size, str)}
    return numbers
