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
        self._is_quiet = threading.Event()
        self._is_quiet.set()

    def tell(self, *, is_quiet: bool) -> None:
        if is_quiet:
            self._is_quiet.set()
        else:
            self._is_quiet.clear()

    @property
    def is_quiet(self) -> bool:
        return self._is_quiet.is_set()

    def wait(self, abort: threading.Event) -> None:
        """Wait until the pause ends. Raises Aborted when `abort` is set first."""
        while not self._is_quiet.wait(LISTEN_SECONDS):
            if abort.is_set():
                raise Aborted


def leave_the_cores() -> None:
    """Lower the priority of this thread, and of the boxes that it starts from now on."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


class BackgroundLauncher(Launcher):
    """Its boxes run at low priority, and pause between two cases."""

    def __init__(self, launcher: Launcher, quiet: BackgroundPause) -> None:
        self.name = launcher.name
        self._launcher, self._quiet = launcher, quiet

    def launch(self, spec: BoxSpec) -> Box:
        """Runs in its own thread: a low-priority thread that waits for a core may hold a lock that others need."""
        with ThreadPoolExecutor(1, "quiet-start", initializer=leave_the_cores) as apart:
            return _BackgroundBox(apart.submit(copy_context().run, self._launcher.launch, spec).result(), self._quiet)


class _BackgroundBox(Box):
    def __init__(self, box: Box, quiet: BackgroundPause) -> None:
        self.name, self.ready = box.name, box.ready
        self._box, self._quiet = box, quiet

    def run(self, request: Request, on_case: Callable[[CaseOutcome], None], abort: threading.Event) -> RunOutcome:
        numbers = count(1)

        def rest(outcome: CaseOutcome) -> None:
            on_case(outcome)
            # A run holds its GPU exclusively, so a pause would make students wait for it.
            if next(numbers) < len(request.cases) and self.ready.device == "cpu":
                self._quiet.wait(abort)

        self._quiet.wait(abort)
        return self._box.run(request, rest, abort)

    def is_alive(self) -> bool:
        return self._box.is_alive()

    def close(self) -> None:
        self._box.close()
