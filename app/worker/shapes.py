"""Group cases by the shapes of their inputs: JAX compiles a new program for each shape.

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

_CHANCE = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class Shape:
    """`label`: how it differs from the problem's other shapes."""

    label: str
    cases: tuple[PreparedCase, ...]


def shapes_of(cases: Sequence[PreparedCase], parameters: Sequence[Parameter]) -> list[Shape]:
    """Return the shapes in the order of their first cases."""
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
    """Return the cases for a second process: half of the shapes, drawn at random, minus the `extra` that it runs
    anyway.
    """
    shapes = shapes_of(cases, parameters)
    drawn = _CHANCE.sample(shapes, max(0, len(shapes) - extra) // 2)
    names = {case.name for shape in drawn for case in shape.cases}
    return [case for case in cases if case.name in names]


def _parts(case: PreparedCase, static: set[str]) -> Iterator[str]:
    for path, value in leaves(decode(case.inputs)):
        leaf = read_leaf(value)
        if not leaf.is_python:
            yield f"{path_text(path)} {leaf.dtype} {leaf.shape}"
        elif path[0] in static:
            yield f"{path_text(path)} = {leaf.value!r}"
