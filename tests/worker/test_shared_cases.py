"""Two processes of a submission share its cases: each takes another when it is free."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from app.engine.parallel_runs import SharedCases
from app.engine.prepare import PreparedCase
from sandbox.guest.codec import decode
from tests.worker.bench import STANDARDISE, changed
from tests.worker.cases import sized

NUMPY = STANDARDISE.manifest
JAX = changed("frameworks: [numpy]", "frameworks: [jax]").manifest


def cases_of(*sizes: int) -> list[PreparedCase]:
    return [sized(position, size) for position, size in enumerate(sizes)]


def run(
    shared: SharedCases, cases: Sequence[PreparedCase], seconds: Callable[[int, bool], float]
) -> tuple[list[list[int]], float]:
    """Let both processes run. Returns the positions of each one's calls, and when the last one ended.

    `seconds`: of a call, from the size of its input and whether this process meets that size for the first time.
    """
    named = {case.name: case for case in cases}
    queues = [shared.first, shared.second]
    calls: list[list[int]] = [[], []]
    met: list[set[int]] = [set(), set()]
    times, ended = [0.0, 0.0], [False, False]
    while not all(ended):
        process = min((each for each in (0, 1) if not ended[each]), key=lambda each: times[each])
        given = queues[process].take()
        if given is None:
            ended[process] = True
            assert len(queues[process]) == 0
            continue
        case = named[given.name]
        x: Any = decode(case.expected)
        size = len(x)
        taken = seconds(size, size not in met[process])
        met[process].add(size)
        calls[process].append(case.position)
        times[process] += taken
    return calls, max(times)


def test_each_case_runs_once_and_the_drawn_one_first_in_the_second_process_too() -> None:
    for manifest in (NUMPY, JAX):
        for sizes in ((2, 2), (2, 3), (2, 2, 2), (2, 3, 4, 2, 3, 4), tuple(range(2, 12))):
            cases = cases_of(*sizes)
            for drawn in cases[1:]:
                shared = SharedCases(cases, manifest, drawn)
                (first, second), _ = run(shared, cases, lambda _, is_new: 1.0 if is_new else 0.1)
                assert first[0] == 0
                assert second[0] == drawn.position
                assert drawn.position in first
                assert Counter(first + second[1:]) == Counter(range(len(cases)))
                assert not shared.left


def test_nothing_runs_first_in_the_second_process_if_no_case_was_drawn() -> None:
    cases = cases_of(2, 2, 2, 2)

    (first, second), end = run(SharedCases(cases, NUMPY, None), cases, lambda _, __: 1.0)

    assert sorted(first + second) == [0, 1, 2, 3]
    assert end == 2


def test_without_jax_both_end_at_about_the_same_time() -> None:
    """One case takes as long as five others: a split in halves would end after nine or more."""
    cases = cases_of(9, *[2] * 8)

    _, end = run(SharedCases(cases, NUMPY, cases[1]), cases, lambda size, _: 5.0 if size == 9 else 1.0)

    assert end <= 8


def test_where_compiling_is_all_no_process_compiles_without_need() -> None:
    """Each process compiles for two of three shapes: the second run needs one of them twice."""
    cases = cases_of(2, 3, 4, 2, 3, 4, 2, 3, 4)

    _, end = run(SharedCases(cases, JAX, cases[4]), cases, lambda _, is_new: 1.0 if is_new else 0.01)

    assert round(end) == 2


def test_where_each_case_compiles_the_other_process_helps_with_its_shapes() -> None:
    cases = cases_of(2, *[3] * 9)

    _, end = run(SharedCases(cases, JAX, cases[1]), cases, lambda _, is_new: 1.2 if is_new else 1.0)
    alone = 1.2 + 1.2 + 8

    assert end < 0.65 * alone


def test_a_shape_that_the_other_process_has_compiled_is_left_to_it_where_its_cases_are_quick() -> None:
    cases = cases_of(3, 3, 3, 3, 3, 2)

    (_, second), _ = run(SharedCases(cases, JAX, cases[5]), cases, lambda _, is_new: 1.0 if is_new else 0.01)

    assert second == [5]


def test_no_process_gets_another_case_once_it_is_over() -> None:
    cases = cases_of(2, 2, 2, 2)
    is_over: list[bool] = []
    shared = SharedCases(cases, NUMPY, cases[1], lambda: bool(is_over))
    first, second = shared.first, shared.second

    assert first.take() is not None
    assert second.take() is not None
    is_over.append(True)

    assert first.take() is None
    assert second.take() is None
    assert shared.left == cases[1:]
