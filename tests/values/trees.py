"""Trees of every kind that the codec has, for hypothesis."""

from collections import OrderedDict
from typing import Any

import numpy as np
from hypothesis import strategies as st

from sandbox.guest.codec import DTYPES, MAX_INT_BYTES, MAX_KEY_PARTS, Array, Tree, decode, encode

BIGGEST_INT = 2 ** (8 * MAX_INT_BYTES - 1) - 1

_WITHOUT_ORDER = {name for name, dtype in DTYPES.items() if dtype.kind == "V"}

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
scalar_keys = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | texts
keys = scalar_keys | st.lists(scalar_keys, max_size=MAX_KEY_PARTS).map(tuple)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-BIGGEST_INT - 1, BIGGEST_INT)
    | st.floats()
    | st.complex_numbers()
    | texts
    | st.binary(max_size=12)
)


@st.composite
def arrays(draw: st.DrawFn) -> Array:
    """Arrays of any dtype and bits, NaN payloads included; some not contiguous, some big-endian, some empty."""
    dtype = DTYPES[draw(st.sampled_from(sorted(DTYPES)))]
    shape = tuple(draw(st.lists(st.integers(0, 3), max_size=4)))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    bits = random.integers(0, 256, int(np.prod(shape)) * dtype.itemsize, np.uint8)
    array: Array = (bits % 2 if dtype.name == "bool" else bits).view(dtype).reshape(shape)
    if dtype.name not in _WITHOUT_ORDER and draw(st.booleans()):
        array = array.astype(dtype.newbyteorder(">"))
    return array.T if draw(st.booleans()) else array


trees: st.SearchStrategy[Tree] = st.recursive(
    scalars | arrays(),
    lambda below: (
        st.lists(below, max_size=4)
        | st.lists(below, max_size=4).map(tuple)
        | st.dictionaries(keys, below, max_size=4)
        | st.dictionaries(texts, below, max_size=4).map(OrderedDict)
    ),
    max_leaves=12,
)


def is_same(first: Any, second: Any) -> bool:
    """Same types, same order of keys, same bits: NaN is itself here, and 0.0 is not -0.0."""
    if type(first) is not type(second):
        return False
    if isinstance(first, np.ndarray):
        return _is_same_array(first, second)
    if isinstance(first, dict):
        return is_same(list(first), list(second)) and is_same(list(first.values()), list(second.values()))
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(map(is_same, first, second))
    return encode(first) == encode(second)


def _is_same_array(first: Array, second: Array) -> bool:
    if (first.dtype.name, first.shape) != (second.dtype.name, second.shape):
        return False
    return first.astype(second.dtype, order="C").tobytes() == second.tobytes()


def there_and_back(tree: Tree) -> Tree:
    return decode(encode(tree))
