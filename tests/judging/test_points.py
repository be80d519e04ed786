"""Points: a part counts if all of its cases are accepted."""

from app.judging.verdicts import Verdict, score_by_points

POINTS = {"forward": 60, "backward": 40}
PART_OF = {"a": "forward", "b": "forward", "c": "backward"}
RIGHT, WRONG = Verdict.ACCEPTED, Verdict.WRONG_ANSWER


def test_all_parts_give_all_points() -> None:
    assert score_by_points(POINTS, PART_OF, dict.fromkeys("abc", RIGHT)) == 100


def test_one_wrong_case_costs_the_points_of_its_part_only() -> None:
    assert score_by_points(POINTS, PART_OF, {"a": RIGHT, "b": WRONG, "c": RIGHT}) == 40


def test_a_part_that_was_not_judged_earns_nothing() -> None:
    assert score_by_points(POINTS, PART_OF, {"a": RIGHT}) == 60
