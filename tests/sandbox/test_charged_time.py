"""The time charged to a program while other processes compete for its cores."""

import os
import time

from sandbox.guest.charged_time import ChargedTime, ThreadTimes


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
