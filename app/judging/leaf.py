"""A leaf: one value of a tree, which is a number, an array or a text.

A Python number is an array without dimensions: float as float64, int as int64 (uint64, or exact beyond that).
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from app.judging.numeric import np
from app.judging.printable_text import printable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]
else:
    Array = Any
Tree: TypeAlias = (
    bool | int | float | complex | str | bytes | list[Any] | tuple[Any, ...] | dict[Any, Any] | Array | None
)
Kind: TypeAlias = Literal["bool", "int", "float", "complex", "text"]
Shown: TypeAlias = bool | int | float | str

MAX_TEXT_SHOWN = 80

_CANONICAL = {"float": "float64", "int": "int64", "complex": "complex128"}
_INT64 = range(-(2**63), 2**63)
_UINT64 = range(2**64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leaf:
    """A value with its array. `dtype` is the name that students use: "float" for a Python float. Texts lack `array`."""

    value: Tree
    kind: Kind
    dtype: str
    array: Array

    @property
    def is_python(self) -> bool:
        return not isinstance(self.value, np.ndarray | np.generic)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape


def read_leaf(value: Tree) -> Leaf:
    """Read a value that is not a container. Raises TypeError for an array that the codec never passes on."""
    if value is None or isinstance(value, str | bytes):
        return Leaf(value=value, kind="text", dtype=type(value).__name__, array=np.empty((), object))
    array = _array_of(value)
    python = type(value).__name__ if isinstance(value, bool | int | float | complex) else ""
    is_numpy = isinstance(value, np.ndarray | np.generic)
    name = array.dtype.name if is_numpy else python
    return Leaf(value=value, kind=kind_of(name), dtype=name, array=array)


def canonical(dtype: str) -> str:
    """Return NumPy's name for the type of a Python number."""
    return _CANONICAL.get(dtype, dtype)


def shown(element: Any) -> Shown:
    """Return a JSON number, as short as its dtype allows: 0.1 for the float32 nearest to it. Others become text."""
    item = element.item() if isinstance(element, np.generic) else element
    if isinstance(item, float):
        return float(str(element)) if math.isfinite(item) else str(item)
    return item if isinstance(item, bool | int) and abs(item) < 2**53 else printable(str(item), MAX_TEXT_SHOWN)


def _array_of(value: Any) -> Array:
    if isinstance(value, int) and not isinstance(value, bool):
        return np.asarray(value, _dtype_of_int(value))
    return np.asarray(value)


def _dtype_of_int(value: int) -> "np.dtype[Any]":
    if value in _INT64:
        return np.dtype(np.int64)
    return np.dtype(np.uint64) if value in _UINT64 else np.dtype(object)


def kind_of(dtype: str) -> Kind:
    """Return the kind of a dtype or Python type by its name."""
    if dtype in ("NoneType", "str", "bytes"):
        return "text"
    if dtype == "bool":
        return "bool"
    if dtype.startswith(("int", "uint")):
        return "int"
    if dtype.startswith("complex"):
        return "complex"
    if dtype.startswith(("float", "bfloat")) and dtype not in ("float96", "float128"):
        return "float"
    raise TypeError(f"{dtype} is not a dtype of an answer")
