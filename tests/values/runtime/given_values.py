"""The inputs as the student's function receives them."""

import ml_dtypes
import numpy as np

from sandbox.guest.convert import restore
from tests.values.runtime.returned import returned


def as_given(kind: str) -> object:
    tree = {
        "x": np.array([1.5, 2.5], np.float32),
        "half": [(np.array(0.5, ml_dtypes.bfloat16), np.array([1], np.float16))],
        "plain": [1, 0.5, None, "text"],
    }
    given = restore(tree, kind)
    types = [type(leaf).__name__ for leaf in (given["x"], *given["half"][0], *given["plain"])]
    return {
        "types": types,
        "containers": [type(given["half"]).__name__, type(given["half"][0]).__name__],
        "tree": given,
    }


@returned
def given_as_jax() -> object:
    return as_given("jax")


@returned
def given_as_torch() -> object:
    return as_given("torch")


@returned
def given_as_numpy() -> object:
    return as_given("numpy")


@returned
def given_as_values() -> object:
    return as_given("value")


@returned
def given_tensor_is_the_students_to_change() -> object:
    tensor = restore(np.zeros(2, np.float32), "torch")
    tensor += 1
    return tensor


@returned
def given_dtypes_as_torch() -> object:
    names = ("bool", "uint8", "int8", "uint16", "int64", "float16", "bfloat16", "float64", "complex64", "float8_e5m2")
    arrays = {name: np.zeros((2, 1), getattr(ml_dtypes, name, name)) for name in names}
    return {name: str(tensor.dtype) for name, tensor in restore(arrays, "torch").items()}
