"""Boxes that die, workers that die, callers that abort: never the student's fault."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from sandbox.guest_box import GuestBox
from sandbox.interface import Aborted, BoxLost, BoxSpec, CaseOutcome, Ending, Launcher
from tests.queue.fleet import wait_until
from tests.sandbox.bench import make_request, run_in

ENDLESS = make_request("def solve(x):\n    while x: pass\n", {"x": 0}, {"x": 1}, wall_seconds=100)


def open_box(launcher: Launcher) -> GuestBox:
    box = launcher.launch(BoxSpec(()))
    assert isinstance(box, GuestBox)
    return box


def await_end(*pids: int) -> None:
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids), seconds=10)


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_a_box_that_dies_in_a_run_is_lost(launcher: Launcher) -> None:
    box = open_box(launcher)
    killer = threading.Timer(0.3, os.kill, (box.vessel.pid, signal.SIGKILL))
    killer.start()

    with pytest.raises(BoxLost):
        run_in(box, ENDLESS)

    assert not box.is_usable()


def test_a_monitor_that_dies_takes_the_box_along(launcher: Launcher) -> None:
    box = open_box(launcher)

    def kill_monitor(_outcome: object) -> None:
        os.kill(children(box.vessel.pid)[0], signal.SIGKILL)

    with pytest.raises(BoxLost):
        box.run(ENDLESS, kill_monitor, threading.Event())

    await_end(box.vessel.pid)


def test_a_frozen_box_reports_the_time_in_which_it_was_frozen(launcher: Launcher) -> None:
    box = open_box(launcher)
    asleep = make_request("import time\ndef solve(x):\n    time.sleep(x)\n", {"x": 0}, {"x": 1}, wall_seconds=2)

    def freeze() -> None:
        inside = psutil.Process(box.vessel.pid).children(recursive=True)
        for process in inside:
            process.suspend()
        time.sleep(3)
        for process in inside:
            process.resume()

    freezer = threading.Timer(0.3, freeze)
    outcomes: list[CaseOutcome] = []

    def note(outcome: CaseOutcome) -> None:
        if not outcomes:
            freezer.start()
        outcomes.append(outcome)

    box.run(asleep, note, threading.Event())

    assert [outcome.ending for outcome in outcomes] == [Ending.ANSWERED, Ending.TIMED_OUT]
    assert outcomes[1].left_out_seconds > 2


def test_a_box_that_died_idle_is_known_to_be_dead(launcher: Launcher) -> None:
    box = open_box(launcher)

    os.kill(box.vessel.pid, signal.SIGKILL)

    await_end(box.vessel.pid)
    wait_until(lambda: not box.is_usable())  # the engine may hear of it a little later than the kernel


def test_an_abort_ends_the_run_and_the_box(launcher: Launcher) -> None:
    box, abort = open_box(launcher), threading.Event()
    started = time.monotonic()

    with pytest.raises(Aborted):
        box.run(ENDLESS, lambda _outcome: abort.set(), abort)

    assert time.monotonic() - started < 20  # of 100 seconds that the case may take
    await_end(box.vessel.pid)


def fail(_outcome: object) -> None:
    raise ZeroDivisionError


def test_a_caller_that_fails_in_its_callback_ends_the_box(launcher: Launcher) -> None:
    box = open_box(launcher)

    with pytest.raises(ZeroDivisionError):
        box.run(ENDLESS, fail, threading.Event())

    await_end(box.vessel.pid)


def test_closing_ends_everything_at_once_and_may_be_repeated(launcher: Launcher) -> None:
    box = open_box(launcher)
    with ThreadPoolExecutor(1) as executor:
        run = executor.submit(run_in, box, ENDLESS)

        box.close()
        box.close()

        assert isinstance(run.exception(20), BoxLost)
    await_end(box.vessel.pid)


WORKER = """
import sys, threading
from sandbox.interface import BoxSpec
from tests.sandbox.conftest import LAUNCHERS
from tests.sandbox.test_lost_box import ENDLESS

box = LAUNCHERS[sys.argv[1]]().launch(BoxSpec(()))
box.run(ENDLESS, lambda _: print(box.vessel.pid, flush=True), threading.Event())
"""


@pytest.mark.usefixtures("launcher")
def test_the_box_of_a_killed_worker_dies_at_once(request: pytest.FixtureRequest) -> None:
    name = request.node.callspec.params["launcher"]
    worker = subprocess.Popen([sys.executable, "-c", WORKER, name], stdout=subprocess.PIPE, text=True)
    assert worker.stdout is not None
    pid = int(worker.stdout.readline())
    inside = children(pid)

    worker.kill()
    worker.wait()

    assert inside
    await_end(pid, *inside)
