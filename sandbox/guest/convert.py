"""Convert return values of students into trees of plain values, and decoded trees into arguments.

It runs in the student's process, where any object may lie about itself. So an object is classified by its type and read
through its base class's methods, and each container is read once. Lazy, unordered and unknown objects are refused. A
lie that gets through still yields only values, which are then compared.

No framework is imported here: a framework that was not imported can't have created the value.
"""

import dataclasses
import sys
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from numpy.lib.array_utils import byte_bounds

from sandbox.guest.codec import STANDARD_CAPS, Caps, Path, TooLarge, Tree, Unsupported, is_key
from sandbox.guest.failure import type_name

# Addresses of the first byte and of the first byte after the end. GPU addresses never overlap others.
Region: TypeAlias = tuple[int, int]

# Torch dtypes that NumPy has only through ml_dtypes travel as integers of the same width.
_TORCH_BITS = {
    "bfloat16": "int16",
    "float8_e4m3fn": "uint8",
    "float8_e4m3fnuz": "uint8",
    "float8_e5m2": "uint8",
    "float8_e5m2fnuz": "uint8",
    "float8_e8m0fnu": "uint8",
}


def plain(value: object, caps: Caps = STANDARD_CAPS) -> Tree:
    """Convert arrays to NumPy arrays, states and modules to dicts, and named tuples to an OrderedDict of their fields.

    Raises Unsupported or TooLarge.
    """
    return read(value, caps)[0]


def read(value: object, caps: Caps = STANDARD_CAPS) -> tuple[Tree, list[tuple[Path, Region]]]:
    """Like `plain`, and also return the memory regions of its NumPy and Torch arrays."""
    converter = _Converter(caps)
    return converter.convert(value, ()), converter.regions


def region_of(value: Any) -> Region | None:
    """Return None for anything but a NumPy or Torch array. For a tensor, the whole storage counts."""
    if issubclass(type(value), np.ndarray):
        return byte_bounds(value) if value.size else (0, 0)
    if not _is_tensor(value):
        return None
    storage = value.untyped_storage()
    return (storage.data_ptr(), storage.data_ptr() + storage.nbytes()) if value.nelement() else (0, 0)


def restore(tree: Tree, kind: str, torch_device: str = "cpu") -> Any:
    """Return the tree with each array converted to `kind`: "jax", "torch", "numpy" or "value" (unchanged).

    JAX puts its arrays on a GPU by itself, if there is one.
    """
    if type(tree) is np.ndarray:
        made = _MAKERS[kind](tree)
        return made.to(torch_device) if kind == "torch" and torch_device != "cpu" else made
    if isinstance(tree, dict):
        return {key: restore(item, kind, torch_device) for key, item in tree.items()}
    if type(tree) is list:
        return [restore(item, kind, torch_device) for item in tree]
    if type(tree) is tuple:
        return tuple(restore(item, kind, torch_device) for item in tree)
    return tree


class _Converter:
    def __init__(self, caps: Caps) -> None:
        self.caps = caps
        self.nodes = 0
        self.regions: list[tuple[Path, Region]] = []

    def convert(self, value: object, path: Path) -> Tree:
        self.count(1)
        if len(path) > self.caps.depth:
            raise TooLarge(f"nested more than {self.caps.depth} levels deep, or inside itself")
        for is_one, read in _READERS:
            if is_one(value):
                return read(self, value, path)
        raise Unsupported(path, type_name(value))

    def count(self, nodes: int) -> None:
        self.nodes += nodes
        if self.nodes > self.caps.nodes:
            raise TooLarge(f"more than {self.caps.nodes} values; return arrays instead of lists of numbers")

    def room(self, items: int) -> None:
        """Refuse a container of a million items before it is copied."""
        self.count(items)
        self.nodes -= items

    def sequence(self, items: list[Any] | tuple[Any, ...], path: Path) -> list[Tree]:
        return [self.convert(item, (*path, index)) for index, item in enumerate(items)]

    def read_list(self, value: list[Any], path: Path) -> Tree:
        self.room(list.__len__(value))
        return self.sequence(list.__getitem__(value, slice(None)), path)

    def read_tuple(self, value: tuple[Any, ...], path: Path) -> Tree:
        self.room(tuple.__len__(value))
        items = tuple.__getitem__(value, slice(None))
        fields = names_of_fields(type(value))
        if fields is not None and len(set(fields)) == len(items) == len(fields):
            return OrderedDict(self.mapping(dict(zip(fields, items, strict=True)), path))
        return tuple(self.sequence(items, path))

    def mapping(self, value: dict[Any, Any], path: Path) -> dict[Any, Tree]:
        self.room(dict.__len__(value))
        found: dict[Any, Tree] = {}
        items = tuple(dict.items(value))
        for given, item in items:
            key = self.key(given, path)
            found[key] = self.convert(item, (*path, key))
        if len(found) != len(items):
            raise Unsupported(path, "dict with two equal keys")
        return found

    def key(self, key: object, path: Path) -> Any:
        found = self.convert(key, path)
        if type(found) is np.ndarray and found.ndim == 0 and found.dtype.kind in "biuf":
            found = found.item()
        if not is_key(found):
            raise Unsupported(path, f"dict with a key of type {type_name(key)}")
        return found

    def read_dataclass(self, value: Any, path: Path) -> Tree:
        names = [field.name for field in dataclasses.fields(value) if field.metadata.get("pytree_node", True)]
        return self.mapping({name: object.__getattribute__(value, name) for name in names}, path)

    def read_array(self, value: Any, path: Path) -> Tree:
        array = _plain_array(value, path)
        self.note(array, path)
        return array

    def note(self, value: object, path: Path) -> None:
        if region := region_of(value):
            self.regions.append((path, region))

    def read_jax(self, value: Any, path: Path) -> Tree:
        jax = sys.modules["jax"]
        if jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key):
            value = jax.random.key_data(value)
        if value.size * value.dtype.itemsize > self.caps.total_bytes:  # it may still be on a GPU
            raise TooLarge(f"an array of shape {value.shape}, more than {self.caps.total_bytes} bytes")
        return _plain_array(value, path)

    def read_torch(self, value: Any, path: Path) -> Tree:
        torch = sys.modules["torch"]
        with torch._C.DisableTorchFunctionSubclass():
            tensor = torch.Tensor.detach(value)
            if tensor.layout != torch.strided or tensor.is_quantized or tensor.is_meta or tensor.is_nested:
                raise Unsupported(path, f"tensor that is not dense ({type_name(value)})")
            if tensor.nelement() * tensor.element_size() > self.caps.total_bytes:
                raise TooLarge(f"a tensor of shape {tuple(tensor.shape)}, more than {self.caps.total_bytes} bytes")
            if tensor.dtype == torch.complex32:
                raise Unsupported(path, "tensor of complex32")
            self.note(tensor, path)
            return _numpy_of_tensor(tensor.cpu().resolve_conj().resolve_neg())

    def read_torch_module(self, value: Any, path: Path) -> Tree:
        return self.convert(sys.modules["torch"].nn.Module.state_dict(value), path)

    def read_frozen_dict(self, value: Any, path: Path) -> Tree:
        return self.convert(object.__getattribute__(value, "_dict"), path)

    def read_nnx_state(self, value: Any, path: Path) -> Tree:
        return self.convert(dict(object.__getattribute__(value, "_mapping")), path)

    def read_nnx_variable(self, value: Any, path: Path) -> Tree:
        return self.convert(value.get_value(), path)

    def read_nnx_module(self, value: Any, path: Path) -> Tree:
        return self.convert(sys.modules["flax.nnx"].state(value), path)


def _plain_array(value: Any, path: Path) -> np.ndarray[Any, Any]:
    array = np.asarray(value)
    if type(array) is not np.ndarray:
        raise Unsupported(path, type_name(value))
    return array


def names_of_fields(cls: type) -> tuple[str, ...] | None:
    """Return the names of a named tuple's fields, also for those that C code makes, such as `torch.max` returns."""
    fields = getattr(cls, "_fields", getattr(cls, "__match_args__", None) if hasattr(cls, "n_fields") else None)
    return fields if type(fields) is tuple and all(type(field) is str for field in fields) else None


def _is_dataclass(value: object) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def _is_a(module: str, name: str) -> Callable[[object], bool]:
    """Whether the value's type is that class or a subclass. Asks the type, not the value."""

    def is_one(value: object) -> bool:
        loaded = sys.modules.get(module)
        return loaded is not None and issubclass(type(value), getattr(loaded, name))

    return is_one


_is_tensor = _is_a("torch", "Tensor")


def _is_type(*classes: type) -> Callable[[object], bool]:
    return lambda value: issubclass(type(value), classes)


def _numpy_of_tensor(tensor: Any) -> np.ndarray[Any, Any]:
    torch, name = sys.modules["torch"], str(tensor.dtype).removeprefix("torch.")
    if name not in _TORCH_BITS:
        return tensor.numpy()  # type: ignore[no-any-return]
    bits = tensor.view(getattr(torch, _TORCH_BITS[name])).numpy()
    return bits.view(getattr(ml_dtypes, name))  # type: ignore[no-any-return]


def _tensor_of_numpy(array: np.ndarray[Any, Any]) -> Any:
    torch, name = sys.modules["torch"], array.dtype.name
    if name not in _TORCH_BITS:
        return torch.from_numpy(array)
    return torch.from_numpy(array.view(_TORCH_BITS[name])).view(getattr(torch, name))


_MAKERS: dict[str, Callable[[np.ndarray[Any, Any]], Any]] = {
    # `jax.numpy.asarray` would compile a program for each shape. JAX may keep the memory: nothing else holds the array.
    "jax": lambda array: sys.modules["jax"].device_put(array),
    "torch": _tensor_of_numpy,
    "numpy": lambda array: array,
    "value": lambda array: array,
}

# The order matters: np.float64 is a float and np.str_ a str, a NamedTuple a tuple, and an NNX variable may hold
# anything.
_READERS: tuple[tuple[Callable[[object], bool], Callable[[_Converter, Any, Path], Tree]], ...] = (
    (_is_type(type(None), bool), lambda _converter, value, _path: value),
    (_is_type(str), lambda _converter, value, _path: str.__str__(value)),
    (_is_type(bytes), lambda _converter, value, _path: bytes.__getitem__(value, slice(None))),
    (_is_type(np.ma.MaskedArray), lambda _converter, value, path: _refuse(value, path)),
    (_is_type(np.ndarray, np.generic), _Converter.read_array),
    (_is_type(int), lambda _converter, value, _path: int.__int__(value)),
    (_is_type(float), lambda _converter, value, _path: float.__float__(value)),
    (_is_type(complex), lambda _converter, value, _path: complex.__complex__(value)),
    (_is_type(list), _Converter.read_list),
    (_is_type(tuple), _Converter.read_tuple),
    (_is_type(dict), _Converter.mapping),
    (_is_a("jax", "Array"), _Converter.read_jax),
    (_is_tensor, _Converter.read_torch),
    (_is_a("torch.nn", "Module"), _Converter.read_torch_module),
    (_is_a("flax.core", "FrozenDict"), _Converter.read_frozen_dict),
    (_is_a("flax.nnx", "State"), _Converter.read_nnx_state),
    (_is_a("flax.nnx", "Variable"), _Converter.read_nnx_variable),
    (_is_a("flax.nnx", "Pytree"), _Converter.read_nnx_module),
    (_is_dataclass, _Converter.read_dataclass),
)


def _refuse(value: object, path: Path) -> Tree:
    raise Unsupported(path, type_name(value))
