"""Spares: student processes that wait for their source, and may have made library calls already."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from sandbox.interface import MIB, Box, BoxSpec, Ending, Launcher, Request, Setup, setup_of
from sandbox.pool import Pool
from tests.sandbox.bench import make_request, run_in, value_of
from tests.sandbox.conftest import ONE_QUICKLY

BARE, JAX = BoxSpec(()), BoxSpec(("jax",))
NEVER = threading.Event()
COUNTED = make_request("def solve():\n    return 1\n", problem="counted")


@pytest.fixture
def box(launcher: Launcher) -> Iterator[Box]:
    with closing(launcher.launch(BARE)) as box:
        yield box


@pytest.fixture
def make_pool(launcher: Launcher) -> Iterator[Callable[[int], Pool]]:
    pools: list[Pool] = []

    def make(capacity: int) -> Pool:
        pools.append(Pool(launcher, capacity=capacity, max_runs=100))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


def setup_for(request: Request, **changes: Any) -> Setup:
    return replace(setup_of(request), **changes)


def test_a_spare_answers_once_and_the_next_run_has_a_process_of_its_own(box: Box) -> None:
    kept = make_request("import os\nopen('/tmp/kept', 'x')\ndef solve():\n    return 1\n", problem="counted")

    box.prepare(setup_for(kept), NEVER)
    assert box.spare == setup_for(kept)
    outcomes = [run_in(box, kept) for _ in range(2)]

    assert box.spare is None
    assert box.is_usable()
    assert [value_of(outcome.cases[0]) for outcome in outcomes] == [1, 1]


def test_a_run_of_another_problem_or_with_more_memory_does_not_get_the_spare(box: Box) -> None:
    setup = setup_for(COUNTED)

    for other in (
        replace(COUNTED, problem="other"),
        replace(COUNTED, limits=replace(COUNTED.limits, memory_bytes=MIB)),
    ):
        box.prepare(setup, NEVER)
        assert not setup.fits(other)
        outcome = run_in(box, other)
        assert value_of(outcome.cases[0]) == 1
        assert box.is_usable()


def test_a_spare_holds_its_source_to_the_limits_of_the_request(box: Box) -> None:
    endless = make_request("def solve():\n    while True:\n        pass\n", problem="counted", wall_seconds=0.5)
    greedy = make_request("def solve():\n    return len(bytearray(2**30))\n", problem="counted", memory_bytes=64 * MIB)
    endings = []

    for request in (endless, greedy):
        box.prepare(setup_for(request), NEVER)
        endings.append(run_in(box, request).cases[0].ending)

    assert endings == [Ending.TIMED_OUT, Ending.OUT_OF_MEMORY]


def test_a_spare_whose_wait_is_ended_leaves_a_box_that_is_used_again(box: Box) -> None:
    box.prepare(setup_for(COUNTED), NEVER)
    box.prepare(setup_for(COUNTED, problem="other"), NEVER)

    assert box.is_usable()
    assert value_of(run_in(box, COUNTED).cases[0]) == 1


@ONE_QUICKLY
def test_a_pool_lends_the_spare_of_the_problem_and_else_a_box_without_one(make_pool: Callable[[int], Pool]) -> None:
    pool = make_pool(2)
    with pool.lease(BARE, NEVER), pool.lease(BARE, NEVER):
        pass
    setup = setup_for(COUNTED)
    assert pool.make_spare(BARE, setup, NEVER)

    with pool.lease(BARE, NEVER, "other"):
        assert pool.count_spares(setup) == 1
    with pool.lease(BARE, NEVER, "counted") as box:
        assert pool.count_spares(setup) == 0
        assert value_of(run_in(box, COUNTED).cases[0]) == 1


@ONE_QUICKLY
def test_where_there_is_no_room_the_box_used_longest_ago_gives_way_and_no_lent_one(
    make_pool: Callable[[int], Pool],
) -> None:
    pool = make_pool(1)
    assert pool.make_spare(BARE, setup_for(COUNTED, problem="older"), NEVER)

    assert pool.make_spare(BARE, setup_for(COUNTED), NEVER)
    assert pool.count_spares(setup_for(COUNTED)) == 1
    with pool.lease(BARE, NEVER):
        assert not pool.make_spare(BARE, setup_for(COUNTED), NEVER)
