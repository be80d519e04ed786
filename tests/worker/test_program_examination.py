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


def test_equal_programs_are_shared_equally() -> None:
    tasks = [task(name, 2) for name in "abcd"]

    first, second = share_out(tasks)

    assert (len(first), len(second)) == (2, 2)
    assert sorted(one.signature for one in (*first, *second)) == [b"a", b"b", b"c", b"d"]


def test_a_single_program_has_one_inspector() -> None:
    first, second = share_out([task("only", 3)])

    assert (len(first), len(second)) == (1, 0)
