"""How sharply the cases and the tolerance of a problem tell right from wrong."""

from math import isinf
from typing import Literal

from app.catalog.verification.section import Section
from app.judging.options import Margin

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
