import pytest

from app.judging.verdicts import Verdict, overall, score

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
