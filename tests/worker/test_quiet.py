"""Boxes of what is judged again: niced, and at rest while those who wait are served."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial

import pytest

from app.database.engine import Database
from app.queue.background_pause import NICENESS, BackgroundLauncher, BackgroundPause
from app.queue.heartbeat import Capacity
from app.queue.lease import Claim, finish
from app.queue.lease_loop import LeaseLoop
from sandbox.interface import Aborted, Box, BoxSpec, CaseOutcome, Ending, Launcher
from tests.queue.fleet import wait_until
from tests.queue.test_background import make_background, send_one
from tests.queue.test_lease_loop import ACCEPTED, BY_NOTIFY_ONLY
from tests.sandbox.bench import make_request, run_in

SPEC = BoxSpec(("numpy",))
THREE = make_request("def solve(n):\n    return n\n", *({"n": n} for n in range(3)))


class Run:
    """THREE in a box, by a thread of its own."""

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
def quiet() -> BackgroundPause:
    return BackgroundPause()


@pytest.fixture
def box(launcher: Launcher, quiet: BackgroundPause) -> Iterator[Box]:
    with closing(BackgroundLauncher(launcher, quiet).launch(SPEC)) as box:
        yield box


def test_a_run_rests_between_two_cases_while_others_are_served_and_goes_on_after(
    box: Box, quiet: BackgroundPause, launcher: Launcher
) -> None:
    run = Run(box, on_first=partial(quiet.tell, is_quiet=False))
    wait_until(lambda: len(run.told) == 1)

    with closing(launcher.launch(SPEC)) as other:
        assert len(run_in(other, THREE).cases) == 3
    assert len(run.told) == 1
    quiet.tell(is_quiet=True)

    assert run.ends()
    assert [outcome.ending for outcome in run.told] == [Ending.ANSWERED] * 3
    assert box.is_alive()


def test_none_begins_while_others_are_served(box: Box, quiet: BackgroundPause, launcher: Launcher) -> None:
    quiet.tell(is_quiet=False)
    run = Run(box)

    with closing(launcher.launch(SPEC)) as other:
        run_in(other, THREE)
    assert run.told == []
    quiet.tell(is_quiet=True)

    assert run.ends()
    assert len(run.told) == 3


def test_one_that_rests_is_ended_at_once_and_its_box_with_it(box: Box, quiet: BackgroundPause) -> None:
    run = Run(box, on_first=partial(quiet.tell, is_quiet=False))
    wait_until(lambda: len(run.told) == 1)

    run.abort.set()

    assert run.ends()
    assert isinstance(run.error, Aborted)
    assert not box.is_alive()


def test_what_has_answered_its_last_case_rests_no_more(box: Box, quiet: BackgroundPause) -> None:
    run = Run(box)
    assert run.ends()
    one = make_request("def solve(n):\n    return n\n", {"n": 1})

    outcome = box.run(one, lambda _: quiet.tell(is_quiet=False), threading.Event())

    assert outcome.clean


class Noting(Launcher):
    """Notes how nice those are who launch boxes, and so these are."""

    def __init__(self, launcher: Launcher) -> None:
        self.name, self._launcher = launcher.name, launcher
        self.niceness: list[int] = []

    def launch(self, spec: BoxSpec) -> Box:
        self.niceness.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        return self._launcher.launch(spec)


def test_its_boxes_are_niced_and_who_starts_them_is_not(launcher: Launcher, quiet: BackgroundPause) -> None:
    noting = Noting(launcher)
    own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    BackgroundLauncher(noting, quiet).launch(SPEC).close()

    assert noting.niceness == [max(own, NICENESS)]
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == own


def is_quiet(quiet: BackgroundPause) -> bool:
    abort = threading.Event()
    abort.set()
    try:
        quiet.wait(abort)
    except Aborted:
        return False
    return True


@contextmanager
def serving(
    database: Database, quiet: BackgroundPause, slots: int
) -> Iterator[tuple[dict[int, bool], threading.Event]]:
    """The judgings that run, whether they are in the background, and what lets those end for whom somebody waits."""
    running: dict[int, bool] = {}
    may_end = threading.Event()

    def run(claim: Claim, abort: threading.Event) -> None:
        running[claim.judging_id] = claim.is_background
        while not abort.wait(0.01):
            if not claim.is_background and may_end.is_set():
                finish(database, claim, ACCEPTED)
                break
        del running[claim.judging_id]

    loop = LeaseLoop(database, Capacity(queues=("cpu",), slots=slots), run, BY_NOTIFY_ONLY, quiet=quiet)
    loop.start()
    try:
        yield running, may_end
    finally:
        loop.stop()


def test_it_is_quiet_until_half_of_the_slots_serve_those_who_wait(database: Database, quiet: BackgroundPause) -> None:
    behind = make_background(database)
    with serving(database, quiet, slots=4) as (running, may_end):
        wait_until(lambda: running == {behind: True})
        first = send_one(database)
        wait_until(lambda: first in running)
        assert is_quiet(quiet)

        second = send_one(database)
        wait_until(lambda: second in running)
        assert not is_quiet(quiet)

        may_end.set()
        wait_until(lambda: running == {behind: True})
        wait_until(lambda: is_quiet(quiet))
