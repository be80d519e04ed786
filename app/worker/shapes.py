"""Group cases by the shapes of their inputs: JAX compiles a new program for each shape.

Cases have the same shape when their arrays agree in shape and dtype, and their static parameters in value. Two
processes share the cases of a submission: whole shapes for JAX, single cases for frameworks that compile nothing.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from app.catalog.manifest import Manifest
from app.catalog.parameter import FRAMEWORKS_OF, Parameter
from app.judging.leaf import read_leaf
from app.judging.structure import leaves, path_text
from app.worker.prepare import PreparedCase
from sandbox.guest.codec import decode

# Cost of a case in a process that has already compiled its shape, relative to compiling.
COST_OF_A_CASE = 0.5
SPLITS = 16
GOOD_ENOUGH = 1.25

_CHANCE = random.SystemRandom()

Group: TypeAlias = tuple[PreparedCase, ...]


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


def split(cases: Sequence[PreparedCase], manifest: Manifest, extra: int) -> list[PreparedCase]:
    """Return the cases for a second process: some of the groups, so that both processes end at about the same time.

    Drawn at random among the good splits, so that every case may be in either process. `extra`: how many cases of
    other groups the second process runs anyway.
    """
    groups = _groups(cases, manifest)
    busy_with_all = sum(map(_cost, groups))
    splits: list[tuple[float, list[Group]]] = [(busy_with_all, [])]
    for _ in range(SPLITS):
        drawn, first, second = list[Group](), busy_with_all, extra * (1 + COST_OF_A_CASE)
        for group in _CHANCE.sample(groups, len(groups) - 1):
            if second + _cost(group) <= first:
                drawn.append(group)
                first, second = first - _cost(group), second + _cost(group)
        splits.append((max(first, second), drawn))
    shortest = min(seconds for seconds, _ in splits)
    if shortest == busy_with_all:
        return []
    chosen = _CHANCE.choice([drawn for seconds, drawn in splits if seconds <= shortest * GOOD_ENOUGH])
    names = {case.name for group in chosen for case in group}
    return [case for case in cases if case.name in names]


def _groups(cases: Sequence[PreparedCase], manifest: Manifest) -> list[Group]:
    """Return groups that one process should run whole."""
    if not set(FRAMEWORKS_OF["jax"]).isdisjoint(manifest.frameworks):
        return [shape.cases for shape in shapes_of(cases, manifest.case_inputs)]
    return [(case,) for case in cases]


def _cost(group: Group) -> float:
    """Where compiling the program for a shape costs 1. Some solutions compile for each case."""
    return 1 + COST_OF_A_CASE * len(group)


def _parts(case: PreparedCase, static: set[str]) -> Iterator[str]:
    for path, value in leaves(decode(case.inputs)):
        leaf = read_leaf(value)
        if not leaf.is_python:
            yield f"{path_text(path)} {leaf.dtype} {leaf.shape}"
        elif path[0] in static:
            yield f"{path_text(path)} = {leaf.value!r}"
