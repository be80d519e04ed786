"""An answer as a tree of leaves, and the pairing of its leaves with the expected ones.

A leaf is a number, an array or a text. A Python number is an array without dimensions: float as float64, int as int64
(uint64, or exact beyond that), and matches one. A list matches a tuple of the same length. None, strings and bytes
match only their own type. A named tuple, which arrives as an OrderedDict, matches a list or tuple by position and a
dict by its names; another named tuple by names if both have the same ones, and otherwise by position.
"""

import math
import reprlib
from collections import OrderedDict
from collections.abc import Iterator
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


MAX_PATH_CHARACTERS = 200
MAX_KEYS_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pair:
    path: str
    answer: Leaf
    expected: Leaf


@dataclass(frozen=True, slots=True, kw_only=True)
class StructureDiffers:
    message: str


def aligned(answer: Tree, expected: Tree) -> Tree:
    """Return the answer with its named tuples, lists and tuples in the form of the expected output's."""
    answer = _in_form_of(answer, expected)
    if isinstance(answer, dict) and isinstance(expected, dict):
        return type(answer)((key, aligned(item, expected.get(key))) for key, item in answer.items())
    if isinstance(answer, list | tuple) and isinstance(expected, list | tuple) and len(answer) == len(expected):
        return type(answer)(aligned(item, wanted) for item, wanted in zip(answer, expected, strict=True))
    return answer


def _in_form_of(answer: Tree, expected: Tree) -> Tree:
    """Convert one container; those in it stay as they are."""
    if isinstance(expected, list | tuple) and isinstance(answer, OrderedDict):
        return tuple(answer.values())
    if not isinstance(expected, OrderedDict) or not isinstance(answer, list | tuple | OrderedDict):
        return answer
    if len(answer) != len(expected) or (isinstance(answer, dict) and answer.keys() == expected.keys()):
        return answer
    return dict(zip(expected, answer.values() if isinstance(answer, dict) else answer, strict=True))


def pair_leaves(answer: Tree, expected: Tree, path: tuple[Any, ...] = ()) -> tuple[Pair, ...] | StructureDiffers:
    """Return the pairs of leaves in the expected tree's order, or the first difference in structure."""
    answer = _in_form_of(answer, expected)
    difference = _difference(answer, expected, path)
    if difference:
        return StructureDiffers(message=difference)
    if not isinstance(expected, dict | list | tuple):
        return (Pair(path=path_text(path), answer=read_leaf(answer), expected=read_leaf(expected)),)
    found: list[Pair] = []
    same: Any = answer  # same family and same keys
    for key, item in _items(expected):
        below = pair_leaves(same[key], item, (*path, key))
        if isinstance(below, StructureDiffers):
            return below
        found.extend(below)
    return tuple(found)


def leaves(tree: Tree, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Tree]]:
    """Yield each value that is not a container, with the keys that lead to it. `path_text` formats those."""
    if isinstance(tree, dict | list | tuple):
        for key, item in _items(tree):
            yield from leaves(item, (*path, key))
    else:
        yield path, tree


def with_arrays(answer: Tree, expected: Tree) -> Tree:
    """Return the answer with arrays in place of nested lists of numbers, where an array is expected.

    Whole numbers in lists are floats where floats are expected. Lists of unequal lengths stay as they are.
    """
    answer = _in_form_of(answer, expected)
    if isinstance(expected, np.ndarray) and isinstance(answer, list | tuple):
        return _array_of_list(answer, expected)
    if isinstance(expected, dict) and isinstance(answer, dict):
        return {key: with_arrays(item, expected[key]) if key in expected else item for key, item in answer.items()}
    if isinstance(expected, list | tuple) and isinstance(answer, list | tuple) and len(answer) == len(expected):
        return [with_arrays(item, wanted) for item, wanted in zip(answer, expected, strict=True)]
    return answer


def _array_of_list(answer: list[Any] | tuple[Any, ...], expected: Any) -> Tree:
    if any(value is None or isinstance(value, str | bytes) for _, value in leaves(answer)):
        return answer  # NumPy would give each text the room of the longest one
    try:
        array = np.asarray(answer)
    except (ValueError, TypeError, OverflowError):
        return answer
    if not array.size and array.dtype.kind == "f":
        return np.asarray(array, expected.dtype)  # an empty list has no numbers of any type
    if array.dtype.kind in "iu" and read_leaf(expected).kind in ("float", "complex"):
        return array.astype(np.float64)
    return array if array.dtype.kind in "biufc" else answer


def holds_something(tree: Tree) -> bool:
    """Return whether the tree has a value to compare. None does not count, and neither do empty containers."""
    if isinstance(tree, dict):
        return any(map(holds_something, tree.values()))
    return any(map(holds_something, tree)) if isinstance(tree, list | tuple) else tree is not None


def path_text(path: tuple[Any, ...]) -> str:
    """Return a path such as `params/kernel`, or an empty text for a single value."""
    parts = (part[:MAX_PATH_CHARACTERS] if isinstance(part, str) else reprlib.repr(part) for part in path)
    return printable("/".join(parts), MAX_PATH_CHARACTERS)


def subject(path: str) -> str:
    return f"`{path}`" if path else "your output"


def describe(tree: Tree) -> str:
    """Describe a value for a message: "an array of shape (2, 3)"."""
    if isinstance(tree, np.ndarray):
        return f"an array of shape {tree.shape}"
    if isinstance(tree, OrderedDict):
        return f"a named tuple with {_named_keys(list(tree), 'field')}"
    if isinstance(tree, dict):
        return f"a dict with {_named_keys(list(tree))}" if tree else "an empty dict"
    if isinstance(tree, list | tuple):
        return f"a {type(tree).__name__} of length {len(tree)}" if tree else f"an empty {type(tree).__name__}"
    if tree is None:
        return "None"
    name = type(tree).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _difference(answer: Tree, expected: Tree, path: tuple[Any, ...]) -> str:
    """Return the difference at this node as a sentence, or an empty text."""
    where = subject(path_text(path))
    if _family(answer) != _family(expected):
        return f"{where} is {describe(answer)}; expected {describe(expected)}"
    if isinstance(expected, dict) and isinstance(answer, dict):
        return _key_difference(answer, expected, where)
    if isinstance(expected, list | tuple) and isinstance(answer, list | tuple) and len(answer) != len(expected):
        return f"{where} has {len(answer)} item{'s' if len(answer) != 1 else ''}; expected {len(expected)}"
    return ""


def _key_difference(answer: dict[Any, Any], expected: dict[Any, Any], where: str) -> str:
    missing = [key for key in expected if key not in answer]
    if missing:
        return f"{where} is missing {_named_keys(missing)}; it has {_named_keys(list(answer))}"
    unknown = [key for key in answer if key not in expected]
    return (
        f"{where} has {_named_keys(unknown)} in addition; expected only {_named_keys(list(expected))}"
        if unknown
        else ""
    )


def _named_keys(keys: list[Any], noun: str = "key") -> str:
    if not keys:
        return f"no {noun}s"
    names = ", ".join(printable(repr(key), MAX_PATH_CHARACTERS) for key in keys[:MAX_KEYS_NAMED])
    more = f" and {len(keys) - MAX_KEYS_NAMED} more" if len(keys) > MAX_KEYS_NAMED else ""
    return f"the {noun}{'s' if len(keys) > 1 else ''} {names}{more}"


def _family(tree: Tree) -> str:
    if isinstance(tree, dict):
        return "dict"
    if isinstance(tree, list | tuple):
        return "sequence"
    if tree is None or isinstance(tree, str | bytes):
        return type(tree).__name__
    return "number"


def _items(tree: dict[Any, Any] | list[Any] | tuple[Any, ...]) -> Iterator[tuple[Any, Tree]]:
    yield from tree.items() if isinstance(tree, dict) else enumerate(tree)
