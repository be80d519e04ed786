"""While one box is being exhausted, an honest solution in another box of the same pool gets its right verdict."""

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from app.judging.verdicts import Verdict
from sandbox.interface import Launcher
from sandbox.pool import Pool
from tests.hostile.arena import Arena, Remembering, open_arena
from tests.hostile.mechanism import SUBMISSIONS, read_mechanism
from tests.sandbox.conftest import in_turn

GREEDY = (
    "barriers",
    "descriptors_in_flight",
    "endless_output",
    "fork_bomb",
    "inodes",
    "mappings",
    "memory_in_threads",
    "missing_names",
    "page_cache",
    "spinning_threads",
    "timers",
    "tiny_threads",
    "wide_pipes",
)


@pytest.fixture(scope="module")
def arena(launcher: Launcher) -> Iterator[Arena]:
    with closing(Pool(launcher, capacity=2, max_runs=1000)) as pool:
        yield open_arena("standardise", (pool, pool), Remembering(launcher))


@in_turn("name", GREEDY, quick=4)
def test_a_greedy_submission_costs_its_neighbour_no_verdict(arena: Arena, name: str) -> None:
    mechanism = read_mechanism(SUBMISSIONS / "exhausting" / f"{name}.py")
    verdicts: list[Verdict | None] = []
    greedy = threading.Thread(target=lambda: verdicts.append(arena.judge(mechanism.source, mechanism.seconds).verdict))
    greedy.start()

    neighbours = [arena.judge(arena.canary)]
    while greedy.is_alive():
        neighbours.append(arena.judge(arena.canary))

    greedy.join()
    assert verdicts
    assert verdicts[0] in mechanism.verdicts
    assert {judged.verdict for judged in neighbours} == {Verdict.ACCEPTED}, [judged.cases for judged in neighbours]
