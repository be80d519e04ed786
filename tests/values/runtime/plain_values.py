"""Values of Python and NumPy."""

import collections
import dataclasses
import enum
from typing import Any, NamedTuple

import numpy as np

from tests.values.runtime.returned import returned


class Point(NamedTuple):
    x: float
    y: Any


class Empty(NamedTuple):
    pass


@dataclasses.dataclass
class Result:
    loss: float
    steps: list[int]


class Color(enum.IntEnum):
    RED = 1


@returned
def python_values() -> object:
    return [None, True, 3, 2**70, 0.5, 1j, "text", b"bytes", (1, [2, {"a": 3}])]


@returned
def named_tuple_and_dataclass() -> object:
    ordered = collections.OrderedDict(b=1, a=2)
    return [Point(1.0, np.ones(1)), Result(0.5, [1, 2]), Color.RED, ordered, Empty()]


@returned
def numpy_values() -> object:
    return [np.float32(0.5), np.bool_(True), np.str_("text"), np.arange(6).reshape(2, 3).T, np.array([1], ">i4")]


@returned
def numpy_keys() -> object:
    return {np.int64(3): 1, np.str_("a"): 2, ("b", 0): 3}


@returned
def numpy_matrix() -> object:
    return np.asmatrix([[1, 2]])


@returned
def numpy_masked() -> object:
    return np.ma.array([1, 2], mask=[True, False])


@returned
def numpy_objects() -> object:
    return {"history": np.array([1, None])}


@returned
def numpy_texts() -> object:
    return np.array(["a", "b"])


@returned
def numpy_huge_broadcast() -> object:
    return np.broadcast_to(np.float32(1), (10**6, 10**6))
