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
    """The cases for a second process: half of the shapes, drawn at random, less those `extra` that it runs anyway."""
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
