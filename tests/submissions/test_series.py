"""Long series of cases are folded."""

from app.web.result import fold


def grouped(*cases: tuple[str, str]) -> list[list[str]]:
    return [[name for name, _ in group] for group in fold(cases, lambda case: case[0], lambda case: case[1])]


def test_what_came_out_alike_of_a_long_series_is_one() -> None:
    series = [(f"random_{k}", "accepted") for k in range(1, 13)]

    groups = grouped(("zero", "accepted"), *series, ("large", "accepted"))

    assert groups == [["zero"], [name for name, _ in series], ["large"]]


def test_what_differs_stands_apart_where_its_first_one_stood() -> None:
    outcomes = ["accepted", "wrong_answer", *["accepted"] * 9, "wrong_answer"]
    series = [(f"random_{k}", outcome) for k, outcome in enumerate(outcomes, 1)]

    right, wrong = grouped(*series)

    assert right[:2] == ["random_1", "random_3"]
    assert wrong == ["random_2", "random_12"]


def test_a_short_series_is_read_case_by_case() -> None:
    groups = grouped(*((f"size_{k}", "accepted") for k in range(9)))

    assert len(groups) == 9
