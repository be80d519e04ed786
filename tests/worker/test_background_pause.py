"""Boxes of background judgings run at low priority, and pause while students are served."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial

import pytest

from app.database.engine import Database
from app.queue.background_work import NICENESS, BackgroundBoxes, BackgroundPause
from sandbox.box_middleware import LauncherWithMiddleware
from sandbox.interface import Aborted, Box, BoxSpec, CaseOutcome, Ending, Launcher
from tests.queue.fleet import wait_until
from tests.queue.test_background import Work, make_background, send_one
from tests.queue.test_lease_loop import BY_NOTIFY_ONLY, loop
from tests.sandbox.bench import make_request, run_in

SPEC = BoxSpec(("numpy",))
THREE = make_request("def solve(n):\n    return n\n", *({"n": n} for n in range(3)))


class Run:
    """Runs THREE in a box, in its own thread."""

    def __init__(self, box: Box, on_first: Callable[[], None] = lambda: None) -> None:
        self.told: list[CaseOutcome] = []
        self.abort = threading.Event()
        self.error: Exception | None = None
        self._box, self._on_first = box, on_first
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def ends(self) -> bool:
        self._thread.join(60)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._box.run(THREE, self._tell, self.abort)
        except Exception as error:
            self.error = error

    def _tell(self, outcome: CaseOutcome) -> None:
        self.told.append(outcome)
        if len(self.told) == 1:
            self._on_first()


@pytest.fixture
def pause() -> BackgroundPause:
    return BackgroundPause()


@pytest.fixture
def box(launcher: Launcher, pause: BackgroundPause) -> Iterator[Box]:
    with closing(LauncherWithMiddleware(launcher, [BackgroundBoxes(pause)]).launch(SPEC)) as box:
        yield box


@pytest.mark.whole
def test_a_run_pauses_between_two_cases_while_students_are_served(
    box: Box, pause: BackgroundPause, launcher: Launcher
) -> None:
    run = Run(box, on_first=partial(pause.set, is_paused=True))
    wait_until(lambda: len(run.told) == 1)

    with closing(launcher.launch(SPEC)) as other:
        assert len(run_in(other, THREE).cases) == 3
    assert len(run.told) == 1
    pause.set(is_paused=False)

    assert run.ends()
    assert [outcome.ending for outcome in run.told] == [Ending.ANSWERED] * 3
    assert box.is_usable()


@pytest.mark.whole
def test_no_run_begins_while_students_are_served(box: Box, pause: BackgroundPause, launcher: Launcher) -> None:
    pause.set(is_paused=True)
    run = Run(box)

    with closing(launcher.launch(SPEC)) as other:
        run_in(other, THREE)
    assert run.told == []
    pause.set(is_paused=False)

    assert run.ends()
    assert len(run.told) == 3


@pytest.mark.whole
def test_a_run_does_not_pause_after_its_last_case(box: Box, pause: BackgroundPause) -> None:
    run = Run(box)
    assert run.ends()
    one = make_request("def solve(n):\n    return n\n", {"n": 1})

    box.run(one, lambda _: pause.set(is_paused=True), threading.Event())

    assert box.is_usable()


class Noting(Launcher):
    """Notes the niceness of the threads that launch boxes, which the boxes inherit."""

    def __init__(self, launcher: Launcher) -> None:
        self.name, self._launcher = launcher.name, launcher
        self.niceness: list[int] = []

    def launch(self, spec: BoxSpec) -> Box:
        self.niceness.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        return self._launcher.launch(spec)


def test_its_boxes_run_at_low_priority_unlike_the_starting_thread(launcher: Launcher, pause: BackgroundPause) -> None:
    noting = Noting(launcher)
    own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    LauncherWithMiddleware(noting, [BackgroundBoxes(pause)]).launch(SPEC).close()

    assert noting.niceness == [max(own, NICENESS)]
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == own


def is_paused(pause: BackgroundPause) -> bool:
    abort = threading.Event()
    abort.set()
    try:
        pause.wait(abort)
    except Aborted:
        return True
    return False


def test_it_pauses_while_students_hold_half_of_the_slots(database: Database, pause: BackgroundPause) -> None:
    background, work = make_background(database), Work(database)
    with loop(database, work, BY_NOTIFY_ONLY, slots=4, background_pause=pause):
        wait_until(work.runs(background))
        first = send_one(database)
        wait_until(work.runs(background, first))
        assert not is_paused(pause)

        second = send_one(database)
        wait_until(work.runs(background, first, second))
        assert is_paused(pause)

        work.may_end.set()
        wait_until(lambda: not is_paused(pause))
