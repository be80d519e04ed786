from app.engine.early_runs import share_out
from app.engine.inspector_protocol import RequiredPart, Run, Task

WANTED = RequiredPart("scan", 4, ())


def task(name: str, runs: int, *, is_tried: bool = False) -> Task:
    """A program with this many runs, the first of which is also tried without a step of its loop."""
    tried = [WANTED if is_tried and number == 0 else None for number in range(runs)]
    return Task(
        signature=name.encode(),
        program=b"",
        runs=[Run(f"{name} {number}", b"", leave_out) for number, leave_out in enumerate(tried)],
        wanted=(WANTED,),
    )


def test_a_program_that_is_tried_without_steps_counts_as_three() -> None:
    tried, plain = task("tried", 2, is_tried=True), [task(name, 2) for name in "abc"]

    first, second = share_out([*plain, tried])

    assert first == [tried]
    assert sorted(one.signature for one in second) == [b"a", b"b", b"c"]


def test_a_hundred_runs_count_as_a_program() -> None:
    many, plain = task("many", 100), [task(name, 1) for name in "ab"]

    first, second = share_out([*plain, many])

    assert first == [many]
    assert sorted(one.signature for one in second) == [b"a", b"b"]
