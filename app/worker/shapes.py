"""Shapes of inputs: JAX compiles a program anew for each.

Cases have the same shape when their arrays agree in shape and dtype, and their static parameters in value.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.catalog.parameter import Parameter
from app.judging.leaf import read_leaf
from app.judging.structure import leaves, path_text
from app.worker.prepare import PreparedCase
from sandbox.guest.codec import decode

# Of a case in a process that has compiled its shape already, beside compiling.
COST_OF_A_CASE = 0.5
SPLITS = 16
GOOD_ENOUGH = 1.25

_CHANCE = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class Shape:
    """`label`: in what it differs from the other shapes of the problem."""

    label: str
    cases: tuple[PreparedCase, ...]


def shapes_of(cases: Sequence[PreparedCase], parameters: Sequence[Parameter]) -> list[Shape]:
    """In the order of their first cases."""
    static = {parameter.name for parameter in parameters if parameter.static}
    found: dict[tuple[str, ...], list[PreparedCase]] = {}
    for case in cases:
        found.setdefault(tuple(_parts(case, static)), []).append(case)
    shared = set.intersection(*map(set, found)) if len(found) > 1 else set()
    return [
        Shape(", ".join(part for part in parts if part not in shared), tuple(members))
        for parts, members in found.items()
    ]


def split_by_shape(cases: Sequence[PreparedCase], parameters: Sequence[Parameter], extra: int) -> list[PreparedCase]:
    """Return the cases for a second process: some of the shapes, so that both processes end at about the same time.

    Drawn at random among the good splits, so that every case may be in either process. `extra`: how many cases of
    other shapes the second process runs anyway.
    """
    shapes = shapes_of(cases, parameters)
    busy_with_all = sum(map(_cost, shapes))
    splits: list[tuple[float, list[Shape]]] = [(busy_with_all, [])]
    for _ in range(SPLITS):
        drawn, first, second = list[Shape](), busy_with_all, extra * (1 + COST_OF_A_CASE)
        for shape in _CHANCE.sample(shapes, len(shapes) - 1):
            if second + _cost(shape) <= first:
                drawn.append(shape)
                first, second = first - _cost(shape), second + _cost(shape)
        splits.append((max(first, second), drawn))
    shortest = min(seconds for seconds, _ in splits)
    names = {
        case.name
        for shape in _CHANCE.choice([drawn for seconds, drawn in splits if seconds <= shortest * GOOD_ENOUGH])
        for case in shape.cases
    }
    return [case for case in cases if case.name in names]


def _cost(shape: Shape) -> float:
    """Where compiling the program for a shape costs 1. Some solutions compile for each case."""
    return 1 + COST_OF_A_CASE * len(shape.cases)


def _parts(case: PreparedCase, static: set[str]) -> Iterator[str]:
    for path, value in leaves(decode(case.inputs)):
        leaf = read_leaf(value)
        if not leaf.is_python:
            yield f"{path_text(path)} {leaf.dtype} {leaf.shape}"
        elif path[0] in static:
            yield f"{path_text(path)} = {leaf.value!r}"
