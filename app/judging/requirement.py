"""What a requirement is: a rule on how an answer is computed, judged on evidence and never on the answer.

Each file of `app.judging.requirements` holds one kind, under the name of the key that an author writes for it. The web
process reads them too, and has no NumPy.

What is known of how an answer was computed: facts about a program, which the rules in `requirements` judge.

For what JAX can trace they are read from the exported program itself, in a box that never held a student's Python.
Counts of calls come from the student's own process, and are evidence, not proof.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Discriminator, Field, StringConstraints, Tag

from app.judging.checker import Objection
from app.judging.options import Integer, Model


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """`length`: number of steps, or None where it depends on values; `steps`: with those of the loops around it.

    `index`: its place among the loops of the program. `nesting`: how many loops are around it.
    `takes_part`: the answer depends on it. `fed_by`: the parameters that reach the answer by way of it.
    `bypassed_by`: those that reach the answer beside it. `whole`: those of which every step sees more than the part
    that its counter chooses. `outside`: the arithmetic that is done neither in it nor in others of its length, since a
    loop is differentiated as two; infinite where nothing bounds it. `share`: the part that is not, from 0 to 1.
    `effect`: how far the answer moves at least without the first or without the last step; None if not tried.
    """

    index: int
    length: int | None
    steps: int | None
    nesting: int
    takes_part: bool
    fed_by: tuple[str, ...] = ()
    bypassed_by: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    share: float = 1.0
    outside: float = 0.0
    effect: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditional:
    """A choice between `branches` by a value; the rest as for loops.

    `effect`: how far the answer moves at most when one and the same branch is taken always; None if not tried.
    """

    index: int
    branches: int
    nesting: int
    takes_part: bool
    fed_by: tuple[str, ...] = ()
    bypassed_by: tuple[str, ...] = ()
    effect: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """`operations`: how often each StableHLO operation stands in the program, by name without its dialect.

    `copies`: of the largest group of operations that is written out again and again, as an unrolled loop is.
    `axes`: how much arithmetic is done on arrays that have an axis of a size. `equations`: operations in all.
    `temporary_bytes`: what the compiled program needs; `flops`: a count over all that the outputs depend on, of which
    `unbounded` loops have no known number of steps and count as one.
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


Basis: TypeAlias = Literal["program", "calls"]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=64)]
# A number, or the name of something that has one in each case.
Count = Annotated[
    Annotated[Integer, Field(ge=0), Tag("<number>")] | Annotated[Name, Tag("<name>")],
    Discriminator(lambda count: "<name>" if isinstance(count, str) else "<number>"),
]

NOT_TRIED = "no program that could be inspected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a requirement is judged on, in one case.

    `numbers`: whole numbers of the case by name, of parameters and of symbolic sizes. `calls`: how often the student's
    process did what `CALLS` names, as it says itself.
    """

    numbers: Mapping[str, int]
    evidence: Evidence | None = None
    reference: Evidence | None = None
    calls: Mapping[str, int] = field(default_factory=dict)

    def number(self, count: int | str) -> int:
        return count if isinstance(count, int) else self.numbers[count]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmet:
    """`category` is the requirement in the manifest's own words: hidden cases say no more."""

    category: str
    expected: str
    found: str

    @property
    def message(self) -> str:
        return f"expected {self.expected}; found {self.found}"


class Requirement(Model, ABC):
    """`basis`: what must be known to judge it."""

    basis: ClassVar[Basis] = "program"

    @property
    def names(self) -> Mapping[str, str]:
        """Of what has a number in each case: by the key that names it."""
        return {}

    @property
    def parameters(self) -> Mapping[str, tuple[str, ...]]:
        """The same of parameters whose way to the answer is looked at."""
        return {}

    def find_contradiction(self) -> Objection | None:
        """Between the keys."""
        return None

    @property
    @abstractmethod
    def rule(self) -> str:
        """For students, in the manifest's own words: goes on from "your program must …"."""

    @abstractmethod
    def judge(self, facts: Facts) -> tuple[str, str] | None:
        """What was looked for and what was found, or None when it is met."""

    def find_unmet(self, facts: Facts) -> Unmet | None:
        found = self.judge(facts)
        return Unmet(category=f"must {self.rule}", expected=found[0], found=found[1]) if found else None


def first_unmet(requirements: Iterable[Requirement], basis: Basis, facts: Facts) -> Unmet | None:
    """Of those that are judged on such evidence."""
    asked = (requirement for requirement in requirements if requirement.basis == basis)
    return next(filter(None, (requirement.find_unmet(facts) for requirement in asked)), None)


def plural(number: int, noun: str) -> str:
    """`1 loop`, `8 loops`"""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
