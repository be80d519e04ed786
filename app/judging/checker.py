"""What a checker is: the rule by which a leaf of an answer is judged, and what an author may choose of it.

Each file of `app.judging.checkers` holds one. Its fields are the keys that an author writes under `checkers`. The web
process reads those too, and has no NumPy: a checker's file takes it from `app.judging.numeric`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import StringConstraints

from app.errors import JudgeFailed
from app.judging.leaf import Kind, Leaf, Shown, kind_of
from app.judging.options import Model
from app.judging.structure import subject
from app.judging.tolerance import Tolerance

SHAPE, DTYPE = "shape differs", "dtype differs"
NAN_OR_INF, VALUES = "nan or inf differs", "values outside tolerance"

# Sizes that a manifest leaves open are None, and so is a shape of which it says nothing.
Shape: TypeAlias = tuple[int | None, ...]
Ask: TypeAlias = Callable[[], object]
DtypePolicy: TypeAlias = Literal["exact", "kind", "any"]
GroupName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+$", max_length=64)]


class CheckerUnfit(JudgeFailed):
    """A checker met an expected leaf that it can't judge: the author's mistake, never the student's."""


def nobody_to_ask() -> object:
    raise CheckerUnfit("the package's checker.py is needed here, and there is no box to run it in")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Task:
    """A leaf to check, of the right shape and an allowed dtype; both sides are text, or neither is.

    `tolerance` is the leaf's. `ask` gives what the author's own code says of the whole answer.
    """

    path: str
    answer: Leaf
    expected: Leaf
    tolerance: Tolerance
    ask: Ask = nobody_to_ask

    @property
    def subject(self) -> str:
        """For the student."""
        return subject(self.path)

    @property
    def place(self) -> str:
        """For the author."""
        return f"leaf {self.path}" if self.path else "the output"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a checker found at a leaf. `category` is None when it is right; numbers are None when there is none to give.

    `message` says what is wrong, to the student; it is empty when nothing is. `tolerance_used` is the largest share:
    1.0 is exactly at the limit, inf a difference where none is allowed.
    """

    category: str | None = None
    message: str = ""
    outside: int = 0
    max_abs: float | None = None
    max_rel: float | None = None
    worst_index: tuple[int, ...] | None = None
    worst_answer: Shown | None = None
    worst_expected: Shown | None = None
    worst_difference: float | None = None
    worst_allowed: float | None = None
    tolerance_used: float | None = None


RIGHT = Finding()


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """What an author has to change. `message` goes on from `key`, or without one from "an output that"."""

    key: str = ""
    message: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.key} {self.message}: {self.remedy}" if self.key else f"{self.message}: {self.remedy}"


class Checker(Model, ABC):
    """`checker` is the name, a Literal in each.

    `kinds` of leaves that it judges. `has_tolerance`: it reads the leaf's. `dtype_policy`: the stricter of this and the
    problem's holds. `any_int`: ints of more than 64 bits too. `is_asking`: it asks the
    package's own code.
    """

    checker: str

    kinds: ClassVar[frozenset[Kind]] = frozenset({"int", "float", "complex"})
    has_tolerance: ClassVar[bool] = False
    dtype_policy: ClassVar[DtypePolicy] = "any"
    any_int: ClassVar[bool] = False
    is_asking: ClassVar[bool] = False

    @property
    def any_shape(self) -> bool:
        """Whether the answer may have another shape than the expected leaf."""
        return False

    @property
    @abstractmethod
    def rule(self) -> str:
        """When a leaf is right, for students: goes on from "right when it is …"."""

    @abstractmethod
    def check(self, task: Task) -> Finding:
        """Of any answer at all: it may be hostile. Raises CheckerUnfit."""

    def find_contradiction(self) -> Objection | None:
        """Between the options."""
        return None

    def find_unfit(self, dtype: str, shape: Shape | None) -> Objection | None:
        """Why an expected leaf of this dtype and shape can't be judged so, as far as it can be told from these."""
        if kind_of(dtype) not in self.kinds:
            known = ", ".join(sorted(self.kinds))
            return Objection(message=f"is {dtype}, but {self.checker} judges {known}", remedy="choose another checker")
        return None if shape is None else self.find_unfit_shape(shape)

    def find_unfit_shape(self, shape: Shape) -> Objection | None:
        """The same, of the shape alone."""


class JointChecker(Checker):
    """One that makes a choice: the leaves of one `group` must be right under the same."""

    group: GroupName | None = None

    def check(self, task: Task) -> Finding:
        return self.check_together([(self, task)])[0]

    @classmethod
    @abstractmethod
    def check_together(cls, members: Sequence[tuple[Any, Task]]) -> list[Finding]:
        """One finding for each, in order. Raises CheckerUnfit."""
