"""The dates of an assignment for one student, and the credit of a hand-in by its time. Pure functions.

The time of a hand-in is the moment at which all of it had arrived. How long it waited and was judged never matters.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal

from app.courses.model import Assignment, Extension, Sitting

FULL = 100

Phase = Literal["before", "open", "late", "closed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Until `until` (with the grace), a hand-in has `percent` of its points."""

    until: datetime
    percent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """When one student may hand in, and how often each problem; None stands for any number.

    Of an exam, it is when the student may begin. Once begun, it is the time of the sitting. `extra`: added to its end.
    """

    opens_at: datetime
    due_at: datetime
    closes_at: datetime
    grace: timedelta
    steps: tuple[Step, ...]
    attempts: int | None
    extra: timedelta
    is_extended: bool

    def phase(self, at: datetime) -> Phase:
        if at < self.opens_at:
            return "before"
        if at > self.closes_at + self.grace:
            return "closed"
        return "open" if at <= self.due_at + self.grace else "late"

    def credit(self, at: datetime) -> int | None:
        """Return the percent of a hand-in at this time; None if it is before the opening or after the close."""
        if self.phase(at) in ("before", "closed"):
            return None
        return next(step.percent for step in self.steps if at <= step.until + self.grace)


def find_window(assignment: Assignment, extensions: Iterable[Extension] = ()) -> Window:
    """Return the dates for a student to whom these extensions apply."""
    given = tuple(extensions)
    opens_at = min([assignment.opens_at, *(each.opens_at for each in given if each.opens_at)])
    due_at = max([assignment.due_at, *(each.due_at for each in given if each.due_at)])
    closes_at = max([assignment.closes_at, due_at, *(each.closes_at for each in given if each.closes_at)])
    extra = sum(each.extra_attempts for each in given)
    return Window(
        opens_at=opens_at,
        due_at=due_at,
        closes_at=closes_at,
        grace=timedelta(seconds=assignment.grace_seconds),
        steps=_list_steps(assignment.late_steps, due_at, closes_at),
        attempts=None if assignment.attempts is None else assignment.attempts + extra,
        extra=timedelta(minutes=sum(each.extra_minutes for each in given)),
        is_extended=bool(given),
    )


def find_sitting_window(window: Window, sitting: Sitting, minutes: int, time_factor: Decimal) -> Window:
    """Return the dates of a student who has begun an exam with so many minutes. `window`: when the student may begin.

    A student who begins late has less time, but never less of what the factor and extensions add.
    """
    usual = timedelta(minutes=minutes)
    added = usual * float(time_factor - 1) + window.extra
    ends_at = min(sitting.started_at + usual, window.closes_at) + added
    is_ended = sitting.ended_at is not None and sitting.ended_at < ends_at
    ends_at = sitting.ended_at if is_ended and sitting.ended_at else ends_at
    return replace(
        window,
        opens_at=sitting.started_at,
        due_at=ends_at,
        closes_at=ends_at,
        grace=timedelta(0) if is_ended else window.grace,
        steps=(Step(until=ends_at, percent=FULL),),
    )


def _list_steps(late_steps: Sequence[dict[str, int]], due_at: datetime, closes_at: datetime) -> tuple[Step, ...]:
    """The last step holds until the close. Without steps late work has no points."""
    late = [
        Step(until=min(due_at + timedelta(hours=each["hours"]), closes_at), percent=each["percent"])
        for each in late_steps
    ]
    rest = late[-1].percent if late else 0
    return (Step(until=due_at, percent=FULL), *late, Step(until=closes_at, percent=rest))
