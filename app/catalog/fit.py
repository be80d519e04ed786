"""Whether the value that a case gives fits its parameter: type, element type, range, and how a draw is completed.

Numbers of the types `float`, `int` and `bool` are held to the ranges of float64, int64 and bool.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Any

from app.catalog.dtype import DType, bytes_of, family, range_of
from app.catalog.fault import Conflict, Location
from app.catalog.parameter import Parameter
from app.catalog.value import Array, Choice, Drawn, Integers, Normal, Permutation, Shape, Uniform

PLAIN_DTYPES: dict[str, DType] = {"float": "float64", "int": "int64", "bool": "bool"}
_TAKES = {"bool": "true or false", "int": "whole numbers", "float": "numbers", "complex": "numbers"}
# A normal draw farther than this from its mean has a chance below 1e-15.
_FAR = 8


class Ragged(ValueError):
    """Lists of unequal lengths; `location` is the first that differs from its elder."""

    def __init__(self, location: Location) -> None:
        super().__init__()
        self.location = location


def shape_of(literal: Any) -> Shape:
    """The shape of nested lists of scalars. Raises Ragged."""
    if not isinstance(literal, tuple):
        return ()
    first: Shape = ()
    for index, item in enumerate(literal):
        try:
            shape = shape_of(item)
        except Ragged as ragged:
            raise Ragged((index, *ragged.location)) from None
        if index and shape != first:
            raise Ragged((index,))
        first = shape
    return (len(literal), *first)


def element_conflicts(literal: Any, dtype: DType, where: Location = ()) -> Iterator[Conflict]:
    """One conflict for every scalar in the nested lists that `dtype` can't hold."""
    if isinstance(literal, tuple):
        for index, item in enumerate(literal):
            yield from element_conflicts(item, dtype, (*where, index))
    elif not _is_element(literal, dtype):
        yield Conflict(where, f"is {shown(literal)}, but {dtype} takes {_TAKES[family(dtype)]}", "write such a value")
    elif math.isfinite(literal) and literal not in range_of(dtype):
        yield Conflict(where, f"is {literal}, but {_limits(dtype)}", "use a value in that range or a wider dtype")


def _is_element(scalar: object, dtype: DType) -> bool:
    if family(dtype) == "bool":
        return isinstance(scalar, bool)
    numbers: tuple[type, ...] = (int,) if family(dtype) == "int" else (int, float)
    return isinstance(scalar, numbers) and not isinstance(scalar, bool)


def _limits(dtype: DType) -> str:
    allowed = range_of(dtype)
    return (
        f"{dtype} holds {allowed.low:.17g} to {allowed.high:.17g}"
        if family(dtype) != "int"
        else (f"{dtype} holds {allowed.low} to {allowed.high}")
    )


def draw_conflicts(draw: Drawn, dtype: DType) -> Iterator[Conflict]:
    """Whether a draw's numbers fit the element type."""
    if isinstance(draw, Choice):
        yield from element_conflicts(draw.of, dtype, ("of",))
    elif isinstance(draw, Normal | Uniform) and family(dtype) != "float":
        yield Conflict(("draw",), f"gives fractions, but {dtype} takes {_TAKES[family(dtype)]}", _other_draw(dtype))
    elif family(dtype) in ("bool", "complex"):
        yield Conflict(("draw",), f"gives whole numbers, but the dtype is {dtype}", _other_draw(dtype))
    else:
        yield from _bound_conflicts(draw, dtype)


def _bound_conflicts(draw: Drawn, dtype: DType) -> Iterator[Conflict]:
    for key, number in _bounds(draw):
        if number not in range_of(dtype):
            yield Conflict((key,), f"makes numbers like {number:g}, but {_limits(dtype)}", "draw smaller numbers")


def _bounds(draw: Drawn) -> Iterable[tuple[str, float]]:
    if isinstance(draw, Normal):
        return [("scale", abs(draw.loc) + _FAR * draw.scale)]
    if isinstance(draw, Uniform):
        return [("low", draw.low), ("high", draw.high)]
    if isinstance(draw, Integers):
        return [("low", draw.low), ("high", draw.high - 1)]
    return [("n", draw.n - 1)] if isinstance(draw, Permutation) and draw.n else []


def _other_draw(dtype: DType) -> str:
    match family(dtype):
        case "int":
            return "use `draw: integers` with low and high"
        case "bool":
            return "use `{draw: choice, of: [true, false]}`"
        case _:
            return "make such inputs in cases.py with `generate`"


def completed(draw: Drawn, parameter: Parameter) -> tuple[Shape, DType | None]:
    """Shape and element type of a draw inside a list or mapping; without an element type, plain numbers in lists."""
    shape = draw.size_given
    if shape is None and draw.dtype is None:
        return (), None
    return shape or (), draw.dtype or parameter.dtype


def byte_count(value: Any, parameter: Parameter) -> int:
    """Bytes of the arrays that the value becomes; plain numbers count 8."""
    if isinstance(value, Drawn):
        shape = value.size_given
        if shape is None:
            shape = tuple(size for size in parameter.shape or () if isinstance(size, int))
        return math.prod(shape) * bytes_of(value.dtype or parameter.dtype or "float64")
    if isinstance(value, tuple):
        return sum(byte_count(item, parameter) for item in value)
    if isinstance(value, dict):
        return sum(byte_count(item, parameter) for item in value.values())
    return byte_count(value.array, parameter) if isinstance(value, Array) else 8


def shown(value: object, limit: int = 60) -> str:
    """The value as the author wrote it, nearly: for messages."""
    words = {True: "true", False: "false", None: "null"}
    text = words[value] if value is None or isinstance(value, bool) else repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
