"""Check the inputs of a case: their names, and the type, shape, element type and range of each value.

Values of the types `float`, `int` and `bool` must fit float64, int64 and bool.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from app.catalog.answers.class_calls import CallList
from app.catalog.answers.kind import FunctionName
from app.catalog.case import (
    Array,
    Choice,
    Drawn,
    Integers,
    Normal,
    Permutation,
    Ragged,
    Shape,
    Uniform,
    completed,
    shape_of,
    size_of,
)
from app.catalog.dtype import DType, bytes_of, family, range_of
from app.catalog.fault import Conflict, Location, nearest
from app.catalog.parameter import Parameter

MAX_INPUT_BYTES = 48 * 2**20
PLAIN_DTYPES: dict[str, DType] = {"float": "float64", "int": "int64", "bool": "bool"}
_TAKES = {"bool": "true or false", "int": "whole numbers", "float": "numbers", "complex": "numbers"}
# Standard deviations: a normal draw exceeds them with a probability below 1e-15.
_FAR = 8
_EXAMPLES = {"float": "0.5", "int": "3", "bool": "true", "str": '"text"', "list": "[1, 2]", "dict": "{a: 1}"}


def input_conflicts(parameters: Sequence[Parameter], inputs: Mapping[str, Any], noun: str) -> Iterator[Conflict]:
    """Yield the conflicts between the inputs of a case and the declared ones. `noun` is "parameter" or "input"."""
    yield from _name_conflicts([parameter.name for parameter in parameters], inputs, noun)
    given = [(p, inputs[p.name]) for p in parameters if p.name in inputs]
    fits = True
    for parameter, value in given:
        for conflict in _value_conflicts(parameter, value):
            fits = False
            yield conflict.within(parameter.name)
    if fits:
        yield from _size_conflicts(given)


def _name_conflicts(names: Sequence[str], inputs: Mapping[str, Any], noun: str) -> Iterator[Conflict]:
    for name in names:
        if name not in inputs:
            yield Conflict((name,), f"is missing: every case gives every {noun}", f"add `{name}: …` to these inputs")
    for name in inputs:
        if name not in names:
            remedy = f"the {noun}s are {', '.join(names)}"
            yield Conflict((name,), f"is not a known {noun}{nearest(name, names)}", remedy)


def _value_conflicts(parameter: Parameter, value: Any) -> Iterator[Conflict]:
    if parameter.is_object:
        return  # its type is already a fault
    if isinstance(parameter, CallList):
        yield from _call_conflicts(parameter, value)
    elif isinstance(parameter, FunctionName) and (conflict := parameter.find_conflict(value)):
        yield conflict
    elif value is None:
        if not parameter.nullable:
            yield Conflict((), "is null", f"give a value, or add `nullable: true` to the {parameter.noun}")
    elif parameter.is_array:
        yield from _array_conflicts(parameter, value)
    elif parameter.type in ("list", "dict"):
        yield from _listed_conflicts(parameter, value)
    else:
        yield from _plain_conflicts(parameter, value)


def _call_conflicts(parameter: CallList, calls: Any) -> Iterator[Conflict]:
    """Sizes agree within a call: another call may have another batch."""
    if found := list(parameter.find_conflicts(calls)):
        yield from found
        return
    for index, call in enumerate(calls):
        arguments = list(parameter.arguments([call]))
        conflicts = [
            conflict.within(index, *where[1:])
            for where, each, value in arguments
            for conflict in (_unmade(each, value) if each.is_object else _value_conflicts(each, value))
        ]
        yield from conflicts
        if not conflicts:
            where = (index, *(call if isinstance(call, dict) else ()))
            for conflict in _size_conflicts([(each, value) for _, each, value in arguments]):
                yield conflict.within(*where)


def _unmade(parameter: Parameter, value: Any) -> Iterator[Conflict]:
    if value is not None or not parameter.nullable:
        message = f"is given for type {parameter.type}, which a case can't give"
        yield Conflict((), message, "take it from an earlier call: `{result_of: 0}`")


def _size_conflicts(given: Iterable[tuple[Parameter, Any]]) -> Iterator[Conflict]:
    """Check that symbolic sizes agree within the case, and that the case fits in one message to a box."""
    total, sizes = 0, dict[str, tuple[str, int]]()
    for parameter, value in given:
        total += byte_count(value, parameter)
        if not parameter.is_array or value is None:
            continue
        for symbol, size in parameter.sizes(size_of(parameter, value)) or ():
            name, agreed = sizes.setdefault(str(symbol), (parameter.name, size))
            if size != agreed and isinstance(symbol, str):
                message = f"has {symbol} = {size}, but {name} has {symbol} = {agreed}"
                yield Conflict((parameter.name,), message, "make both sizes equal, or give them two names in shape")
    if total > MAX_INPUT_BYTES:
        yield Conflict((), f"hold {total} bytes, but a case may have {MAX_INPUT_BYTES}", "draw smaller arrays")


def element_conflicts(literal: Any, dtype: DType, where: Location = ()) -> Iterator[Conflict]:
    """Yield a conflict for every scalar that does not fit `dtype`."""
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
    """Yield a conflict if the numbers of a draw do not fit the element type."""
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
            yield Conflict((key,), f"gives numbers like {number:g}, but {_limits(dtype)}", "draw smaller numbers")


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


def byte_count(value: Any, parameter: Parameter) -> int:
    """Return the size in bytes of the value's arrays; a plain number counts 8."""
    if isinstance(parameter, CallList):
        return sum(byte_count(each, declared) for _, declared, each in parameter.arguments(value))
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
    """Return the value for a message, nearly as the author wrote it."""
    words = {True: "true", False: "false", None: "null"}
    text = words[value] if value is None or isinstance(value, bool) else repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _array_conflicts(parameter: Parameter, value: Any) -> Iterator[Conflict]:
    """Check a value of type jax, torch or numpy: a draw, nested lists, or `{array: …}`."""
    dtype = parameter.dtype or "float32"
    if isinstance(value, Drawn | Array) and value.dtype not in (None, dtype):
        message = f"is {value.dtype}, but the {parameter.noun}'s dtype is {dtype}"
        yield Conflict(("dtype",), message, f"remove it here, or change the {parameter.noun}")
    if isinstance(value, Drawn):
        yield from draw_conflicts(value, dtype)
        yield from _drawn_shape_conflicts(parameter, value)
    elif isinstance(value, Array):
        yield from _whole_literal_conflicts(parameter, value.array, ("array",))
    else:
        yield from _whole_literal_conflicts(parameter, value, ())


def _whole_literal_conflicts(parameter: Parameter, literal: Any, where: Location) -> Iterator[Conflict]:
    conflicts = list(_literal_conflicts(parameter.dtype or "float32", literal, where))
    yield from conflicts
    if not conflicts and not _matches(shape := shape_of(literal), parameter):
        message = f"has shape {_text(shape)}, but the {parameter.noun}'s is {_declared(parameter)}"
        yield Conflict(where, message, "change one of them")


def _literal_conflicts(dtype: DType, literal: Any, where: Location) -> Iterator[Conflict]:
    """Check that nested lists have equal lengths, and yield the first element that does not fit."""
    if isinstance(literal, dict | Drawn | Array):
        yield Conflict(where, "is a mapping, but the parameter is an array", "give numbers in lists, or `{draw: …}`")
        return
    try:
        shape_of(literal)
    except Ragged as ragged:
        message = "has another length or depth than the item before it"
        yield Conflict((*where, *ragged.location), message, "make all lists at the same level equally long")
        return
    yield from islice(element_conflicts(literal, dtype, where), 1)


def _drawn_shape_conflicts(parameter: Parameter, draw: Drawn) -> Iterator[Conflict]:
    shape = draw.size_given
    if isinstance(draw, Permutation) and shape != (draw.n,):
        yield Conflict(("shape",), f"is {_text(shape or ())}, but n is {draw.n}", "remove shape: it is [n]")
    elif shape is None:
        if symbols := [*parameter.symbols, *(["..."] if parameter.is_any_rank else [])]:
            message = f"has no shape, and the {parameter.noun}'s is {_declared(parameter)}"
            yield Conflict((), message, f"add `shape:` with numbers for {', '.join(symbols)}")
    elif not _matches(shape, parameter):
        message = f"is {_text(shape)}, but the {parameter.noun}'s is {_declared(parameter)}"
        yield Conflict(("shape",), message, "change one of them")


def _matches(shape: Shape, parameter: Parameter) -> bool:
    sizes = parameter.sizes(shape)
    return sizes is not None and all(isinstance(want, str) or want == size for want, size in sizes)


def _plain_conflicts(parameter: Parameter, value: Any) -> Iterator[Conflict]:
    """Check a value of type float, int, bool or str: a scalar, or the draw of one."""
    dtype = PLAIN_DTYPES.get(parameter.type)
    if isinstance(value, Drawn):
        yield from _scalar_draw_conflicts(parameter, value)
    elif isinstance(value, dict | tuple | Array) or (dtype is None and not isinstance(value, str)):
        message = f"is {_kind(value)}, but the {parameter.noun}'s type is {parameter.type}"
        yield Conflict((), message, f"write a value like {_EXAMPLES[parameter.type]}")
    elif dtype is not None:
        yield from element_conflicts(value, dtype)


def _scalar_draw_conflicts(parameter: Parameter, draw: Drawn) -> Iterator[Conflict]:
    dtype = PLAIN_DTYPES.get(parameter.type)
    if draw.size_given not in (None, ()) or draw.dtype is not None:
        message = f"draws an array, but the {parameter.noun}'s type is {parameter.type}"
        yield Conflict((), message, "remove shape and dtype, or use type jax, torch or numpy")
    elif dtype is not None:
        yield from draw_conflicts(draw, dtype)
    elif not isinstance(draw, Choice) or not all(isinstance(item, str) for item in draw.of):
        yield Conflict(
            (), f"does not draw a text, but the {parameter.noun}'s type is str", 'use `{draw: choice, of: ["a", "b"]}`'
        )


def _listed_conflicts(parameter: Parameter, value: Any) -> Iterator[Conflict]:
    """Check a value of type list or dict, which may contain arrays and draws at any depth."""
    draws_list = isinstance(value, Drawn) and completed(value, parameter)[1] is None and bool(value.size_given)
    fits = isinstance(value, tuple) or draws_list if parameter.type == "list" else isinstance(value, dict)
    if not fits:
        message = f"is {_kind(value)}, but the {parameter.noun}'s type is {parameter.type}"
        yield Conflict((), message, f"write a value like {_EXAMPLES[parameter.type]}")
    else:
        yield from _nested_conflicts(parameter, value, ())


def _nested_conflicts(parameter: Parameter, value: Any, where: Location) -> Iterator[Conflict]:
    if isinstance(value, Drawn):
        yield from _nested_draw_conflicts(parameter, value, where)
    elif isinstance(value, Array):
        yield from _nested_array_conflicts(parameter, value, where)
    elif isinstance(value, dict | tuple):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _nested_conflicts(parameter, item, (*where, key))


def _nested_draw_conflicts(parameter: Parameter, draw: Drawn, where: Location) -> Iterator[Conflict]:
    shape, dtype = completed(draw, parameter)
    if dtype is None and shape and parameter.leaves:
        yield Conflict((*where, "dtype"), "is missing for an array", f"add it here or to the {parameter.noun}")
    elif dtype is not None:
        yield from (conflict.within(*where) for conflict in draw_conflicts(draw, dtype))


def _nested_array_conflicts(parameter: Parameter, array: Array, where: Location) -> Iterator[Conflict]:
    dtype = array.dtype or parameter.dtype
    if dtype is None:
        yield Conflict((*where, "dtype"), "is missing for an array", f"add it here or to the {parameter.noun}")
    else:
        yield from _literal_conflicts(dtype, array.array, (*where, "array"))


def _declared(parameter: Parameter) -> str:
    return f"[{', '.join(map(str, parameter.shape or ()))}]"


def _text(shape: Shape) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _kind(value: object) -> str:
    if isinstance(value, Drawn):
        return "a draw"
    if isinstance(value, Array):
        return "an array"
    if isinstance(value, tuple):
        return "a list"
    return "a mapping" if isinstance(value, dict) else shown(value)
