"""Which cases have inputs of the same shapes, so that a program compiled for one serves the others."""

from collections.abc import Sequence
from typing import Any

from app.judging.leaf import read_leaf
from app.judging.structure import leaves
from app.worker.prepare import PreparedCase
from sandbox.guest.codec import decode


def groups_of(cases: Sequence[PreparedCase]) -> dict[str, int]:
    """The number of its group, by the name of a case. Plain values count too: they often choose a shape."""
    known: dict[Any, int] = {}
    return {case.name: known.setdefault(_signature(case.inputs), len(known)) for case in cases}


def _signature(inputs: bytes) -> tuple[Any, ...]:
    found = [(path, read_leaf(value)) for path, value in leaves(decode(inputs))]
    return tuple((path, leaf.dtype, leaf.shape, repr(leaf.value) if leaf.is_python else None) for path, leaf in found)
