"""What each check of a verification found, in figures. What is to be done about it stands in the findings.

How sharply the cases and the tolerance of a problem tell right from wrong.
"""

from math import isinf
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from app.judging.options import Margin
from app.judging.verdicts import Verdict, Visibility


class Section(BaseModel):
    # An answer may be infinitely far away, and JSON has no word for that.
    model_config = ConfigDict(frozen=True, ser_json_inf_nan="strings")


class ReferenceRun(Section):
    """`order`: in which the cases were run. `agrees`: with the expected outputs, by the problem's own rules."""

    order: tuple[str, ...]
    agrees: bool


class ReferenceSection(Section):
    runs: tuple[ReferenceRun, ...]


class KnownResult(Section):
    """A solution of `submissions/`. `decisive`: the case that gave the verdict, None where all were accepted."""

    name: str
    file: str
    expected: Verdict
    verdict: Verdict
    decisive: str | None = None
    category: str | None = None
    wall_seconds: float


class KnownSection(Section):
    submissions: tuple[KnownResult, ...]


class TrivialAnswer(Section):
    """An answer that takes no thought. `rightly`: why it may pass, where the package says that it is right."""

    name: str
    meaning: str
    tried_on: tuple[str, ...]
    accepted_on: tuple[str, ...]
    rightly: str | None = None


class TrivialSection(Section):
    answers: tuple[TrivialAnswer, ...]


class KillRow(Section):
    """A wrong submission, and the cases that it failed and passed."""

    name: str
    verdict: Verdict
    failed: tuple[str, ...]
    passed: tuple[str, ...]


class KillCase(Section):
    """`mutants`: how many are known to fail here. `only_here`: wrong submissions that fail no other case."""

    name: str
    visibility: Visibility
    submissions: int
    mutants: int
    only_here: tuple[str, ...]


class KillMatrixSection(Section):
    cases: tuple[KillCase, ...]
    rows: tuple[KillRow, ...]


class CaseCost(Section):
    """CPU seconds of the slowest accepted solution: of its first call with the case in a process, and of the next one.

    `group`: the number of its shape, from 0.
    """

    case: str
    group: int
    first_seconds: float
    again_seconds: float

    @property
    def compile_seconds(self) -> float:
        return max(self.first_seconds - self.again_seconds, 0.0)


class ShapeCost(Section):
    """What a shape that cases share costs the slowest accepted solution, in CPU seconds.

    `label`: the shapes and dtypes of the arrays, and the values of static parameters, in which it differs from the
    problem's other shapes. `first_seconds`: of the first of its `cases`, in a process that has run other shapes.
    `further_seconds`: of each further one on average; where there is none, of the same one again.
    """

    label: str
    cases: tuple[str, ...]
    first_seconds: float
    further_seconds: float

    @property
    def cost_seconds(self) -> float:
        return max(self.first_seconds - self.further_seconds, 0.0)


class LimitsSection(Section):
    """`cases` and `shapes` are empty where a quick verification did not measure them."""

    wall_seconds: float
    slowest: str
    slowest_case: str
    slowest_seconds: float
    suggested_wall_seconds: float
    memory_mib: int
    largest_memory_mib: int
    suggested_memory_mib: int
    cases: tuple[CaseCost, ...]
    shapes: tuple[ShapeCost, ...] = ()


class LintSection(Section):
    rules: tuple[str, ...] = Field(description="what was looked at")


class Mistake(Section):
    name: str
    hint: str | None
    cases: tuple[str, ...] = Field(description="where its output is wrong")


class Confusion(Section):
    """Two known mistakes that can not be told apart, and the cases where both are wrong and agree."""

    first: str
    second: str
    cases: tuple[str, ...]


class MistakesSection(Section):
    mistakes: tuple[Mistake, ...]
    confusions: tuple[Confusion, ...]


MOST_IN_FULL = 1e9

Outcome = Literal["killed", "survived", "equivalent", "rounding"]
State = Literal[
    "inside", "narrow", "too_tight", "too_loose", "no_gap", "no_noise", "no_signal", "exact", "not_calibrated"
]
Kind = Literal["reference", "accepted", "wrong", "mutant"]


def share_text(share: float) -> str:
    """Of the tolerance: `3.6 %`, `12 ×`, `49,200 ×`."""
    if share < 1:
        return f"{100 * share:.2g} %"
    if isinf(share):
        return "∞ ×"
    return f"{float(f'{share:.3g}'):,.0f} ×" if 1e3 <= share < MOST_IN_FULL else f"{share:.3g} ×"


def used_text(share: float) -> str:
    return f"{share_text(share)} {'of ' if share < 1 else ''}the tolerance"


class Mutant(Section):
    """`line`: of the file that holds the reference. `diff`: unified, of the reference alone. `killed_by`: the cases
    that are known to; others may too.

    `outcome`: `equivalent` gives the same bits wherever it was run, `rounding` differs from them as rounding does;
    neither counts. `how`: what kills it, such as "values" or "raised". `largest`: how far it is off in the worst
    case, as a share of the tolerance, where that can be said. `suggestion`: what would kill a survivor.
    """

    operator: str
    line: int
    diff: str
    outcome: Outcome
    killed_by: tuple[str, ...] = ()
    how: str = ""
    largest: float | None = None
    suggestion: str = ""


class MutationSection(Section):
    """`possible`: how many there are, of which `mutants` were run.

    `strength`: the share that was killed of those that count; None where there was none.
    """

    possible: int
    mutants: tuple[Mutant, ...]
    strength: float | None

    def having(self, outcome: Outcome) -> tuple[Mutant, ...]:
        return tuple(mutant for mutant in self.mutants if mutant.outcome == outcome)


class Measured(Section):
    """How far answers are from the expected ones at worst: `value` as a share of the tolerance, 1.0 exactly at it.

    `case`: where that was. `absolute` and `relative` are the largest errors of elements there.
    """

    kind: Kind
    label: str
    case: str
    value: float
    absolute: float | None = None
    relative: float | None = None


class CalibratedLeaf(Section):
    """Noise of right answers and signal of wrong ones, at the leaves that share a tolerance: those that fit `path`.

    The tolerance should lie between, with `value` 1. `signal` has the wrong answers that are furthest off here and not
    at other leaves.
    """

    path: str
    checker: str
    tolerance: Margin | None
    noise: tuple[Measured, ...]
    signal: tuple[Measured, ...]
    suggestion: Margin | None
    state: State

    @property
    def largest_noise(self) -> float | None:
        return max((measured.value for measured in self.noise), default=None)

    @property
    def smallest_signal(self) -> float | None:
        return min((measured.value for measured in self.signal), default=None)


class Way(Section):
    """Another way of computing the reference: on how many cases it was gone, or why not."""

    name: str
    meaning: str
    cases: int
    left_out: str = ""


class CalibrationSection(Section):
    """`without_number`: wrong answers that no tolerance would let through, such as those of another shape."""

    leaves: tuple[CalibratedLeaf, ...]
    ways: tuple[Way, ...] = ()
    without_number: int = 0
