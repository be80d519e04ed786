"""The signature that a function is traced for: shapes, dtypes and static values, but no traced values.

A signature is a tree that the codec can encode, so equal bytes mean equal signatures: a list of `(name, node)`. A node
is one of

    ("static", value)  ("array", dtype name, [sizes])  ("number", "float")  ("none",)
    ("list", [nodes])  ("tuple", [nodes])  ("dict", [(key, node), ...])

Its leaves, in order, are the arrays and numbers that the exported program takes. JAX computes in 32 bits here, so
64-bit arrays become 32-bit ones.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sandbox.guest.codec import DTYPES, Tree

# The largest exported program.
PROGRAM_BYTES = 4 * 2**20

Node = tuple[Any, ...]
Signature = list[tuple[str, Node]]

_NARROW = {"float64": "float32", "int64": "int32", "uint64": "uint32", "complex128": "complex64"}
_DTYPE_OF_NUMBER = {"bool": "bool", "int": "int32", "float": "float32", "complex": "complex64"}


class Untraceable(Exception):
    """JAX can't trace this value, and the parameter is not static."""

    def __init__(self, parameter: str, type_name: str) -> None:
        super().__init__(parameter, type_name)
        self.parameter = parameter

    def __str__(self) -> str:
        return f"{self.parameter} holds a value of type {self.args[1]}, which JAX can't trace; declare it static"


@dataclass(frozen=True, slots=True)
class Leaf:
    """One argument of the program. `is_weak`: it came as a plain number, whose dtype yields to others."""

    parameter: str
    dtype: str
    shape: tuple[int, ...]
    is_weak: bool


def describe(inputs: Mapping[str, Tree], static: Collection[str]) -> Signature:
    """Return the signature of the inputs, in their order. Raises Untraceable."""
    return [(name, ("static", tree) if name in static else _node(name, tree)) for name, tree in inputs.items()]


def leaves(signature: Signature) -> list[Leaf]:
    return [leaf for name, node in signature for leaf in _leaves(name, node)]


def arguments(signature: Signature, traced: Iterator[Any]) -> list[Any]:
    """Return the arguments of a call, with traced values in place of the leaves."""
    return [_build(node, traced) for _, node in signature]


def flatten(signature: Signature, inputs: Mapping[str, Tree]) -> list[np.ndarray[Any, Any]]:
    """Return the inputs as the program takes them. They must match this signature."""
    values = [value for name, node in signature for value in _values(node, inputs[name])]
    return [
        np.ascontiguousarray(np.asarray(value).astype(DTYPES[leaf.dtype])).reshape(leaf.shape)
        for leaf, value in zip(leaves(signature), values, strict=True)
    ]


def _node(name: str, tree: Tree) -> Node:
    if isinstance(tree, np.ndarray):
        return "array", _NARROW.get(tree.dtype.name, tree.dtype.name), list(tree.shape)
    if type(tree) in (bool, int, float, complex):
        return "number", type(tree).__name__
    if tree is None:
        return ("none",)
    if isinstance(tree, list | tuple):
        return type(tree).__name__, [_node(name, item) for item in tree]
    if isinstance(tree, dict):
        return "dict", [(key, _node(name, item)) for key, item in tree.items()]
    raise Untraceable(name, type(tree).__name__)


def _leaves(name: str, node: Node) -> Iterator[Leaf]:
    if node[0] == "array":
        yield Leaf(name, node[1], tuple(node[2]), is_weak=False)
    elif node[0] == "number":
        yield Leaf(name, _DTYPE_OF_NUMBER[node[1]], (), is_weak=node[1] != "bool")
    else:
        for child in _children(node):
            yield from _leaves(name, child)


def _children(node: Node) -> list[Node]:
    if node[0] in ("list", "tuple"):
        return list(node[1])
    return [child for _, child in node[1]] if node[0] == "dict" else []


def _build(node: Node, traced: Iterator[Any]) -> Any:
    kind = node[0]
    if kind == "static":
        return node[1]
    if kind in ("array", "number"):
        return next(traced)
    if kind == "dict":
        return {key: _build(child, traced) for key, child in node[1]}
    built = [_build(child, traced) for child in _children(node)]
    return None if kind == "none" else tuple(built) if kind == "tuple" else built


def _values(node: Node, tree: Any) -> Iterator[Any]:
    if node[0] in ("array", "number"):
        yield tree
    elif node[0] == "dict":
        for key, child in node[1]:
            yield from _values(child, tree[key])
    elif node[0] in ("list", "tuple"):
        for child, item in zip(node[1], tree, strict=True):
            yield from _values(child, item)
