"""What a parameter is, told from the values that tests give it."""

from collections.abc import Sequence
from typing import Any

from app.catalog.fit import Ragged, shape_of
from app.catalog.importing.imported import ImportRefused, Notes
from app.catalog.importing.literal_call import LiteralArray

# Python's own widths; JAX computes in 32 bits here, and PyTorch makes float32 of Python's floats.
_DTYPES = {
    "numpy": ("int64", "float64"),
    "jax": ("int32", "float32"),
    "torch": ("int64", "float32"),
}
_NAMES = {"float": "float64", "int": "int64", "double": "float64", "long": "int64"}


def declaration_of(name: str, values: Sequence[Any], notes: Notes) -> dict[str, Any]:
    """The keys of the parameter in the manifest. Raises ImportRefused when no one type has all of the values."""
    nullable = {"nullable": True} if any(value is None for value in values) else {}
    given = [value for value in values if value is not None]
    if given and all(isinstance(value, LiteralArray) for value in given):
        return {"name": name, **_array(name, given, notes), **nullable}
    types = {type(value) for value in given}
    if not types or types <= {list, tuple}:
        return {"name": name, "type": "list", **nullable}
    if types == {int, float}:
        types = {float}
        notes.todo.append(f"{name} is a float in every case, and some tests give whole numbers: see that this is right")
    if len(types) == 1 and (kind := types.pop()) in (bool, int, float, str, dict):
        return {"name": name, "type": kind.__name__, **nullable}
    found = ", ".join(sorted({"array" if kind is LiteralArray else kind.__name__ for kind in map(type, given)}))
    raise ImportRefused(f"the parameter {name} is of several types ({found}): give it one in every test")


def _array(name: str, arrays: Sequence[LiteralArray], notes: Notes) -> dict[str, Any]:
    kinds = {array.kind for array in arrays}
    shapes = [_shape(name, array) for array in arrays]
    if len(kinds) > 1 or len({len(shape) for shape in shapes}) > 1:
        raise ImportRefused(f"the arrays of {name} differ in library or in number of axes: make them alike")
    kind = kinds.pop()
    named = {array.dtype for array in arrays} - {None}
    whole, real = _DTYPES[kind]
    has_fraction = not all(map(_is_whole, arrays))
    is_bool = all(isinstance(number, bool) for array in arrays for number in _numbers(array.values))
    dtype = named.pop() if len(named) == 1 else "bool" if is_bool else real if has_fraction else whole
    if len({_is_whole(array) for array in arrays}) > 1:
        notes.todo.append(f"{name} is {dtype} in every case, and some tests give whole numbers: see that this is right")
    sizes = [f"{name.upper()[:12]}_{axis}" for axis in range(len(shapes[0]))]
    return {"type": kind, "shape": sizes, "dtype": _NAMES.get(str(dtype), dtype)}


def _is_whole(array: LiteralArray) -> bool:
    return not any(isinstance(number, float) for number in _numbers(array.values))


def _shape(name: str, array: LiteralArray) -> tuple[int, ...]:
    try:
        return shape_of(_tuples(array.values))
    except Ragged:
        raise ImportRefused(f"an array of {name} has lists of different lengths: correct it") from None


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def _numbers(value: Any) -> list[Any]:
    return [number for item in value for number in _numbers(item)] if isinstance(value, list) else [value]


def value_for(value: Any) -> Any:
    """As it stands in the manifest."""
    return value.values if isinstance(value, LiteralArray) else value
