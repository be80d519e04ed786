"""The element types of packages, and facts about them without NumPy, which the web process does not import."""

from dataclasses import dataclass
from typing import Literal, get_args

DType = Literal[
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "bfloat16",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
Family = Literal["bool", "int", "float", "complex"]

DTYPES: tuple[DType, ...] = get_args(DType)
# Boxes run JAX without `jax_enable_x64`, which silently narrows these types.
WIDE_DTYPES: frozenset[DType] = frozenset({"int64", "uint64", "float64", "complex128"})

_LARGEST_FLOAT: dict[str, float] = {
    "float16": 65504.0,
    "bfloat16": 3.3895313892515355e38,
    "float32": 3.4028234663852886e38,
    "float64": 1.7976931348623157e308,
    "complex64": 3.4028234663852886e38,
    "complex128": 1.7976931348623157e308,
}
_BYTES = {"bool": 1, "bfloat16": 2, "complex64": 8, "complex128": 16}


@dataclass(frozen=True, slots=True)
class Range:
    """The finite numbers of a type, including both ends."""

    low: float
    high: float

    def __contains__(self, number: float) -> bool:
        return self.low <= number <= self.high


def family(dtype: DType) -> Family:
    if dtype == "bool":
        return "bool"
    if dtype.startswith(("int", "uint")):
        return "int"
    return "complex" if dtype.startswith("complex") else "float"


def range_of(dtype: DType) -> Range:
    """Return the range of a type; for a complex type, that of its real part."""
    if dtype in _LARGEST_FLOAT:
        return Range(-_LARGEST_FLOAT[dtype], _LARGEST_FLOAT[dtype])
    if dtype == "bool":
        return Range(0, 1)
    bits = bytes_of(dtype) * 8
    return Range(0, 2**bits - 1) if dtype.startswith("u") else Range(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def bytes_of(dtype: DType) -> int:
    """Return the size of one element."""
    return _BYTES.get(dtype) or int(dtype.lstrip("uintfloa")) // 8
