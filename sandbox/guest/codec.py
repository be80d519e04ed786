"""Encode trees of arrays and plain values as bytes, and decode them.

Everything that crosses the wall of a box uses this format. It can describe values only: no code, no class and no
reference. So the reader of a hostile message gets a tree or `Malformed`.

A message is `MAGIC` and one node, in pre-order. A node is a tag byte and its content, all numbers little-endian:

    N none   T true   F false   i int64   I length:u32 two's complement   f float64   c two float64
    s length:u32 UTF-8       b length:u32 bytes       l count:u32 nodes       t count:u32 nodes
    d count:u32, then a key and a value for each
    n count:u32, then a name and a value for each: a named tuple, which is an OrderedDict here
    a length:u8 dtype name, ndim:u8, ndim x u64, elements in C order

Each value has one spelling (an int that fits `i` never comes as `I`), and nothing may follow the node. Every count is
compared with the rest of the message and with the caps before anything of that size is allocated. The depth is capped,
which also bounds the recursion here.
"""

import math
import struct
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Tree: TypeAlias = (
    bool | int | float | complex | str | bytes | list[Any] | tuple[Any, ...] | dict[Any, Any] | Array | None
)
Path: TypeAlias = tuple[Any, ...]

MAGIC = b"ACV1"
MAX_INT_BYTES = 512
MAX_KEY_PARTS = 8
# Per dict. A sender can make hashes of tuples and numbers collide, which makes insertion slow; a string's hash can't be
# chosen.
MAX_TUPLE_KEYS = 1000
MAX_NUMBER_KEYS = 4000

_STANDARD = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128"
_EXTENDED = (
    "bfloat16 float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz "
    "float8_e8m0fnu float4_e2m1fn int2 int4 uint2 uint4"
)
DTYPES: dict[str, np.dtype[Any]] = {name: np.dtype(name).newbyteorder("<") for name in _STANDARD.split()} | {
    name: np.dtype(getattr(ml_dtypes, name)) for name in _EXTENDED.split()
}

_COUNT = struct.Struct("<I")
_INT = struct.Struct("<q")
_FLOAT = struct.Struct("<d")
_COMPLEX = struct.Struct("<dd")
_ARRAY = struct.Struct("<B")
_INT64 = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """`text_bytes` counts the UTF-8 bytes of all strings plus all byte strings."""

    total_bytes: int = 64 * 2**20
    nodes: int = 100_000
    depth: int = 64
    text_bytes: int = 4 * 2**20
    ndim: int = 32


STANDARD_CAPS = Caps()


class Malformed(Exception):
    """The bytes are not a message of this format, or exceed the caps."""


class TooLarge(Exception):
    """The value can be encoded, but exceeds the caps."""


class Unsupported(Exception):
    """The value at `path` has a type that this format does not support."""

    def __init__(self, path: Path, type_name: str) -> None:
        super().__init__(path, type_name)
        self.path = path
        self.type_name = type_name

    def __str__(self) -> str:
        where = f" at {'/'.join(str(part) for part in self.path)}" if self.path else ""
        return f"{self.type_name}{where} can't be returned; return arrays, numbers, strings, lists, tuples or dicts"


def encode(tree: Tree, caps: Caps = STANDARD_CAPS) -> bytes:
    """Raises Unsupported or TooLarge. Only exact types are accepted: a subclass may misreport what it holds."""
    writer = _Writer(caps)
    writer.node(tree, ())
    return b"".join(writer.parts)


def decode(data: bytes | bytearray | memoryview, caps: Caps = STANDARD_CAPS) -> Tree:
    """Raises Malformed. The arrays are copies: writable, aligned, and independent of `data`."""
    reader = _Reader(data, caps)
    tree = reader.node(0)
    if reader.left:
        raise Malformed(f"{reader.left} bytes follow the value")
    return tree


def nbytes_announced(shape: Iterable[int], itemsize: int) -> int:
    """Bytes of an array with empty dimensions counted as 1, so that an empty array can't announce a huge shape."""
    return math.prod(max(size, 1) for size in shape) * itemsize


def is_key(key: object) -> bool:
    """Whether a dict may have this key: a scalar that equals itself, or a short tuple of such scalars."""
    if type(key) is tuple:
        return len(key) <= MAX_KEY_PARTS and all(type(part) is not tuple and is_key(part) for part in key)
    if type(key) is int:
        return key in _INT64
    return key is None or type(key) in (bool, str) or (type(key) is float and key == key)


class _Keys:
    """Counts the keys of a dict."""

    def __init__(self) -> None:
        self._tuples = self._numbers = 0

    def are_too_many(self, key: object) -> bool:
        """Count this key; return whether too many keys of the dict could collide."""
        self._tuples += type(key) is tuple
        self._numbers += type(key) in (int, float)
        return self._tuples > MAX_TUPLE_KEYS or self._numbers > MAX_NUMBER_KEYS


class _Writer:
    def __init__(self, caps: Caps) -> None:
        self.caps = caps
        self.parts: list[bytes | memoryview] = [MAGIC]
        self.size = len(MAGIC)
        self.nodes = 0
        self.text = 0

    def node(self, value: Any, path: Path) -> None:
        self.nodes += 1
        if self.nodes > self.caps.nodes:
            raise TooLarge(f"more than {self.caps.nodes} values; return arrays instead of lists of numbers")
        if len(path) > self.caps.depth:
            raise TooLarge(f"nested more than {self.caps.depth} levels deep")
        write = _WRITERS.get(type(value))
        if write is None:
            raise Unsupported(path, type(value).__name__)
        write(self, value, path)

    def put(self, part: bytes | memoryview) -> None:
        self.reserve(len(part))
        self.parts.append(part)

    def reserve(self, size: int) -> None:
        self.size += size
        if self.size > self.caps.total_bytes:
            raise TooLarge(f"more than {self.caps.total_bytes} bytes")

    def count(self, tag: bytes, count: int, nodes_each: int = 1) -> None:
        # Checked before any child is visited, so that a list of a million items ends here.
        if self.nodes + count * nodes_each > self.caps.nodes:
            raise TooLarge(f"more than {self.caps.nodes} values; return arrays instead of lists of numbers")
        self.put(tag + _COUNT.pack(count))

    def write_none(self, _value: None, _path: Path) -> None:
        self.put(b"N")

    def write_bool(self, value: bool, _path: Path) -> None:
        self.put(b"T" if value else b"F")

    def write_int(self, value: int, _path: Path) -> None:
        if value in _INT64:
            return self.put(b"i" + _INT.pack(value))
        size = _int_bytes(value)
        if size > MAX_INT_BYTES:
            raise TooLarge(f"an int of {size} bytes; the limit is {MAX_INT_BYTES}")
        return self.put(b"I" + _COUNT.pack(size) + value.to_bytes(size, "little", signed=True))

    def write_float(self, value: float, _path: Path) -> None:
        self.put(b"f" + _FLOAT.pack(value))

    def write_complex(self, value: complex, _path: Path) -> None:
        self.put(b"c" + _COMPLEX.pack(value.real, value.imag))

    def write_str(self, value: str, path: Path) -> None:
        self.count_text(len(value))
        try:
            text = value.encode()
        except UnicodeEncodeError:
            raise Unsupported(path, "str with lone surrogates") from None
        self.count_text(len(text) - len(value))
        self.put(b"s" + _COUNT.pack(len(text)) + text)

    def write_bytes(self, value: bytes, _path: Path) -> None:
        self.count_text(len(value))
        self.put(b"b" + _COUNT.pack(len(value)) + value)

    def count_text(self, size: int) -> None:
        self.text += size
        if self.text > self.caps.text_bytes:
            raise TooLarge(f"more than {self.caps.text_bytes} bytes of text")

    def write_sequence(self, value: list[Any] | tuple[Any, ...], path: Path) -> None:
        items = tuple(value)
        self.count(b"l" if type(value) is list else b"t", len(items))
        for index, item in enumerate(items):
            self.node(item, (*path, index))

    def write_dict(self, value: dict[Any, Any], path: Path) -> None:
        items = tuple(value.items())
        self.count(b"d" if type(value) is dict else b"n", len(items), 2)
        keys = _Keys()
        if any(keys.are_too_many(key) for key, _ in items):
            raise TooLarge(f"a dict with more than {MAX_NUMBER_KEYS} numbers or {MAX_TUPLE_KEYS} tuples as keys")
        for key, item in items:
            if not is_key(key) or (type(value) is not dict and type(key) is not str):
                raise Unsupported(path, f"dict with a key of type {type(key).__name__}")
            self.node(key, path)
            self.node(item, (*path, key))

    def write_array(self, value: Array, path: Path) -> None:
        dtype = DTYPES.get(value.dtype.name)
        if dtype is None or dtype.kind != value.dtype.kind:
            raise Unsupported(path, f"array of {value.dtype.name}")
        if value.ndim > self.caps.ndim:
            raise TooLarge(f"an array of {value.ndim} dimensions; the limit is {self.caps.ndim}")
        if nbytes_announced(value.shape, dtype.itemsize) > self.caps.total_bytes:
            raise TooLarge(f"an array of shape {value.shape}, more than {self.caps.total_bytes} bytes")
        name = dtype.name.encode()
        self.put(b"a" + bytes([len(name)]) + name + struct.pack(f"<B{value.ndim}Q", value.ndim, *value.shape))
        self.reserve(value.size * dtype.itemsize)
        flat = np.ascontiguousarray(value, dtype).reshape(-1)
        self.parts.append(flat.view(np.uint8).data)


def _int_bytes(value: int) -> int:
    """Return the length of the shortest two's complement."""
    return (value if value >= 0 else ~value).bit_length() // 8 + 1


_WRITERS: dict[type, Callable[[_Writer, Any, Path], None]] = {
    type(None): _Writer.write_none,
    bool: _Writer.write_bool,
    int: _Writer.write_int,
    float: _Writer.write_float,
    complex: _Writer.write_complex,
    str: _Writer.write_str,
    bytes: _Writer.write_bytes,
    list: _Writer.write_sequence,
    tuple: _Writer.write_sequence,
    dict: _Writer.write_dict,
    OrderedDict: _Writer.write_dict,
    np.ndarray: _Writer.write_array,
}


class _Reader:
    def __init__(self, data: bytes | bytearray | memoryview, caps: Caps) -> None:
        if len(data) > caps.total_bytes:
            raise Malformed(f"{len(data)} bytes; the limit is {caps.total_bytes}")
        self.data = memoryview(data)
        self.caps = caps
        self.offset = 0
        self.nodes = 0
        self.text = 0
        if self.take(len(MAGIC)) != MAGIC:
            raise Malformed("it does not begin with the header of this format")

    @property
    def left(self) -> int:
        return len(self.data) - self.offset

    def take(self, size: int) -> memoryview:
        if size > self.left:
            raise Malformed(f"{size} bytes announced, {self.left} left")
        self.offset += size
        return self.data[self.offset - size : self.offset]

    def unpack(self, form: struct.Struct) -> tuple[Any, ...]:
        return form.unpack(self.take(form.size))

    def node(self, depth: int) -> Tree:
        self.nodes += 1
        if self.nodes > self.caps.nodes or depth > self.caps.depth:
            raise Malformed("too many values, or nested too deep")
        tag = self.take(1)[0]
        read = _READERS.get(tag)
        if read is None:
            raise Malformed(f"unknown tag {tag:#04x}")
        return read(self, depth)

    def count(self, nodes_each: int) -> int:
        (count,) = self.unpack(_COUNT)
        nodes = count * nodes_each
        if nodes > self.left or self.nodes + nodes > self.caps.nodes:  # a node has at least one byte
            raise Malformed(f"{count} items announced, more than can follow")
        return int(count)

    def read_int(self, _depth: int) -> int:
        return int(self.unpack(_INT)[0])

    def read_big_int(self, _depth: int) -> int:
        (size,) = self.unpack(_COUNT)
        if size > MAX_INT_BYTES:
            raise Malformed(f"an int of {size} bytes")
        value = int.from_bytes(self.take(size), "little", signed=True)
        if value in _INT64 or _int_bytes(value) != size:
            raise Malformed("an int longer than it needs to be")
        return value

    def read_float(self, _depth: int) -> float:
        return float(self.unpack(_FLOAT)[0])

    def read_complex(self, _depth: int) -> complex:
        return complex(*self.unpack(_COMPLEX))

    def read_bytes(self, _depth: int) -> bytes:
        (size,) = self.unpack(_COUNT)
        self.text += size
        if self.text > self.caps.text_bytes:
            raise Malformed(f"more than {self.caps.text_bytes} bytes of text")
        return bytes(self.take(size))

    def read_str(self, depth: int) -> str:
        try:
            return self.read_bytes(depth).decode()
        except UnicodeDecodeError:
            raise Malformed("a string that is not UTF-8") from None

    def read_list(self, depth: int) -> list[Any]:
        return [self.node(depth + 1) for _ in range(self.count(1))]

    def read_tuple(self, depth: int) -> tuple[Any, ...]:
        return tuple(self.read_list(depth))

    def read_dict(self, depth: int) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        keys = _Keys()
        for _ in range(self.count(2)):
            key = self.read_key(depth)
            if keys.are_too_many(key) or key in found:
                raise Malformed("a dict with a duplicate key, or too many numbers or tuples as keys")
            found[key] = self.node(depth + 1)
        return found

    def read_named_tuple(self, depth: int) -> OrderedDict[str, Any]:
        found = OrderedDict(self.read_dict(depth))
        if not all(type(name) is str for name in found):
            raise Malformed("a named tuple with a name that is no text")
        return found

    def read_key(self, depth: int) -> Any:
        tag = bytes(self.data[self.offset : self.offset + 1])
        if tag not in (b"N", b"T", b"F", b"i", b"f", b"s", b"t"):
            raise Malformed("a dict with an unsupported key")
        key = self.node(depth)
        if not is_key(key):
            raise Malformed("a dict with an unsupported key")
        return key

    def read_array(self, _depth: int) -> Array:
        name = bytes(self.take(self.unpack(_ARRAY)[0])).decode("ascii", "replace")
        dtype = DTYPES.get(name)
        (ndim,) = self.unpack(_ARRAY)
        if dtype is None or ndim > self.caps.ndim:
            raise Malformed("an array with an unknown dtype or too many dimensions")
        shape = self.unpack(struct.Struct(f"<{ndim}Q"))
        if nbytes_announced(shape, dtype.itemsize) > self.caps.total_bytes:
            raise Malformed("an array over the limit")
        raw = self.take(math.prod(shape) * dtype.itemsize)
        if name == "bool" and raw.nbytes and np.frombuffer(raw, np.uint8).max() > 1:
            raise Malformed("an array of bool with a byte that is neither 0 nor 1")
        return np.frombuffer(raw, dtype).reshape(shape).copy() if raw.nbytes else np.empty(shape, dtype)


_READERS: dict[int, Callable[[_Reader, int], Tree]] = {
    ord("N"): lambda _reader, _depth: None,
    ord("T"): lambda _reader, _depth: True,
    ord("F"): lambda _reader, _depth: False,
    ord("i"): _Reader.read_int,
    ord("I"): _Reader.read_big_int,
    ord("f"): _Reader.read_float,
    ord("c"): _Reader.read_complex,
    ord("s"): _Reader.read_str,
    ord("b"): _Reader.read_bytes,
    ord("l"): _Reader.read_list,
    ord("t"): _Reader.read_tuple,
    ord("d"): _Reader.read_dict,
    ord("n"): _Reader.read_named_tuple,
    ord("a"): _Reader.read_array,
}
