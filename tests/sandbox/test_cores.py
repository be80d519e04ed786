import os

from sandbox.environment import Cores


def test_boxes_are_spread_over_the_cores() -> None:
    cores, available = Cores(), os.sched_getaffinity(0)

    taken = [cores.take(1) for _ in available]

    assert {core for one in taken for core in one} == available


def test_a_core_that_was_given_back_is_taken_first() -> None:
    cores, available = Cores(), os.sched_getaffinity(0)
    taken = [cores.take(1) for _ in available]

    cores.give_back(taken[-1])

    assert cores.take(1) == taken[-1]


def test_no_box_gets_more_cores_than_there_are() -> None:
    assert set(Cores().take(10_000)) == os.sched_getaffinity(0)
