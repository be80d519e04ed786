import os
import signal
import threading
from collections.abc import Callable, Iterator

import pytest

from sandbox import guest_box
from sandbox.interface import MIB, Aborted, BoxSpec, Launcher, SandboxUnavailable
from sandbox.pool import Pool
from tests.sandbox.bench import Recorder, make_request, run_in, value_of
from tests.sandbox.conftest import ONE_QUICKLY
from tests.serving import wait_for

pytestmark = ONE_QUICKLY

BARE, NUMPY = BoxSpec(()), BoxSpec(("numpy",))
HONEST = make_request("def solve():\n    return 1\n")
# Returns the number of files that it found. Its memory and its files take a while to be removed.
LEAVES_MUCH = """
    import os
    def solve():
        found = len(os.listdir("/tmp"))
        for number in range(500):
            open(f"/tmp/{number}", "w").close()
        global kept
        kept = bytearray(os.urandom(2**20)) * 200
        return found
"""
FORGED = make_request("import os\ndef solve():\n    os.write(3, b'x')\n")


@pytest.fixture
def recorder(launcher: Launcher) -> Recorder:
    return Recorder(launcher)


@pytest.fixture
def make_pool(recorder: Recorder) -> Iterator[Callable[..., Pool]]:
    pools: list[Pool] = []

    def make(capacity: int = 2, max_runs: int = 100) -> Pool:
        pools.append(Pool(recorder, capacity=capacity, max_runs=max_runs))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


def use(pool: Pool, spec: BoxSpec = BARE, runs: int = 1) -> None:
    with pool.lease(spec, threading.Event()) as box:
        for _ in range(runs):
            assert value_of(run_in(box, HONEST).cases[0]) == 1


def test_a_box_is_used_again(make_pool: Callable[..., Pool], recorder: Recorder) -> None:
    pool = make_pool()

    use(pool)
    use(pool, runs=2)

    assert len(recorder.launched) == 1


def test_a_box_that_may_run_once_is_never_used_again(make_pool: Callable[..., Pool], recorder: Recorder) -> None:
    pool = make_pool(max_runs=1)

    use(pool, runs=3)

    assert len(recorder.launched) >= 3
    assert not any(box.is_usable() for box in recorder.launched[:2])


def test_a_box_that_did_not_end_clean_is_exchanged_within_the_lease(
    make_pool: Callable[..., Pool], recorder: Recorder
) -> None:
    pool = make_pool()

    with pool.lease(BARE, threading.Event()) as box:
        run_in(box, FORGED)
        after = run_in(box, HONEST)

    assert value_of(after.cases[0]) == 1
    assert not recorder.launched[0].is_usable()


def test_a_box_that_was_lost_before_its_first_run_is_exchanged(
    make_pool: Callable[..., Pool], recorder: Recorder
) -> None:
    pool = make_pool()

    with pool.lease(BARE, threading.Event()) as box:
        recorder.launched[0].close()
        assert value_of(run_in(box, HONEST).cases[0]) == 1

    assert len(recorder.launched) == 2


def test_a_box_is_lent_again_when_nothing_of_its_last_run_is_left(
    make_pool: Callable[..., Pool], recorder: Recorder
) -> None:
    pool = make_pool()

    for number in range(3):
        with pool.lease(BARE, threading.Event()) as box:
            run = run_in(box, make_request(LEAVES_MUCH, memory_bytes=512 * MIB))
            assert value_of(run.cases[0]) == 0, number

    assert len(recorder.launched) == 1


def test_closing_the_pool_does_not_wait_for_a_box_that_does_not_become_empty(
    make_pool: Callable[..., Pool], recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guest_box, "EMPTYING_SECONDS", 600)  # longer than a test may take
    pool = make_pool()
    with pool.lease(BARE, threading.Event()) as box:
        first = recorder.launched[0].vessel.pid
        box.run(HONEST, lambda _: os.kill(first, signal.SIGSTOP), threading.Event())

    pool.close()

    assert not recorder.launched[0].vessel.is_alive()


def test_a_host_without_a_thread_for_the_start_of_a_box_keeps_no_later_lease_waiting(
    make_pool: Callable[..., Pool],
) -> None:
    pool = make_pool()
    before = threading.stack_size(2**46)  # more than a process can have
    try:
        pool.warm(BARE)
    finally:
        threading.stack_size(before)

    assert pool.count().starting == 0
    use(pool)


def test_a_box_that_died_idle_is_not_lent(make_pool: Callable[..., Pool], recorder: Recorder) -> None:
    pool = make_pool()
    use(pool)

    recorder.launched[0].vessel.destroy()
    use(pool)

    assert len(recorder.launched) == 2


def test_at_capacity_the_box_used_longest_ago_makes_room(make_pool: Callable[..., Pool], recorder: Recorder) -> None:
    pool = make_pool(capacity=1)

    use(pool, BARE)
    use(pool, NUMPY)

    assert [box.is_usable() for box in recorder.launched] == [False, True]


def test_a_lease_waits_while_all_boxes_are_lent(make_pool: Callable[..., Pool], recorder: Recorder) -> None:
    pool = make_pool(capacity=1)
    waiting = threading.Thread(target=use, args=(pool,))

    with pool.lease(BARE, threading.Event()):
        waiting.start()
        waiting.join(0.5)
        assert waiting.is_alive()
    waiting.join(20)

    assert not waiting.is_alive()
    assert len(recorder.launched) == 1


def test_an_abort_ends_the_wait_for_a_box(make_pool: Callable[..., Pool]) -> None:
    pool, abort = make_pool(capacity=1), threading.Event()

    with pool.lease(BARE, threading.Event()):
        threading.Timer(0.2, abort.set).start()
        with pytest.raises(Aborted), pool.lease(BARE, abort):
            pass


def test_an_abort_between_two_runs_leaves_the_room_to_others(make_pool: Callable[..., Pool]) -> None:
    pool, abort = make_pool(capacity=1, max_runs=1), threading.Event()

    with pool.lease(BARE, abort) as box:
        run_in(box, HONEST)
        abort.set()
        with pytest.raises(Aborted):
            run_in(box, HONEST)

    with pool.lease(BARE, threading.Event()), pytest.raises(Aborted), pool.lease(NUMPY, abort):
        pass
    use(pool, NUMPY)


def test_an_aborted_lease_starts_no_box_in_place_of_the_one_it_spent(make_pool: Callable[..., Pool]) -> None:
    pool, abort = make_pool(max_runs=1), threading.Event()

    with pool.lease(BARE, abort) as box:
        run_in(box, HONEST)
        before = set(threading.enumerate())
        abort.set()

    assert not any(thread.name == "box-start" for thread in set(threading.enumerate()) - before)


def test_a_warm_box_is_there_when_it_is_wanted(make_pool: Callable[..., Pool], recorder: Recorder) -> None:
    pool = make_pool()

    pool.warm(BARE)
    pool.warm(BARE)
    use(pool)

    assert len(recorder.launched) == 1


def test_as_many_boxes_are_warmed_as_are_missing(make_pool: Callable[..., Pool], recorder: Recorder) -> None:
    pool = make_pool()

    pool.warm(BARE)
    pool.warm(BARE, 2)
    wait_for(lambda: pool.count().starting == 0)

    assert (pool.count_idle(BARE), len(recorder.launched)) == (2, 2)


def test_closing_the_pool_ends_lent_boxes_when_they_come_back(
    make_pool: Callable[..., Pool], recorder: Recorder
) -> None:
    pool = make_pool()
    use(pool, NUMPY)

    with pool.lease(BARE, threading.Event()) as box:
        pool.close()
        assert value_of(run_in(box, HONEST).cases[0]) == 1

    assert not any(box.is_usable() for box in recorder.launched)


def test_a_host_that_cannot_open_boxes_says_so_to_every_caller(make_pool: Callable[..., Pool]) -> None:
    pool = make_pool(capacity=1)

    for _ in range(2):  # the place is free again after the first
        with pytest.raises(SandboxUnavailable), pool.lease(BoxSpec((), gpu=True), threading.Event()):
            pass
