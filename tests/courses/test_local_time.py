"""Local times around the hours in which the clocks of Berlin change."""

from datetime import UTC, datetime

import pytest

from app.courses.local_time import HappensTwice, move_by_weeks, read_local, show_local, write_fold, write_local
from app.errors import Invalid

BERLIN = "Europe/Berlin"


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type, misc]


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-07-01T12:00", utc(2026, 7, 1, 10)),
        ("2026-12-01 12:00", utc(2026, 12, 1, 11)),
        ("2026-12-01T12:00+05:30", utc(2026, 12, 1, 6, 30)),
        ("2026-10-25T01:59", utc(2026, 10, 24, 23, 59)),
        ("2026-10-25T03:00", utc(2026, 10, 25, 2)),
    ],
)
def test_a_local_time_is_that_of_the_zone_at_that_date(text: str, moment: datetime) -> None:
    assert read_local("due_at", text, BERLIN) == moment


def test_an_empty_field_is_no_time() -> None:
    assert read_local("due_at", "", BERLIN) is None


def test_a_time_that_happens_twice_is_asked_about() -> None:
    with pytest.raises(HappensTwice, match=r"2026-10-25 02:30 happens twice") as asked:
        read_local("due_at", "2026-10-25T02:30", BERLIN)

    first, second = (read_local("due_at", "2026-10-25T02:30", BERLIN, offset) for offset in asked.value.offsets)
    assert (first, second) == (utc(2026, 10, 25, 0, 30), utc(2026, 10, 25, 1, 30))


@pytest.mark.parametrize("moment", [utc(2026, 10, 25, 0, 30), utc(2026, 10, 25, 1, 30), utc(2026, 7, 1)])
def test_a_field_that_is_sent_back_means_the_same_moment(moment: datetime) -> None:
    assert read_local("due_at", write_local(moment, BERLIN), BERLIN, write_fold(moment, BERLIN)) == moment


def test_a_time_that_does_not_exist_is_refused_with_the_next_one() -> None:
    with pytest.raises(Invalid, match=r"2026-03-29 02:30 does not exist in Europe/Berlin.* Choose 2026-03-29 03:30"):
        read_local("due_at", "2026-03-29T02:30", BERLIN)


def test_what_is_no_time_is_refused() -> None:
    with pytest.raises(Invalid, match="'tomorrow' is not a time"):
        read_local("due_at", "tomorrow", BERLIN)


@pytest.mark.parametrize("text", ["0001-01-01T00:00", "9999-12-31T23:59"])
def test_a_time_that_another_zone_does_not_have_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="not in the years 1900 to 2999"):
        read_local("due_at", text, BERLIN)


def test_weeks_are_weeks_of_local_time() -> None:
    summer = utc(2026, 9, 7, 21, 59)  # Monday 23:59 in Berlin

    winter = move_by_weeks(summer, 10, BERLIN)

    assert show_local(summer, BERLIN) == "Mon 2026-09-07 23:59 CEST"
    assert show_local(winter, BERLIN) == "Mon 2026-11-16 23:59 CET"
    assert winter == utc(2026, 11, 16, 22, 59)


def test_a_moved_time_that_does_not_exist_becomes_the_one_that_the_clocks_show() -> None:
    moved = move_by_weeks(utc(2026, 3, 22, 1, 30), 1, BERLIN)

    assert show_local(moved, BERLIN) == "Sun 2026-03-29 03:30 CEST"
