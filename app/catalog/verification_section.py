"""The figures that each check of a verification found. The findings of the report say what to do about them."""

from math import isinf
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from app.judging.efficiency import TimeComparison
from app.judging.options import Margin
from app.judging.verdicts import Verdict, Visibility

MOST_IN_FULL = 1e9


class Section(BaseModel):
    # An error may be infinite, which JSON numbers can't express.
    model_config = ConfigDict(frozen=True, ser_json_inf_nan="strings")


class ReferenceRun(Section):
    """A run of the reference: the `order` of the cases, and whether it `agrees` with the expected outputs."""

    order: tuple[str, ...]
    agrees: bool


class ReferenceSection(Section):
    runs: tuple[ReferenceRun, ...]


class KnownResult(Section):
    """A known submission. `decisive` is the case that gave the verdict, None if all cases were accepted."""

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
    name: str
    meaning: str
    tried_on: tuple[str, ...]
    accepted_on: tuple[str, ...]


class TrivialSection(Section):
    answers: tuple[TrivialAnswer, ...]


class KillRow(Section):
    """A wrong submission, with the cases that it failed and passed."""

    name: str
    verdict: Verdict
    failed: tuple[str, ...]
    passed: tuple[str, ...]


class KillCase(Section):
    """A case. `mutants` counts those known to fail here. `only_here`: wrong submissions that fail no other case."""

    name: str
    visibility: Visibility
    submissions: int
    mutants: int
    only_here: tuple[str, ...]


class KillMatrixSection(Section):
    cases: tuple[KillCase, ...]
    rows: tuple[KillRow, ...]


class TimedSolution(Section):
    """A known submission whose times were compared with the reference's."""

    name: str
    times: TimeComparison


class LimitsSection(Section):
    """`timed`: for `efficiency`."""

    wall_seconds: float
    slowest: str
    slowest_case: str
    slowest_seconds: float
    suggested_wall_seconds: float
    memory_mib: int
    largest_memory_mib: int
    suggested_memory_mib: int
    timed: tuple[TimedSolution, ...] = ()


class LintSection(Section):
    rules: tuple[str, ...] = Field(description="the rules that were checked")


Outcome = Literal["killed", "survived", "equivalent", "rounding"]
State = Literal[
    "inside", "narrow", "too_tight", "too_loose", "no_gap", "no_noise", "no_signal", "exact", "not_calibrated"
]
Kind = Literal["reference", "accepted", "wrong", "mutant"]


def share_text(share: float) -> str:
    """Format a share of the tolerance: `3.6 %`, `12 ×`, `49,200 ×`."""
    if share < 1:
        return f"{100 * share:.2g} %"
    if isinf(share):
        return "∞ ×"
    return f"{float(f'{share:.3g}'):,.0f} ×" if 1e3 <= share < MOST_IN_FULL else f"{share:.3g} ×"


def used_text(share: float) -> str:
    return f"{share_text(share)} {'of ' if share < 1 else ''}the tolerance"


class Mutant(Section):
    """A mutant of the reference. `line` is in the reference's file, `diff` is unified, `killed_by` may be incomplete.

    `outcome`: `equivalent` gives the same bits in every run, `rounding` differs from them only by rounding; neither
    counts. `how` is the category of the failure that kills it. `largest` is its largest error as a share of the
    tolerance, if there is one. `suggestion` says what would kill a survivor.
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
    """`mutants` is the sample that ran, of `possible` ones. `strength` is the share of killed ones that count."""

    possible: int
    mutants: tuple[Mutant, ...]
    strength: float | None

    def having(self, outcome: Outcome) -> tuple[Mutant, ...]:
        return tuple(mutant for mutant in self.mutants if mutant.outcome == outcome)


class MeasuredError(Section):
    """The largest error of an answer: `value` is its share of the tolerance, so that 1.0 is the limit.

    `case` is where it occurs. `absolute` and `relative` are the largest errors of elements there.
    """

    kind: Kind
    label: str
    case: str
    value: float
    absolute: float | None = None
    relative: float | None = None


class CalibratedLeaf(Section):
    """The noise of right answers and the signal of wrong ones, at the leaves that match `path` and share a tolerance.

    The tolerance, with `value` 1, should lie between the two. `signal` has the wrong answers whose largest error is
    here.
    """

    path: str
    checker: str
    tolerance: Margin | None
    noise: tuple[MeasuredError, ...]
    signal: tuple[MeasuredError, ...]
    suggestion: Margin | None
    state: State

    @property
    def largest_noise(self) -> float | None:
        return max((measured.value for measured in self.noise), default=None)

    @property
    def smallest_signal(self) -> float | None:
        return min((measured.value for measured in self.signal), default=None)


class Way(Section):
    """Another way to compute the reference: on how many cases it ran, and why it left some out."""

    name: str
    meaning: str
    cases: int
    left_out: str = ""


class CalibrationSection(Section):
    """`without_number` counts the wrong answers that no tolerance accepts, such as those of another shape."""

    leaves: tuple[CalibratedLeaf, ...]
    ways: tuple[Way, ...] = ()
    without_number: int = 0
