"""A program as plain values: operations that take and return numbered values, with every call inlined."""

from collections.abc import Iterator
from dataclasses import dataclass, field

Constant = int | float | bool


class Refused(Exception):
    """The program must not be compiled here. The text says why."""


@dataclass(frozen=True, slots=True)
class Type:
    dtype: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        size = 1
        for length in self.shape:
            size *= length
        return size

    @property
    def is_whole(self) -> bool:
        return self.dtype.lstrip("u").startswith("i")


@dataclass(slots=True, eq=False)
class Region:
    arguments: list[int]
    operations: list["Operation"]
    results: list[int]


@dataclass(frozen=True, slots=True)
class KernelCall:
    """The call of a compiled kernel. `grid`: its programs along each axis. `inputs`: the number of arrays it reads."""

    grid: tuple[int, ...]
    inputs: int


@dataclass(slots=True, eq=False)
class Operation:
    """`name`: without its dialect. `place`: its index among all operations of the module, in text order.

    `constant`: the value of a scalar constant. `direction`: of a comparison. `contracted`: how many products, or
    elements of a window, make one element of the result. `kernel`: of a choice between an interpreted and a compiled
    kernel.
    """

    name: str
    place: int
    operands: list[int]
    results: list[int]
    regions: list[Region] = field(default_factory=list)
    constant: Constant | None = None
    direction: str = ""
    contracted: int = 1
    kernel: KernelCall | None = None


@dataclass(slots=True, eq=False)
class Graph:
    """`types`: indexed by the number of a value."""

    types: list[Type]
    body: Region
    definitions: dict[int, Operation]


def operations_in(region: Region) -> Iterator[Operation]:
    """Yield the region's operations in order, each followed by those inside it."""
    for operation in region.operations:
        yield operation
        for inner in operation.regions:
            yield from operations_in(inner)
