"""Requirements: rules on how an answer is computed, judged on evidence and never on the answer.

Each file of `app.judging.requirements` holds one kind, named like the key that an author writes for it. The web process
reads them too, without NumPy.

Evidence on programs is read from the exported program, in a box that never held a student's Python code. Counts of
calls come from the student's own process, and are evidence, not proof.
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
    """A loop of the program. `length`: its number of steps, or None if it depends on values.

    `steps`: all steps, including those of surrounding loops. `index`: its place among the program's loops. `nesting`:
    the number of surrounding loops. `takes_part`: the answer depends on it. `fed_by`: parameters that reach the answer
    through it. `bypassed_by`: parameters that reach the answer beside it. `whole`: parameters of which every step sees
    more than the part that its counter selects.

    `outside`: the arithmetic outside this loop and others of its length, since a loop's gradient is a second loop;
    infinite if unbounded. `share`: the rest of the arithmetic, from 0 to 1. `effect`: the least change of the answer
    without the first or the last step; None if not tried.
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
    """A choice between `branches` by a value; the other fields are as for loops.

    `effect`: the greatest change of the answer when one branch is always taken; None if not tried.
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
    """Facts about a program. `operations`: counts of StableHLO operations, by name without the dialect.

    `copies`: repetitions of the largest repeated group of operations, as in an unrolled loop. `axes`: arithmetic on
    arrays by the size of their axes. `equations`: the number of operations. `temporary_bytes`: temporary memory of the
    compiled program. `flops`: all arithmetic that the outputs depend on; each of the `unbounded` loops, whose length is
    unknown, counts as one step.
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
# A number, or the name of a parameter or symbolic size that has a number in each case.
Count = Annotated[
    Annotated[Integer, Field(ge=0), Tag("<number>")] | Annotated[Name, Tag("<name>")],
    Discriminator(lambda count: "<name>" if isinstance(count, str) else "<number>"),
]

NOT_TRIED = "no program that could be examined"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The facts that a requirement is judged on, in one case.

    `numbers`: integers of the case by name, from parameters and symbolic sizes. `calls`: counts by name of `Call`, as
    reported by the student's process.
    """

    numbers: Mapping[str, int]
    evidence: Evidence | None = None
    reference: Evidence | None = None
    calls: Mapping[str, int] = field(default_factory=dict)

    def number(self, count: int | str) -> int:
        return count if isinstance(count, int) else self.numbers[count]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmet:
    """`category` is the requirement in the manifest's own words, which is all that hidden cases show."""

    category: str
    expected: str
    found: str

    @property
    def message(self) -> str:
        return f"expected {self.expected}; found {self.found}"


class Requirement(Model, ABC):
    """`basis`: the kind of evidence that it is judged on."""

    basis: ClassVar[Basis] = "program"

    @property
    def names(self) -> Mapping[str, str]:
        """The names of per-case numbers, by the key that uses them."""
        return {}

    @property
    def parameters(self) -> Mapping[str, tuple[str, ...]]:
        """The parameters whose path to the answer is examined, by key."""
        return {}

    def find_contradiction(self) -> Objection | None:
        """Return a contradiction between the keys, if any."""
        return None

    @property
    @abstractmethod
    def rule(self) -> str:
        """The text for students, in the manifest's own words. It continues "your program must …"."""

    @abstractmethod
    def judge(self, facts: Facts) -> tuple[str, str] | None:
        """Return what was expected and what was found, or None if the requirement is met."""

    def find_unmet(self, facts: Facts) -> Unmet | None:
        found = self.judge(facts)
        return Unmet(category=f"must {self.rule}", expected=found[0], found=found[1]) if found else None


def first_unmet(requirements: Iterable[Requirement], basis: Basis, facts: Facts) -> Unmet | None:
    """Return the first unmet requirement of those judged on this kind of evidence."""
    asked = (requirement for requirement in requirements if requirement.basis == basis)
    return next(filter(None, (requirement.find_unmet(facts) for requirement in asked)), None)


def plural(number: int, noun: str) -> str:
    """`1 loop`, `8 loops`"""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
