"""Pauses background work while students hold half of a worker's slots.

Cores share caches and memory, so a background box slows down a student's box even at the lowest priority.
"""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace

from sandbox.box_middleware import BoxMiddleware, Launch, Run
from sandbox.interface import Aborted, Box, BoxSpec, ObservedQueue, OnCase, Request, RunOutcome

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


class BackgroundBoxes(BoxMiddleware):
    """Boxes that run at low priority, and pause between two cases."""

    def __init__(self, pause: BackgroundPause) -> None:
        self._pause = pause

    def launch(self, launch: Launch, spec: BoxSpec) -> Box:
        """Launch in a thread of its own: a low-priority thread that waits for a core may hold a lock."""
        with ThreadPoolExecutor(1, "background-start", initializer=lower_priority) as executor:
            return executor.submit(copy_context().run, launch, spec).result()

    def run(self, run: Run, box: Box, request: Request, on_case: OnCase, abort: threading.Event) -> RunOutcome:
        self._pause.wait(abort)
        if box.ready.device == "cpu":  # a run holds its GPU exclusively, so a pause would make students wait for it
            request = replace(request, queue=ObservedQueue(request.to_take(), lambda _: self._pause.wait(abort)))
        return run(request, on_case, abort)
