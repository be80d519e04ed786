"""The time charged to a program while other processes compete for its cores."""

import os
import threading
import time

import pytest

from sandbox.guest.charged_time import ChargedTime, ThreadTimes, longest_together
from tests.sandbox.busy import busy


@pytest.mark.parametrize(
    ("seconds", "count", "unseen", "longest"),
    [
        ([3.0], 1, 0.0, 3.0),
        ([3.0], 2, 0.0, 0.0),
        ([3.0, 1.0], 1, 0.0, 4.0),
        ([3.0, 1.0], 2, 0.0, 1.0),
        ([3.0, 2.0, 2.0], 2, 0.0, 3.5),
        ([9.0, 2.0, 2.0], 2, 0.0, 4.0),
        ([9.0, 2.0, 2.0], 3, 0.0, 2.0),
        ([3.0], 2, 1.0, 1.0),
        ([], 2, 1.0, 0.5),
    ],
)
def test_threads_are_busy_together_for_as_long_as_each_can_be(
    seconds: list[float], count: int, unseen: float, longest: float
) -> None:
    assert longest_together(seconds, count, unseen) == longest


def test_the_time_that_others_take_from_a_thread_beside_the_first_is_left_out() -> None:
    allowed = os.sched_getaffinity(0)
    core = min(allowed)
    charged = ChargedTime(ThreadTimes(os.getpid(), cores=1), limit=60)

    def work() -> None:
        os.sched_setaffinity(0, {core})
        while time.thread_time() < 1.0:
            pass

    started = time.monotonic()
    with busy(core):
        thread = threading.Thread(target=work)
        thread.start()
        while thread.is_alive():
            thread.join(0.01)
            charged.look()
    seconds, elapsed = charged.read(), time.monotonic() - started

    assert charged.left_out > 0.15
    assert 1.0 < seconds < elapsed - 0.15


class Recorded(ThreadTimes):
    """Recorded kernel counts of a program's threads, one sample after the other."""

    def __init__(self, *looks: dict[str, tuple[float, float]]) -> None:
        super().__init__(os.getpid(), cores=2)
        self._looks = list(looks)

    def read(self) -> dict[str, tuple[float, float]]:
        return self._looks.pop(0) if len(self._looks) > 1 else self._looks[0]

    def read_processor_seconds(self) -> float:
        return 0.0


def test_a_thread_that_has_the_number_of_an_ended_one_brings_no_time() -> None:
    ended = {str(number): (5.0, 100.0) for number in range(2, 42)}
    charged = ChargedTime(Recorded({"1": (0.0, 0.0), **ended}, {"1": (0.0, 0.0)}, dict.fromkeys(ended, (0.0, 0.0))), 60)

    for _ in range(3):
        time.sleep(0.06)
        charged.look()

    assert charged.read() >= 0.18
    assert charged.left_out < 0.01


def test_never_less_is_charged_than_the_processor_time_of_a_core() -> None:
    charged = ChargedTime(ThreadTimes(os.getpid(), cores=1), limit=60)
    before = time.process_time()

    threads = [threading.Thread(target=sum, args=(range(3_000_000),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(0.01)
            charged.look()

    assert charged.read() >= 0.95 * (time.process_time() - before)
