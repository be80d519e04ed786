"""How a submission's times are compared with the reference's."""

import pytest

from app.judging.efficiency import CasePair, Efficiency, TimeComparison, compare_times, exponent


def compared(
    own: dict[int, float],
    reference: dict[int, float],
    max_time_ratio: float = 3,
    max_growth: float | None = None,
) -> TimeComparison:
    measured = {size: [CasePair(f"n_{size}", own[size], reference[size])] for size in own}
    return compare_times(Efficiency(max_time_ratio=max_time_ratio, max_growth=max_growth), measured)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ({1000: 0.01, 2000: 0.02}, 1.0),
        ({1000: 0.01, 2000: 0.04, 4000: 0.16}, 2.0),
        ({100: 0.5, 10_000: 0.5}, 0.0),
        ({1000: 0.02, 4000: 0.04}, 0.5),
        ({1000: 0.1}, None),
    ],
)
def test_the_exponent_is_that_of_the_power(seconds: dict[int, float], expected: float | None) -> None:
    assert exponent(seconds) == expected


def test_only_the_largest_size_decides_on_the_ratio() -> None:
    slow_when_small = compared({1000: 1.0, 4000: 0.05}, {1000: 0.01, 4000: 0.02})
    slow_when_large = compared({1000: 0.01, 4000: 0.25}, {1000: 0.01, 4000: 0.02})

    assert slow_when_small.is_met
    assert not slow_when_large.is_met
    assert slow_when_large.sentence == "12 times the reference's time at n = 4,000 (allowed: 3 times)"


def test_the_case_with_the_largest_ratio_counts_for_its_size() -> None:
    quick, slow = CasePair("quick", 0.02, 0.02), CasePair("slow", 0.5, 0.04)

    found = compare_times(Efficiency(max_time_ratio=3), {4000: [quick, slow]})

    assert not found.is_met
    assert (found.ratio, found.slow_cases) == (12.0, ("slow",))
    (time,) = found.times
    assert (time.seconds, time.reference_seconds) == (0.5, 0.04)
    assert [(row.name, row.ratio) for row in time.rows] == [("slow", 12.0), ("quick", 1.0)]


def test_the_growth_is_that_of_the_cases_with_the_largest_ratio() -> None:
    measured = {
        1000: [CasePair("a", 0.01, 0.01), CasePair("b", 0.02, 0.01)],
        4000: [CasePair("c", 0.04, 0.04), CasePair("d", 0.32, 0.04)],
    }

    assert compare_times(Efficiency(max_time_ratio=9, max_growth=1.5), measured).growth == 2.0


def test_the_verdict_follows_from_the_numbers_that_are_shown() -> None:
    just = compared({10: 3.04}, {10: 1.0})
    over = compared({10: 3.06}, {10: 1.0})

    assert (just.ratio, just.is_met) == (3.0, True)
    assert (over.ratio, over.is_met) == (3.1, False)


def test_a_growth_beyond_the_limit_is_named_with_the_references() -> None:
    quadratic = compared({1000: 0.01, 4000: 0.16}, {1000: 0.01, 4000: 0.04}, 1000, 1.5)

    assert not quadratic.is_met
    assert quadratic.sentence == "the time grows like n^2.0 (allowed: n^1.5; the reference's: n^1.0)"


def test_the_references_own_growth_counts_if_it_is_larger_than_allowed() -> None:
    both = compared({1000: 0.01, 4000: 0.16}, {1000: 0.01, 4000: 0.16}, 1000, 1.5)

    assert both.is_met


def test_times_that_students_see_have_two_digits() -> None:
    (time,) = compared({7: 0.123456}, {7: 0.0098765}).times

    assert (time.seconds, time.reference_seconds) == (0.12, 0.0099)


@pytest.mark.parametrize(("seconds", "has_room"), [(1.5, True), (1.7, False)])
def test_half_of_the_allowed_ratio_is_room_enough(seconds: float, has_room: bool) -> None:
    assert compared({10: seconds}, {10: 1.0}).has_room is has_room
