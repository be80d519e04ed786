"""Pauses background work while students hold half of a worker's slots.

Cores share caches and memory, so a background box slows down a student's box even at the lowest priority.
"""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from itertools import count

from sandbox.interface import Aborted, Box, BoxSpec, CaseOutcome, Launcher, Request, RunOutcome

NICENESS = 10
LISTEN_SECONDS = 0.2


class BackgroundPause:
    """The lease loop sets it; boxes of background judgings wait for it."""

    def __init__(self) -> None:
        self._may_run = threading.Event()
        self._may_run.set()

    def set(self, *, is_paused: bool) -> None:
        if is_paused:
            self._may_run.clear()
        else:
            self._may_run.set()

    @property
    def is_paused(self) -> bool:
        return not self._may_run.is_set()

    def wait(self, abort: threading.Event) -> None:
        """Wait until the pause ends. Raises Aborted when `abort` is set first."""
        while not self._may_run.wait(LISTEN_SECONDS):
            if abort.is_set():
                raise Aborted


def lower_priority() -> None:
    """Lower the priority of this thread, and of the boxes that it starts from now on."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


class BackgroundLauncher(Launcher):
    """Its boxes run at low priority, and pause between two cases."""

    def __init__(self, launcher: Launcher, pause: BackgroundPause) -> None:
        self.name = launcher.name
        self._launcher, self._pause = launcher, pause

    def launch(self, spec: BoxSpec) -> Box:
        """Runs in its own thread: a low-priority thread that waits for a core may hold a lock that others need."""
        with ThreadPoolExecutor(1, "background-start", initializer=lower_priority) as executor:
            launched = executor.submit(copy_context().run, self._launcher.launch, spec)
            return _BackgroundBox(launched.result(), self._pause)


class _BackgroundBox(Box):
    def __init__(self, box: Box, pause: BackgroundPause) -> None:
        self.name, self.ready = box.name, box.ready
        self._box, self._pause = box, pause

    def run(self, request: Request, on_case: Callable[[CaseOutcome], None], abort: threading.Event) -> RunOutcome:
        numbers = count(1)

        def pause_after(outcome: CaseOutcome) -> None:
            on_case(outcome)
            # A run holds its GPU exclusively, so a pause would make students wait for it.
            if next(numbers) < len(request.cases) and self.ready.device == "cpu":
                self._pause.wait(abort)

        self._pause.wait(abort)
        return self._box.run(request, pause_after, abort)

    def is_alive(self) -> bool:
        return self._box.is_alive()

    def close(self) -> None:
        self._box.close()
