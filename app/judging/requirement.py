"""Requirements: rules on how an answer is computed, judged on evidence and never on the answer.

Each file of `app.judging.requirements` holds one kind, named like the key that an author writes for it. The evidence
for code that JAX can trace comes from the exported program, in a box that never ran the student's Python. Counts of
calls come from the student's own process, so they are evidence and not proof. The syntax is read from the source.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import Discriminator, Field, StringConstraints, Tag, TypeAdapter

from app.judging.checker import Objection
from app.judging.options import Integer, Model

MAX_PARTS = 64
ShortText = Annotated[str, Field(max_length=64)]
NOT_TRIED = "no program that could be inspected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """A loop of a program.

    `length`: its number of steps, or None if it depends on values; `steps`: that times the steps of the loops around
    it. `index`: its place among the program's loops. `takes_part`: the answer depends on it. `fed_by`: the parameters
    that reach the answer through it. `bypassed_by`: those that reach the answer without it. `whole`: the parameters of
    which each step reads more than its own slice. `outside`: the arithmetic outside this loop and others of its length
    (a differentiated loop becomes two); infinite if it is unbounded. `share`: the rest of the arithmetic, from 0 to 1.
    `effect`: the least change of the answer when the first or the last step is skipped; None if not tried.
    """

    index: int
    length: int | None
    steps: int | None
    takes_part: bool
    fed_by: tuple[str, ...] = ()
    bypassed_by: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    share: float = 1.0
    outside: float = 0.0
    effect: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditional:
    """A choice between `branches` by a value. The other fields are as for loops.

    `effect`: the largest change of the answer when the program always takes the same branch; None if not tried.
    """

    index: int
    branches: int
    takes_part: bool
    fed_by: tuple[str, ...] = ()
    bypassed_by: tuple[str, ...] = ()
    effect: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """What one program of a kernel's grid has of an array. `parameters`: those that the array is made of.

    `bytes`: of the block. `total_bytes`: of the blocks of all programs. `array_bytes`: of the array, filled up to whole
    blocks.
    """

    parameters: Annotated[tuple[ShortText, ...], Field(max_length=MAX_PARTS)]
    dtype: ShortText
    shape: Annotated[tuple[int, ...], Field(max_length=MAX_PARTS)]
    bytes: int
    total_bytes: int
    array_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelCall:
    """A call of a kernel. `grid`: the number of programs along each axis. `times`: it runs, if a loop calls it."""

    grid: Annotated[tuple[int, ...], Field(max_length=MAX_PARTS)]
    inputs: Annotated[tuple[Block, ...], Field(max_length=MAX_PARTS)]
    outputs: Annotated[tuple[Block, ...], Field(max_length=MAX_PARTS)]
    times: Annotated[int, Field(ge=1)] = 1

    @property
    def programs(self) -> int:
        return prod(self.grid)

    @property
    def block_bytes(self) -> int:
        """Return the size of all blocks of one program."""
        return sum(block.bytes for block in (*self.inputs, *self.outputs))

    def as_json(self) -> dict[str, Any]:
        """Return what the report of a sample case says about the kernel."""
        keys = ("parameters", "dtype", "shape", "bytes", "total_bytes")
        inputs, outputs = (
            [{key: getattr(block, key) for key in keys} for block in blocks] for blocks in (self.inputs, self.outputs)
        )
        return {"grid": self.grid, "programs": self.programs, "inputs": inputs, "outputs": outputs}

    def reads_of(self, parameter: str) -> float:
        """Return how many times the blocks of all programs cover the parameter."""
        blocks = [block for block in self.inputs if parameter in block.parameters]
        return self.times * sum(block.total_bytes / block.array_bytes for block in blocks if block.array_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernels:
    """The kernels of a solution. `takes_part`, `fed_by` and `bypassed_by` are as for loops, of all together.

    `outside`: the names of the operations outside of kernels that do more than to prepare arrays.
    """

    calls: tuple[KernelCall, ...]
    takes_part: bool
    fed_by: tuple[str, ...]
    bypassed_by: tuple[str, ...]
    outside: tuple[str, ...]


# Reads the kernels that a box tells of. Raises ValidationError, since the box may hold a student's process.
KERNELS = TypeAdapter(Kernels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Facts about a program.

    `operations`: the number of each StableHLO operation, by name without its dialect. `copies`: the number of
    repetitions of the largest repeated group of operations, as in an unrolled loop. `axes`: the arithmetic on arrays
    with an axis of each size. `equations`: the number of all operations. `temporary_bytes`: the compiled program's
    temporary memory. `flops`: the arithmetic that the outputs depend on. It counts one step of each of the `unbounded`
    loops, whose lengths are unknown.
    """

    loops: tuple[Loop, ...]
    branches: tuple[Conditional, ...]
    operations: Mapping[str, int]
    copies: int
    axes: Mapping[int, float]
    equations: int
    temporary_bytes: int
    flops: float
    unbounded: int = 0
    kernels: Kernels | None = None


Basis: TypeAlias = Literal["program", "calls", "source"]
EVIDENCE: Mapping[Basis, str] = {
    "program": "proven from your program as JAX traces it",
    "calls": "watched while your program runs",
    "source": "read in your source",
}
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=64)]
# A number, or the name of a parameter or size that is a number in each case.
Count = Annotated[
    Annotated[Integer, Field(ge=0), Tag("<number>")] | Annotated[Name, Tag("<name>")],
    Discriminator(lambda count: "<name>" if isinstance(count, str) else "<number>"),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The facts of one case on which a requirement is judged.

    `numbers`: the case's integer parameters and symbolic sizes, by name. `calls`: the student's process's own count of
    each `Call`. It also saw, each with the first line of the source, or 0: `forbidden`, the forbidden functions that
    the source called; `code`, what made code at run time; `touched`, what could end or hide the watching. `kernels`:
    those that it ran. `source`: the submission.
    """

    numbers: Mapping[str, int]
    evidence: Evidence | None = None
    reference: Evidence | None = None
    calls: Mapping[str, int] = field(default_factory=dict)
    forbidden: Mapping[str, int] = field(default_factory=dict)
    code: Mapping[str, int] = field(default_factory=dict)
    touched: Mapping[str, int] = field(default_factory=dict)
    kernels: Kernels | None = None
    source: str = ""

    def number(self, count: int | str) -> int:
        return count if isinstance(count, int) else self.numbers[count]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmet:
    """An unmet requirement. `category` is its rule in the manifest's words; hidden cases show no more."""

    category: str
    expected: str
    found: str

    @property
    def message(self) -> str:
        return f"expected {self.expected}; found {self.found}"


class Requirement(Model, ABC):
    """A rule on how an answer is computed."""

    @property
    def basis(self) -> Basis:
        """The kind of evidence that it needs."""
        return "program"

    def for_frameworks(self, _frameworks: Collection[str]) -> Self:
        """Return the requirement as a problem with these frameworks has it."""
        return self

    @property
    def names(self) -> Mapping[str, str]:
        """The names that stand for a number in each case, by their keys."""
        return {}

    @property
    def parameters(self) -> Mapping[str, tuple[str, ...]]:
        """The parameters whose dataflow to the answer is inspected, by their keys."""
        return {}

    @property
    def frameworks(self) -> tuple[str, ...]:
        """The frameworks whose boxes can give the evidence."""
        return {"program": ("jax",), "calls": ("torch",), "source": ()}[self.basis]

    @property
    def is_watched(self) -> bool:
        """Whether the student's process is watched while it runs."""
        return self.basis == "calls"

    def find_contradiction(self) -> Objection | None:
        """Find keys that contradict each other."""
        return None

    @property
    @abstractmethod
    def rule(self) -> str:
        """The rule for students, as words of the manifest that follow "your program must"."""

    @property
    def evidence(self) -> str:
        """How the rule is judged, in words for students."""
        return EVIDENCE[self.basis]

    @abstractmethod
    def judge(self, facts: Facts) -> tuple[str, str] | None:
        """Return the expected and the found, or None if the requirement is met."""

    def find_unmet(self, facts: Facts) -> Unmet | None:
        found = self.judge(facts)
        return Unmet(category=f"must {self.rule}", expected=found[0], found=found[1]) if found else None


def first_unmet(requirements: Iterable[Requirement], basis: Basis, facts: Facts) -> Unmet | None:
    """Return the first unmet requirement of those judged on this basis."""
    asked = (requirement for requirement in requirements if requirement.basis == basis)
    return next(filter(None, (requirement.find_unmet(facts) for requirement in asked)), None)


def at_line(found: Mapping[str, int]) -> str:
    """Describe what was found first in the source: `exec in line 5`."""
    name, line = min(found.items(), key=lambda item: (item[1], item[0]))
    return f"{name} in line {line}" if line else name


def plural(number: int, noun: str) -> str:
    """Return `1 loop` or `8 loops`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
