"""Binding boxes to GPUs, and locking a GPU for a run."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest

from sandbox.gpu.driver import open_driver
from sandbox.gpu.gpu_lease import Gpus, reserved
from sandbox.interface import Aborted, DeviceLost, SandboxUnavailable
from tests.gpu.nvml import GPU_IS_LOST, FakeNvml, make_gpus
from tests.queue.fleet import wait_until

NEVER = threading.Event()


def open_gpus(nvml: FakeNvml) -> Gpus:
    driver = open_driver(nvml)
    return Gpus(driver, driver.list_gpus())


@dataclass
class Queue:
    """Threads that ask for the lock, one after the other."""

    gpus: Gpus
    done: list[int] = field(default_factory=list)
    threads: list[threading.Thread] = field(default_factory=list)

    def ask(self, number: int, abort: threading.Event = NEVER) -> None:
        before = self._waiting()
        self.threads.append(threading.Thread(target=self._take, args=(number, abort)))
        self.threads[-1].start()
        wait_until(lambda: self._waiting() == before + 1)

    def _take(self, number: int, abort: threading.Event) -> None:
        try:
            with self.gpus.lock(self.gpus.gpus[0], abort):
                self.done.append(number)
        except Aborted:
            self.done.append(-number)

    def _waiting(self) -> int:
        return self.gpus.queue_length(self.gpus.gpus[0])

    def join(self) -> None:
        for thread in self.threads:
            thread.join(60)


def test_boxes_are_spread_over_the_gpus() -> None:
    gpus = open_gpus(make_gpus(2))

    first, second, third = (gpus.bind() for _ in range(3))
    gpus.unbind(second)
    fourth = gpus.bind()

    assert [gpu.index for gpu in (first, second, third, fourth)] == [0, 1, 0, 1]


def test_runs_lock_a_gpu_in_first_come_order() -> None:
    queue = Queue(open_gpus(make_gpus()))

    with queue.gpus.lock(queue.gpus.gpus[0], NEVER):
        for number in (1, 2, 3):
            queue.ask(number)
    queue.join()

    assert queue.done == [1, 2, 3]


def test_a_caller_that_stops_waiting_does_not_hold_up_the_next_one() -> None:
    queue, abort = Queue(open_gpus(make_gpus())), threading.Event()

    with queue.gpus.lock(queue.gpus.gpus[0], NEVER):
        queue.ask(1, abort)
        queue.ask(2)
        abort.set()
        wait_until(lambda: queue.done == [-1])
    queue.join()

    assert queue.done == [-1, 2]


def test_two_gpus_are_used_at_once() -> None:
    gpus, meeting = open_gpus(make_gpus(2)), threading.Barrier(2, timeout=60)

    def meet(index: int) -> None:
        with gpus.lock(gpus.gpus[index], NEVER):
            meeting.wait()

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(meet, (0, 1)))


def test_a_lost_gpu_gets_no_boxes_and_no_runs_and_the_others_do() -> None:
    nvml = make_gpus(2)
    gpus = open_gpus(nvml)
    lost, well = gpus.gpus
    nvml.gpus[0].failing = GPU_IS_LOST

    with pytest.raises(DeviceLost):
        gpus.use_of(lost)
    nvml.gpus[0].failing = None  # it may answer again, and is not trusted

    assert not gpus.are_lost
    assert {gpus.bind() for _ in range(3)} == {well}
    for ask in (lambda: gpus.lock(lost, NEVER).__enter__(), lambda: gpus.use_of(lost)):
        assert _raises(DeviceLost, ask)


def test_when_all_are_lost_no_box_opens() -> None:
    nvml = make_gpus(1)
    gpus = open_gpus(nvml)
    nvml.gpus[0].failing = GPU_IS_LOST

    with pytest.raises(DeviceLost):
        gpus.use_of(gpus.gpus[0])

    assert gpus.are_lost
    with pytest.raises(DeviceLost, match="GPU is lost"):
        gpus.bind()


def test_a_worker_has_its_gpus_for_itself_on_a_machine() -> None:
    gpus = open_gpus(make_gpus(2)).gpus

    with (
        reserved(gpus),
        pytest.raises(SandboxUnavailable, match="another worker on this machine already uses GPU 1"),
        reserved(gpus[1:]),
    ):
        pass
    with reserved(gpus):  # free again
        pass


def _raises(kind: type[Exception], ask: Callable[[], object]) -> bool:
    try:
        ask()
    except kind:
        return True
    return False
