"""The timeline of an assignment: what a hand-in earns by its time, with and without extensions."""

from datetime import UTC, datetime, timedelta

import pytest

from app.courses.deadlines import Window, find_window
from app.courses.model import Assignment, Extension

DUE = datetime(2026, 11, 2, 12, tzinfo=UTC)
HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)
STEPS = [{"hours": 24, "percent": 80}, {"hours": 48, "percent": 50}]


def homework(hours_late: int = 72, grace: int = 60) -> Assignment:
    dates = {"opens_at": DUE - 7 * 24 * HOUR, "due_at": DUE, "closes_at": DUE + hours_late * HOUR}
    return Assignment(**dates, grace_seconds=grace, late_steps=STEPS if hours_late else [], attempts=3)


def window(*extensions: Extension, hours_late: int = 72) -> Window:
    return find_window(homework(hours_late), extensions)


@pytest.mark.parametrize(
    ("late", "percent"),
    [
        (-8 * 24 * HOUR, None),
        (-7 * 24 * HOUR, 100),
        (timedelta(0), 100),
        (60 * SECOND, 100),
        (61 * SECOND, 80),
        (24 * HOUR + 60 * SECOND, 80),
        (24 * HOUR + 61 * SECOND, 50),
        (48 * HOUR + 61 * SECOND, 50),
        (72 * HOUR + 60 * SECOND, 50),
        (72 * HOUR + 61 * SECOND, None),
    ],
)
def test_the_credit_falls_by_steps_and_the_last_holds_until_the_close(late: timedelta, percent: int | None) -> None:
    assert window().credit(DUE + late) == percent


def test_without_late_work_the_due_date_closes() -> None:
    strict = window(hours_late=0)

    assert (strict.credit(DUE + 60 * SECOND), strict.credit(DUE + 61 * SECOND)) == (100, None)


def test_an_extension_moves_the_steps_and_never_closes_before_it_is_due() -> None:
    later = window(Extension(due_at=DUE + 96 * HOUR, extra_attempts=1, extra_minutes=0))

    assert later.closes_at == DUE + 96 * HOUR
    assert later.credit(DUE + 96 * HOUR) == 100
    assert later.attempts == 4


def test_of_two_extensions_the_later_dates_hold() -> None:
    section = Extension(due_at=DUE + 10 * HOUR, closes_at=DUE + 100 * HOUR, extra_attempts=0, extra_minutes=0)
    person = Extension(due_at=DUE + 20 * HOUR, opens_at=DUE - 300 * HOUR, extra_attempts=2, extra_minutes=0)

    both = window(section, person)

    assert (both.opens_at, both.due_at, both.closes_at) == (DUE - 300 * HOUR, DUE + 20 * HOUR, DUE + 100 * HOUR)
    assert both.attempts == 5


def test_an_earlier_date_takes_nothing_away() -> None:
    assert window(Extension(due_at=DUE - 24 * HOUR, extra_attempts=0, extra_minutes=0)).due_at == DUE
