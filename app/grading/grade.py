"""The grade of a student: pure rules, from the shares of what was handed in to the total of the course.

A grade is computed at every look and stored nowhere. So an extension, a corrected date, an adjustment or an applied
rejudging changes each grade that it should, at once, and nothing else. Numbers are exact until they are shown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from typing import TypeVar
from uuid import UUID

from app.courses.model import Assignment
from app.grading.model import Adjustment

# A share of 100 % with a credit of 100 %.
WHOLE = 10_000
CENT = Decimal("0.01")
ZERO = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What a student's hand-ins of one problem come to. `share`: score times credit of what counts, of WHOLE.

    `share` is None if nothing counts yet. `has_draft`: one stood in the editor at the end of an exam. `is_open`: one is
    not judged, or the judge failed.
    """

    share: int | None
    hand_ins: int
    has_draft: bool
    is_open: bool


NOTHING = Share(share=None, hand_ins=0, has_draft=False, is_open=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartGrade:
    """The points of a problem. `points` is None while nothing counts and the student may still hand in."""

    problem_id: UUID
    points: Decimal | None
    most: Decimal
    hand_ins: int
    has_draft: bool
    is_provisional: bool
    is_excused: bool
    adjustment: Adjustment | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """The points of an assignment. An excused one does not count in the total."""

    assignment: Assignment
    points: Decimal | None
    most: Decimal
    is_provisional: bool
    is_excused: bool
    parts: tuple[PartGrade, ...]
    adjustment: Adjustment | None

    @property
    def shown(self) -> str:
        return "excused" if self.is_excused else show_points(self.points)

    @property
    def percent(self) -> Decimal | None:
        """None if it does not count in the total."""
        if self.points is None or self.is_excused or not self.most:
            return None
        return self.points / self.most * 100


Graded = TypeVar("Graded", Grade, PartGrade)


def grade_assignment(
    assignment: Assignment,
    shares: Mapping[UUID, Share],
    adjustments: Mapping[UUID | None, Adjustment],
    *,
    is_closed: bool,
) -> Grade:
    """`shares` and `adjustments` by problem; the adjustment of the whole assignment is that of None."""
    parts = tuple(
        _grade_part(
            assignment, place, shares.get(each.problem_id, NOTHING), adjustments.get(each.problem_id), is_closed
        )
        for each in assignment.problems
        for place in [(each.problem_id, each.points)]
    )
    counted = [part for part in parts if not part.is_excused]
    known = [part.points for part in counted if part.points is not None]
    grade = Grade(
        assignment=assignment,
        points=sum(known, ZERO) if known else None,
        most=sum((part.most for part in counted), ZERO),
        is_provisional=any(part.is_provisional for part in counted),
        is_excused=not counted,
        parts=parts,
        adjustment=adjustments.get(None),
    )
    return _adjust(grade, grade.adjustment)


def _grade_part(
    assignment: Assignment, place: tuple[UUID, Decimal], share: Share, adjustment: Adjustment | None, is_closed: bool
) -> PartGrade:
    problem_id, most = place
    points = None if share.share is None else most * share.share / WHOLE
    if points is None and is_closed and not share.is_open:
        points = ZERO
    is_final = assignment.counts == "best" and share.share == WHOLE
    part = PartGrade(
        problem_id=problem_id,
        points=points,
        most=most,
        hand_ins=share.hand_ins,
        has_draft=share.has_draft,
        is_provisional=share.is_open and not is_final,
        is_excused=False,
        adjustment=adjustment,
    )
    return _adjust(part, adjustment)


def _adjust(graded: Graded, adjustment: Adjustment | None) -> Graded:
    if adjustment is None or adjustment.kind == "submission":  # the share is that of the chosen submission
        return graded
    if adjustment.kind == "excused":
        return replace(graded, is_excused=True, is_provisional=False)
    if adjustment.kind == "add":
        return replace(graded, points=(graded.points or ZERO) + (adjustment.points or ZERO))
    return replace(graded, points=adjustment.points or ZERO, is_provisional=False)


def compute_total(grades: Sequence[Grade], drop_lowest: int) -> Decimal | None:
    """Return the weighted mean of the percents, without the lowest ones; None if nothing counts yet."""
    counted = [(grade.percent, grade.assignment.weight) for grade in grades if grade.assignment.weight]
    known = sorted((percent, weight) for percent, weight in counted if percent is not None)
    kept = known[min(drop_lowest, max(0, len(known) - 1)) :]
    weights = sum((weight for _, weight in kept), ZERO)
    return sum((percent * weight for percent, weight in kept), ZERO) / weights if weights else None


def show_points(points: Decimal | None) -> str:
    """Return the points with 2 decimals, half up, and a dash for none."""
    return "–" if points is None else f"{points.quantize(CENT, ROUND_HALF_UP):f}"
