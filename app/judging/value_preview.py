"""Previews of values for display: small values whole, large ones by their first elements and statistics. For JSONB.

{"structure": "a dict with the keys 'loss', 'params'", "left_out": 0, "leaves": [
    {"path": "loss", "dtype": "float32", "shape": [], "values": 0.25},
    {"path": "params", "dtype": "float32", "shape": [512, 8], "first": [0.1, …], "min": -1.0, "max": 1.0,
     "mean": 0.0, "nan": 0, "inf": 0}]}

A sample's preview also has the value as Python, in pieces. A number stands for the array of that leaf, and null for
what is too large to copy.

"python": ["{'loss': ", 0, ", 'params': ", 1, "}"]
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from typing import Any

import numpy as np

from app.judging.leaf import Array, Leaf, Tree, describe, leaves, path_text, read_leaf, shown
from app.judging.printable_text import printable
from app.judging.tolerance_comparison import PIECE

MAX_LEAVES = 40
MAX_ELEMENTS = 64  # a larger array is not shown whole
FIRST_ELEMENTS = 8
MAX_CHARACTERS = 500
MAX_COPIED = 20_000  # characters of a value as Python


def preview(tree: Tree) -> dict[str, Any]:
    """Preview a tree. Numbers that JSON lacks become strings: "nan", "inf", "-inf", ints beyond 2**53, complex."""
    found = list(leaves(tree))
    shown_leaves = [_preview_leaf(path_text(path), read_leaf(value)) for path, value in islice(found, MAX_LEAVES)]
    return {"structure": describe(tree), "leaves": shown_leaves, "left_out": max(len(found) - MAX_LEAVES, 0)}


def copyable_preview(tree: Tree) -> dict[str, Any]:
    """Preview a sample's value, with its Python."""
    pieces = list(_python(tree, count()))
    is_small = sum(len(piece) for piece in pieces if isinstance(piece, str)) <= MAX_COPIED
    return preview(tree) | {"python": pieces if is_small else [None]}


def _python(tree: Tree, numbers: Iterator[int]) -> Iterator[str | int | None]:
    """Yield the pieces. `numbers` counts the leaves, in the order of `leaves`."""
    if isinstance(tree, dict) and not isinstance(tree, OrderedDict):
        for place, (key, item) in enumerate(tree.items()):
            yield f"{', ' if place else '{'}{key!r}: "
            yield from _python(item, numbers)
        yield "}" if tree else "{}"
    elif isinstance(tree, dict | list | tuple):
        items = list(tree.values()) if isinstance(tree, dict) else tree
        begin, end = ("[", "]") if isinstance(tree, list) else ("(", ",)" if len(items) == 1 else ")")
        for place, item in enumerate(items):
            yield ", " if place else begin
            yield from _python(item, numbers)
        yield end if items else begin + end
    else:
        number, text = next(numbers), "" if isinstance(tree, np.ndarray) else repr(tree)
        if isinstance(tree, np.ndarray):
            yield number if number < MAX_LEAVES else None
        else:
            yield text if len(text) <= MAX_COPIED // 2 else None


def _preview_leaf(path: str, leaf: Leaf) -> dict[str, Any]:
    about = {"path": path, "dtype": leaf.dtype, "shape": list(leaf.shape)}
    if leaf.kind == "text":
        return about | {"values": None if leaf.value is None else printable(_as_text(leaf.value), MAX_CHARACTERS)}
    if leaf.array.size <= MAX_ELEMENTS:
        return about | {"values": _nested(leaf.array) if leaf.array.size else []}
    first = [shown(element) for element in leaf.array.reshape(-1)[:FIRST_ELEMENTS]]
    return about | {"first": first} | ({} if leaf.kind == "complex" else _statistics(leaf))


def _as_text(value: Tree) -> str:
    return value if isinstance(value, str) else repr(value)


def _nested(array: Array) -> Any:
    return shown(array[()]) if array.ndim == 0 else [_nested(part) for part in array]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tally:
    smallest: float
    largest: float
    total: float
    finite: int
    nan: int


def _statistics(leaf: Leaf) -> dict[str, Any]:
    flat = leaf.array.reshape(-1)
    tallies = [_tally(flat[start : start + PIECE]) for start in range(0, flat.size, PIECE)]
    finite, nan = sum(tally.finite for tally in tallies), sum(tally.nan for tally in tallies)
    counts = {"nan": nan, "inf": flat.size - finite - nan}
    if not finite:
        return counts
    smallest, largest = min(tally.smallest for tally in tallies), max(tally.largest for tally in tallies)
    mean = sum(tally.total for tally in tallies) / finite
    return {"min": _rounded(smallest), "max": _rounded(largest), "mean": _rounded(mean)} | counts


def _tally(piece: Array) -> _Tally:
    numbers = piece.astype(np.float64)
    finite = np.isfinite(numbers)
    return _Tally(
        smallest=float(np.min(numbers, where=finite, initial=np.inf)),
        largest=float(np.max(numbers, where=finite, initial=-np.inf)),
        total=float(np.sum(numbers, where=finite)),
        finite=int(np.count_nonzero(finite)),
        nan=int(np.count_nonzero(np.isnan(numbers))),
    )


def _rounded(number: float) -> Any:
    return shown(float(f"{number:.6g}"))
