"""The base class of checkers: a checker judges one leaf of an answer by the author's options, and returns a finding.

Each file of `app.judging.checkers` holds one checker. Its fields are the keys that an author writes under `checkers`.
The web process reads them without NumPy, so a checker's file imports NumPy from `app.judging.numeric`.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeAlias

from app.errors import JudgeFailed
from app.judging.leaf import MAX_TEXT_SHOWN, Array, Kind, Leaf, Shown, kind_of, shown, subject
from app.judging.numeric import np
from app.judging.options import Model
from app.judging.printable_text import printable
from app.judging.tolerance_comparison import Distance, Tolerance

SHAPE, DTYPE = "shape differs", "dtype differs"
NAN_OR_INF, VALUES = "nan or inf differs", "values outside tolerance"

# None stands for a size, or a whole shape, that the manifest leaves open.
Shape: TypeAlias = tuple[int | None, ...]
Ask: TypeAlias = Callable[[], object]
DtypePolicy: TypeAlias = Literal["exact", "kind", "any"]


class CheckerUnfit(JudgeFailed):
    """A checker can't judge an expected leaf. This is the author's mistake, never the student's."""


def no_checker_box() -> object:
    raise CheckerUnfit("the package's checker.py is needed, but there is no box to run it in")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Task:
    """A leaf to check. Its shape and dtype are allowed, and either both sides are text or neither is.

    `tolerance` is the leaf's. `ask` returns the result of the package's `checker.py` for the whole answer.
    """

    path: str
    answer: Leaf
    expected: Leaf
    tolerance: Tolerance
    ask: Ask = no_checker_box

    @property
    def subject(self) -> str:
        """The leaf's name in messages for students."""
        return subject(self.path)

    @property
    def place(self) -> str:
        """The leaf's name in messages for authors."""
        return f"leaf {self.path}" if self.path else "the output"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A checker's result for one leaf. `category` is None for a correct leaf; unknown numbers are None.

    `message` tells the student what is wrong and is empty for a correct leaf. `tolerance_used` is the largest share of
    the tolerance: 1.0 is exactly at the limit, inf is any difference where none is allowed.
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
    """An author's mistake and its remedy. `message` follows `key`, or "an output that" if there is no key."""

    key: str = ""
    message: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.key} {self.message}: {self.remedy}" if self.key else f"{self.message}: {self.remedy}"


class Checker(Model, ABC):
    """A rule for one leaf. `checker` is its name, a Literal in each subclass.

    `kinds` are the kinds of leaves that it judges. `has_tolerance`: it reads the leaf's tolerance. `dtype_policy`: the
    stricter of this and the problem's applies. `any_int`: it judges ints of more than 64 bits. `is_asking`: it runs the
    package's `checker.py`.
    """

    checker: str

    kinds: ClassVar[frozenset[Kind]] = frozenset({"int", "float", "complex"})
    has_tolerance: ClassVar[bool] = False
    dtype_policy: ClassVar[DtypePolicy] = "any"
    any_int: ClassVar[bool] = False
    is_asking: ClassVar[bool] = False

    @property
    def any_shape(self) -> bool:
        """Whether the answer's shape may differ from the expected one."""
        return False

    @property
    @abstractmethod
    def rule(self) -> str:
        """The rule for students, as words that follow "the output must be"."""

    @abstractmethod
    def check(self, task: Task) -> Finding:
        """Judge a leaf of any answer, also of a hostile one. Raises CheckerUnfit."""

    def find_unfit(self, dtype: str, shape: Shape | None) -> Objection | None:
        """Find why the checker can't judge an expected leaf of this dtype and shape."""
        if kind_of(dtype) not in self.kinds:
            known = ", ".join(sorted(self.kinds))
            return Objection(message=f"is {dtype}, but {self.checker} judges {known}", remedy="choose another checker")
        return None if shape is None else self.find_unfit_shape(shape)

    def find_unfit_shape(self, shape: Shape) -> Objection | None:
        """Find why the checker can't judge an expected leaf of this shape."""


_FIRST = {SHAPE: 3, DTYPE: 2, NAN_OR_INF: 1}


def severity(category: str | None, tolerance_used: float | None) -> tuple[int, float]:
    """Return the sort key of a leaf: greater is worse, and correct leaves come below wrong ones.

    A wrong shape is worse than a wrong dtype, and a wrong dtype is worse than an unexpected NaN or inf. All other
    leaves are ordered by the share of the tolerance that they used; without a share, a leaf is infinitely wrong.
    """
    if category is None:
        return -1, tolerance_used or 0.0
    if category in _FIRST or tolerance_used is None or math.isnan(tolerance_used):
        return _FIRST.get(category, 0), math.inf
    return 0, tolerance_used


LEAST_DIGITS, MOST_DIGITS = 3, 17
SMALL = 1e-3  # smaller numbers have an exponent


def gap_text(found: Finding) -> str:
    if found.worst_difference is None or found.worst_allowed is None:
        return ""
    return f" (allowed ±{number_text(found.worst_allowed)})" if found.worst_allowed else " (must be equal)"


def number_text(number: Shown, digits: int = LEAST_DIGITS) -> str:
    """Return a float with so many significant digits (−0.367, 1e-5), and any other value in full."""
    if not isinstance(number, float):
        return str(number)
    text = f"{number:.{digits}g}"
    if 0 < abs(number) < SMALL and not math.isinf(number):
        mantissa, exponent = f"{number:.{digits - 1}e}".split("e")
        text = f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
    text = text.replace("e+0", "e").replace("e+", "e")
    return "−" + text[1:] if text.startswith("-") else text


def pair_text(answer: Shown | None, expected: Shown | None) -> tuple[str, str]:
    """Return both with as few digits as tell them apart."""
    pair = str(answer), str(expected)
    if answer is None or expected is None:
        return pair
    for digits in range(LEAST_DIGITS, MOST_DIGITS + 1):
        pair = number_text(answer, digits), number_text(expected, digits)
        if pair[0] != pair[1]:
            break
    return pair


def find_elements(
    task: Task, distance: Distance, answer: Array | None = None, gap: Callable[[Finding], str] = gap_text
) -> Finding:
    """`answer` is the measured array, if the answer was rearranged first."""
    if distance.worst is None:
        return Finding()
    index = tuple(int(i) for i in np.unravel_index(distance.worst, task.expected.shape))
    category = NAN_OR_INF if distance.misplaced else VALUES
    found = Finding(
        category=category if distance.outside else None,
        outside=distance.outside,
        max_abs=distance.max_abs,
        max_rel=distance.max_rel,
        worst_index=index,
        worst_answer=shown((task.answer.array if answer is None else answer)[index]),
        worst_expected=shown(task.expected.array[index]),
        worst_difference=distance.worst_gap,
        worst_allowed=distance.worst_allowed,
        tolerance_used=distance.used,
    )
    return replace(found, message=_sentence(task, found, gap)) if distance.outside else found


def worst_text(found: Finding, gap: Callable[[Finding], str] = gap_text) -> str:
    """Return "worst at (3, 7): yours 0.51, expected 0.25 (allowed ±1e-5)"."""
    is_misplaced = found.category == NAN_OR_INF
    place = "first nan or inf mismatch" if is_misplaced else "worst"
    answer, expected = pair_text(found.worst_answer, found.worst_expected)
    values = f"yours {answer}, expected {expected}{'' if is_misplaced else gap(found)}"
    return f"{place} at {found.worst_index}: {values}" if found.worst_index else values


def differing(count: int, size: int) -> str:
    """Return "3 of 8 elements differ"."""
    return f"{count} of {size} elements {'differs' if count == 1 else 'differ'}"


def find_text(task: Task) -> Finding:
    """Compare texts and None exactly."""
    if task.answer.value == task.expected.value:
        return Finding()
    answer, expected = (printable(repr(leaf.value), MAX_TEXT_SHOWN) for leaf in (task.answer, task.expected))
    return Finding(
        category=VALUES,
        message=f"{task.subject} is {answer}; expected {expected}",
        outside=1,
        worst_answer=answer,
        worst_expected=expected,
    )


def _sentence(task: Task, found: Finding, gap: Callable[[Finding], str]) -> str:
    size = task.expected.array.size
    if size > 1:
        return f"{task.subject}: {differing(found.outside, size)}; {worst_text(found, gap)}"
    if task.path:
        return f"{task.subject}: {worst_text(replace(found, worst_index=None), gap)}"
    answer, expected = pair_text(found.worst_answer, found.worst_expected)
    return f"{task.subject} is {answer}; expected {expected}{'' if found.category == NAN_OR_INF else gap(found)}"
