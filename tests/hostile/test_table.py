from tests.hostile.conftest import table
from tests.hostile.mechanism import FILES, read_mechanism


def record(group: str, *, passed: bool = True, launcher: str = "one", **more: object) -> dict[str, object]:
    return {"group": group, "passed": passed, "launcher": launcher, **more}


def test_the_table_counts_what_was_contained_by_group_and_launcher() -> None:
    records = [record("forging"), record("forging", passed=False), record("answers"), record("answers", launcher="two")]

    assert table(records)[1:4] == [
        "answers         1/1  1/1",
        "forging         1/2  0/0",
        "all             2/3  1/1",
    ]


def test_the_table_names_the_canary_that_took_longest_for_its_problem() -> None:
    times = [("p", "a", 1.0), ("p", "b", 1.0), ("p", "c", 3.0), ("q", "d", 8.0), ("q", "e", 8.0)]
    records = [record("forging", problem=problem, name=name, seconds=seconds) for problem, name, seconds in times]

    assert table(records)[-1] == "slowest canary  3.0 × median, after c"


def test_every_file_says_what_it_tries_and_what_it_must_get() -> None:
    mechanisms = [read_mechanism(file) for file in FILES]

    assert len({mechanism.name for mechanism in mechanisms}) == len(mechanisms), "names are unique in the table"
