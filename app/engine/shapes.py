"""Group cases by the shapes of their inputs: JAX compiles a new program for each shape.

Cases have the same shape when their arrays agree in shape and dtype, and their static parameters in value.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.catalog.parameter import Parameter
from app.engine.prepare import PreparedCase
from app.judging.leaf import read_leaf
from app.judging.structure import leaves, path_text
from sandbox.guest.codec import decode


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


def _parts(case: PreparedCase, static: set[str]) -> Iterator[str]:
    for path, value in leaves(decode(case.inputs)):
        leaf = read_leaf(value)
        if not leaf.is_python:
            yield f"{path_text(path)} {leaf.dtype} {leaf.shape}"
        elif path[0] in static:
            yield f"{path_text(path)} = {leaf.value!r}"
