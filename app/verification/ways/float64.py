"""Computes in float64: the inputs, and all values that depend on them."""

import sys
from typing import Any

import numpy as np

if "jax" in sys.modules:
    sys.modules["jax"].config.update("jax_enable_x64", True)
if "torch" in sys.modules:
    sys.modules["torch"].set_default_dtype(sys.modules["torch"].float64)


def call(run: Any, solution: Any, inputs: dict[str, Any]) -> object:
    return run(solution, widened(inputs))


def widened(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: widened(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(widened, value))
    name = str(getattr(value, "dtype", "")).removeprefix("torch.")
    if name in ("float16", "bfloat16", "float32"):
        return value.double() if hasattr(value, "double") else value.astype(np.float64)
    return value.astype(np.complex128) if name == "complex64" and hasattr(value, "astype") else value
