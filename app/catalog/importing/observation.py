"""Declare parameters and results by what a sandbox saw when it called an imported solution with each test's arguments.

A package must name the type, shape and element type of each value. Other formats don't. `Probe` says what to run, and
the command line runs it with `DRIVER` in a box. Each value comes back as a description, such as `{type: torch, shape:
[2, 3], dtype: float32}`, and never as an object.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from app.catalog.dtype import DTYPES
from app.catalog.importing.package_writer import Notes
from app.catalog.importing.program import ImportRefused
from app.catalog.parameter import ARRAY_KINDS

Description: TypeAlias = Mapping[str, Any]
Shape: TypeAlias = list[int | str]
PLAIN = ("none", "bool", "int", "float", "str")

DRIVER = '''"""Calls the solution twice with the arguments of a test, and describes what it got and returned."""

import pickle
import sys


def run(solution, inputs):
    scope = {}
    exec(inputs["code"], scope)
    arguments, again = (scope[inputs["maker"]](0) for _ in range(2))
    given = {name: describe(value) for name, value in arguments.items()}
    answer = solution(*arguments.values())
    described = {"arguments": given, "answer": describe(answer)}
    return {**described, "is_random": differ(answer, solution(*again.values()))}


def differ(first, second):
    try:
        return pickle.dumps(first) != pickle.dumps(second)
    except Exception:
        return False


def describe(value):
    if value is None:
        return {"type": "none"}
    if isinstance(value, (list, tuple)):
        return {"type": "list", "items": [describe(item) for item in value]}
    if isinstance(value, dict):
        return {"type": "dict", "items": [describe(item) for item in value.values()]}
    kind, dtype = library(value), getattr(value, "dtype", None)
    if kind and str(dtype).removeprefix("torch.").isidentifier():  # a key of JAX has the dtype key<fry>
        return {"type": kind, "shape": [int(n) for n in value.shape], "dtype": str(dtype).removeprefix("torch.")}
    for name, types in PLAIN.items():
        if isinstance(value, types) or getattr(dtype, "kind", "no") in KINDS[name]:
            return {"type": name}
    return {"type": "object", "of": type(value).__name__}


PLAIN = {"bool": bool, "int": int, "float": float, "str": str}
KINDS = {"bool": "b", "int": "iu", "float": "f", "str": "U"}


def library(value):
    for kind, module, name in (("numpy", "numpy", "ndarray"), ("torch", "torch", "Tensor"), ("jax", "jax", "Array")):
        found = sys.modules.get(module)
        if found is not None and isinstance(value, getattr(found, name)):
            return kind
    return None
'''


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A solution to call. `makers`: for each test, a program and its function of a seed that makes the arguments."""

    source: str
    entry_point: str
    frameworks: tuple[str, ...]
    makers: Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedCall:
    """Descriptions of one call, or the failure that it ended with. `is_random`: a second call answered otherwise."""

    arguments: Mapping[str, Description]
    answer: Description
    failure: str = ""
    is_random: bool = False


def read_observed_call(reply: Any) -> ObservedCall:
    """Read what a box answered, where the imported solution could answer anything."""
    given, answer = (reply.get("arguments"), reply.get("answer")) if isinstance(reply, dict) else (None, None)
    if isinstance(given, dict) and all(map(_is_description, [*given.values(), answer])):
        arguments = {str(name): each for name, each in given.items()}
        return ObservedCall(arguments=arguments, answer=answer or {}, is_random=reply.get("is_random") is True)
    return failed("the solution did not let its call be described")


def failed(reason: str) -> ObservedCall:
    return ObservedCall(arguments={}, answer={}, failure=reason)


def _is_description(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if value.get("type") in ARRAY_KINDS:
        shape = value.get("shape")
        return isinstance(shape, list) and all(isinstance(size, int) for size in shape) and value.get("dtype") in DTYPES
    if value.get("type") in ("list", "dict"):
        return isinstance(value.get("items"), list) and all(map(_is_description, value["items"]))
    return value.get("type") in PLAIN or (value.get("type") == "object" and isinstance(value.get("of"), str))


Observe: TypeAlias = Callable[[Probe], Mapping[str, ObservedCall]]


def find_object(seen: ObservedCall) -> str:
    """Return the reason if a case can't give one of the arguments, else an empty text."""
    for name, description in seen.arguments.items():
        if found := next((each for each in _flat(description) if each["type"] == "object"), None):
            return f"its argument {name} is or holds a {found['of']}, which a case can't give: use arguments.py"
    return ""


@dataclass(frozen=True, slots=True)
class Declarations:
    """The manifest's `parameters` and `returns`. `is_random`: the solution draws random numbers."""

    parameters: list[dict[str, Any]]
    returns: dict[str, Any]
    is_random: bool

    def keys(self) -> dict[str, Any]:
        """Return the keys of `problem.yaml`."""
        random = {"deterministic": False} if self.is_random else {}
        return {"parameters": self.parameters, "returns": self.returns, **random}


def declare(names: Sequence[str], seen: Sequence[ObservedCall], notes: Notes) -> Declarations:
    """Declare what all calls have in common. Raises ImportRefused if their types don't agree."""
    axes = _Axes()
    parameters = [
        {"name": name, **_declare(f"the parameter {name}", name, [each.arguments[name] for each in seen], axes, notes)}
        for name in names
    ]
    answers = [each.answer for each in seen]
    result = _declare("the result", "out", answers, axes, notes)
    result.pop("nullable", None)
    if result["type"] not in ("list", "dict") and any(answer["type"] == "none" for answer in answers):
        raise ImportRefused("the solution returns None for some tests: return the same type for all of them")
    result.pop("leaves", None)
    shape = _like_a_parameter(seen, parameters)
    if shape is not None and "shape" in result:
        result["shape"] = shape
    is_random = any(each.is_random for each in seen)
    if is_random:
        notes.todo.append(
            "compare random answers: the solution answers otherwise when it is called again, so `deterministic` is "
            "false; give it a seed and use `answer: {kind: random, …}`, or write checker.py"
        )
    return Declarations(parameters, {**result, "doc": "TODO: describe the result."}, is_random)


class _Axes:
    """Names of sizes. Axes that have the same sizes in all calls, and not always one size, share a name."""

    def __init__(self) -> None:
        self._names: dict[tuple[int | None, ...], str] = {}

    def name(self, sizes: tuple[int | None, ...], fallback: str) -> str:
        is_telling = len(set(sizes) - {None}) > 1
        return self._names.setdefault(sizes, fallback) if is_telling else fallback


def _declare(what: str, name: str, descriptions: Sequence[Description], axes: _Axes, notes: Notes) -> dict[str, Any]:
    nullable = {"nullable": True} if any(each["type"] == "none" for each in descriptions) else {}
    given = [each for each in descriptions if each["type"] != "none"]
    types = {each["type"] for each in given}
    if not types:
        return {"type": "list", **nullable}
    if types == {"int", "float"}:
        notes.todo.append(f"check that {what} is a float in every case: some tests give whole numbers")
        types = {"float"}
    if len(types) > 1 or types == {"object"}:
        found = ", ".join(sorted(each.get("of", each["type"]) for each in {str(one): one for one in given}.values()))
        raise ImportRefused(f"{what} has types that a case can't give or that differ ({found}): use one in every test")
    kind = types.pop()
    if kind in ARRAY_KINDS:
        shape = _shape(name, descriptions, axes)
        return {"type": kind, "shape": shape, "dtype": _dtype(what, given, notes), **nullable}
    return {"type": kind, **_leaves(what, given, notes), **nullable}


def _shape(name: str, descriptions: Sequence[Description], axes: _Axes) -> Shape:
    shapes = [each.get("shape") for each in descriptions]
    ranks = {len(shape) for shape in shapes if shape is not None}
    if len(ranks) > 1:
        return ["..."]
    label = re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_0123456789")[:12] or "SIZE"
    sizes = [tuple(shape[axis] if shape else None for shape in shapes) for axis in range(ranks.pop())]
    return [axes.name(each, f"{label}_{axis}") for axis, each in enumerate(sizes)]


def _dtype(what: str, arrays: Sequence[Description], notes: Notes) -> str:
    found = sorted({str(each["dtype"]) for each in arrays})
    floats = [dtype for dtype in found if "float" in dtype]
    if len(found) == 1:
        return found[0]
    if len(floats) != 1 or any("complex" in dtype for dtype in found):
        raise ImportRefused(f"{what} has several element types ({', '.join(found)}): use the same in every test")
    notes.todo.append(f"check that {what} is {floats[0]} in every case: some tests give {found[-1]}")
    return floats[0]


def _leaves(what: str, given: Sequence[Description], notes: Notes) -> dict[str, Any]:
    arrays = [each for description in given for each in _flat(description) if each["type"] in ARRAY_KINDS]
    kinds = sorted({each["type"] for each in arrays})
    if len(kinds) > 1:
        raise ImportRefused(f"{what} holds arrays of several libraries ({', '.join(kinds)}): use one")
    return {"leaves": kinds[0], "dtype": _dtype(what, arrays, notes)} if kinds else {}


def _flat(description: Description) -> list[Description]:
    inner = [each for item in description.get("items", ()) for each in _flat(item)]
    return [description, *inner]


def _like_a_parameter(seen: Sequence[ObservedCall], parameters: Sequence[Mapping[str, Any]]) -> Shape | None:
    """Return the shape of the first parameter that has the answer's shape in every call."""
    for parameter in parameters:
        pairs = [(each.answer.get("shape"), each.arguments[parameter["name"]].get("shape")) for each in seen]
        if all(answer is not None and answer == given for answer, given in pairs):
            return list(parameter["shape"])
    return None
