"""Spares: student processes that wait for their source, and may have made library calls already."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.interface import MIB, Box, BoxSpec, Ending, Launcher, Request, Setup, setup_of
from sandbox.library_cache import fill_cache
from sandbox.pool import Pool
from sandbox.runtime import find_runtime
from tests.sandbox.bench import RUNTIME, make_request, run_in, value_of
from tests.sandbox.conftest import ONE_QUICKLY

BARE, JAX = BoxSpec(()), BoxSpec(("jax",))
NEVER = threading.Event()
COUNTED = make_request("def solve():\n    return 1\n", problem="counted")
X = {"x": np.arange(12, dtype=np.float32).reshape(3, 4)}
# What students' solutions call too, and names, a number and texts that are the reference's own.
REFERENCE = """
    import jax
    import jax.numpy as jnp

    PRIVATE_TEXT = "the quick brown reference"

    @jax.jit
    def private_step(x):
        return x * 3.140625 + 1

    def solve(x):
        total = jnp.sum(jnp.tanh(x) @ x.T, axis=0)
        return jax.nn.softmax(total) + private_step(total)
"""
# Counts what XLA compiles while it answers.
COUNTING = """
    import jax
    import jax.numpy as jnp
    from jax._src import compiler

    names = []
    compile_program = compiler.backend_compile_and_load

    def counting(backend, module, *rest, **named):
        names.append(str(module.operation.attributes["sym_name"]))
        return compile_program(backend, module, *rest, **named)

    compiler.backend_compile_and_load = counting

    def solve(x):
        answer = jax.nn.softmax(jnp.sum(jnp.tanh(x) @ x.T, axis=0))
        return {"answer": answer, "compiled": len(names)}
"""
# Goes over all that Python can reach in the process, and looks for halves that its own text does not hold together.
LOOKING = """
    import gc
    import sys

    HALVES = [("private", "_step"), ("quick ", "brown"), ("3.14", "0625"), ("PRIVATE", "_TEXT")]

    def texts():
        met, waiting = set(), [*gc.get_objects(), *map(vars, sys.modules.values())]
        frame = sys._getframe()
        while frame is not None:
            waiting.append(frame.f_locals)
            frame = frame.f_back
        while waiting:
            item = waiting.pop()
            if id(item) in met:
                continue
            met.add(id(item))
            if isinstance(item, (str, bytes, bytearray)):
                yield item if isinstance(item, str) else bytes(item).decode("latin-1")
            else:
                waiting.extend(gc.get_referents(item))

    def solve(x):
        found = set()
        for text in texts():
            found |= {left + "|" + right for left, right in HALVES if left + right in text}
        return sorted(found)
"""


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


class TestWithLibraryCalls:
    @pytest.fixture(scope="class")
    def filled(self, tmp_path_factory: pytest.TempPathFactory) -> tuple[Launcher, tuple[bytes, ...]]:
        """A launcher with a cache, and the library calls of the reference."""
        cache: Path = tmp_path_factory.mktemp("spares") / "cache"
        cache.mkdir()
        launcher = BubblewrapLauncher(runtime=find_runtime(RUNTIME), cache=cache)
        reference = make_request(REFERENCE, X, kind="jax")
        filled = fill_cache(launcher, JAX, reference, NEVER)
        assert filled is not None
        return launcher, tuple(sorted(filled.calls))

    def answer(self, launcher: Launcher, request: Request, calls: tuple[bytes, ...]) -> Any:
        with closing(launcher.launch(JAX)) as box:
            box.prepare(setup_for(request, library_calls=calls), NEVER)
            outcome = run_in(box, request)
            assert box.is_usable()
        return value_of(outcome.cases[0])

    def test_nothing_of_the_library_is_compiled_again(self, filled: tuple[Launcher, tuple[bytes, ...]]) -> None:
        request = make_request(COUNTING, X, kind="jax")
        plain = BubblewrapLauncher(runtime=find_runtime(RUNTIME))

        cold, warm = self.answer(plain, request, ()), self.answer(*filled[:1], request, filled[1])

        assert int(cold["compiled"]) >= 4
        assert int(warm["compiled"]) == 0
        assert np.array_equal(cold["answer"], warm["answer"])

    def test_nothing_of_the_reference_can_be_read_out_of_it(self, filled: tuple[Launcher, tuple[bytes, ...]]) -> None:
        launcher, calls = filled
        assert calls
        assert not [call for call in calls if b"private" in call or b"brown" in call]

        assert self.answer(launcher, make_request(LOOKING, X, kind="jax"), calls) == []

    def test_memory_of_calls_made_ahead_is_not_charged_to_the_source(
        self, filled: tuple[Launcher, tuple[bytes, ...]]
    ) -> None:
        request = make_request("import jax\ndef solve(x):\n    return x\n", X, kind="jax")
        with closing(filled[0].launch(JAX)) as box:
            box.prepare(setup_for(request, library_calls=filled[1]), NEVER)
            outcome = run_in(box, request)

        assert outcome.cases[0].memory_bytes < 16 * MIB

    def test_damaged_calls_are_left_out(self, filled: tuple[Launcher, tuple[bytes, ...]]) -> None:
        launcher, calls = filled
        request = make_request("def solve(x):\n    return x\n", X, kind="jax")

        assert np.array_equal(self.answer(launcher, request, (b"", b"nonsense", calls[0][:-3])), X["x"])
