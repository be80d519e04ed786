import pytest

from app.judging.verdicts import Verdict, overall, score, score_by_points

ACCEPTED, WRONG, SLOW, OURS = (
    Verdict.ACCEPTED,
    Verdict.WRONG_ANSWER,
    Verdict.TIME_LIMIT_EXCEEDED,
    Verdict.JUDGE_ERROR,
)


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([ACCEPTED, ACCEPTED], ACCEPTED),
        ([ACCEPTED, SLOW, WRONG], SLOW),
        ([WRONG, SLOW, OURS], OURS),
        ([], OURS),
    ],
)
def test_the_first_case_that_is_not_accepted_decides_and_our_fault_before_all(
    verdicts: list[Verdict], expected: Verdict
) -> None:
    assert overall(verdicts) is expected


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [([ACCEPTED] * 3, 100), ([ACCEPTED] * 999 + [WRONG], 99), ([ACCEPTED, WRONG, SLOW], 33), ([WRONG], 0), ([], 0)],
)
def test_the_score_is_the_share_of_accepted_cases_and_100_only_for_all(verdicts: list[Verdict], expected: int) -> None:
    assert score(verdicts) == expected


# A part counts if all of its cases are accepted.
POINTS = {"forward": 60, "backward": 40}
PART_OF = {"a": "forward", "b": "forward", "c": "backward"}


@pytest.mark.parametrize(
    ("verdicts", "points"),
    [
        (dict.fromkeys("abc", ACCEPTED), 100),
        ({"a": ACCEPTED, "b": WRONG, "c": ACCEPTED}, 40),
        ({"a": ACCEPTED}, 60),
    ],
)
def test_a_part_that_was_judged_gives_its_points_if_none_of_its_cases_is_wrong(
    verdicts: dict[str, Verdict], points: int
) -> None:
    assert score_by_points(POINTS, PART_OF, verdicts) == points
