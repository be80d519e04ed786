"""Background jobs give way to students' jobs: they pause, and they give up their slots.

While students hold half of a worker's slots, background boxes pause. Cores share caches and memory, so a background box
slows down a student's box even at the lowest priority.

A background job (a rejudge) never gets the last of several slots. When all slots are taken and a student waits, the
newest background job is aborted and given back at no cost of an attempt. The student's job starts at once.
"""

import os
import threading
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import Generic

from app.capacity import count_background_slots
from app.queue.lease import C
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


@dataclass(frozen=True, slots=True)
class FreeSlots:
    """`slots` includes `preemptible` ones, which only a student's job may take. `background`: for background jobs."""

    slots: int
    background: int
    preemptible: int


class RunningJobs(Generic[C]):
    """Keyed by claim, not by job: a worker that takes over its own job must beat for both until the first ends.

    `changed` is notified when a job ends. `pause` is set while students hold half of the slots.
    """

    def __init__(self, slots: int, pause: BackgroundPause, changed: threading.Condition) -> None:
        self._slots = slots
        self._pause = pause
        self._changed = changed
        self._aborts: dict[C, threading.Event] = {}
        self._is_stopping = False

    def __len__(self) -> int:
        return len(self._aborts)

    def list_claims(self) -> list[C]:
        with self._changed:
            return list(self._aborts)

    def add(self, claim: C) -> threading.Event:
        """Return the event that aborts the job."""
        abort = threading.Event()
        with self._changed:
            self._aborts[claim] = abort
            self._pause.set(is_paused=self._is_busy())
            if self._is_stopping:
                abort.set()
        return abort

    def remove(self, claim: C) -> None:
        with self._changed:
            del self._aborts[claim]
            self._pause.set(is_paused=self._is_busy())
            self._changed.notify_all()

    def abort(self, claims: Collection[C]) -> None:
        with self._changed:
            for claim in claims & self._aborts.keys():
                self._aborts[claim].set()

    def abort_all(self) -> None:
        """Abort all jobs, and those that are added later."""
        with self._changed:
            self._is_stopping = True
            self.abort(set(self._aborts))

    def preempt(self, count: int | None = None) -> None:
        """Abort this many background jobs, or all of them. The newest come first, since they lose the least work."""
        with self._changed:
            newest_first = self._list_preemptible()[::-1]
            self.abort(set(newest_first if count is None else newest_first[: max(0, count)]))

    def count_free(self) -> FreeSlots:
        with self._changed:
            background, preemptible = len(self._list_background()), len(self._list_preemptible())
            return FreeSlots(
                slots=self._slots - (len(self._aborts) - background),  # background jobs that are aborted count as free
                background=0 if self._is_busy() else count_background_slots(self._slots) - background,
                preemptible=preemptible,
            )

    def _is_busy(self) -> bool:
        """Whether students hold half of the slots."""
        return 2 * (len(self._aborts) - len(self._list_background())) >= self._slots

    def _list_background(self) -> list[C]:
        """List running background jobs, including those that are being aborted."""
        return [claim for claim in self._aborts if claim.is_background]

    def _list_preemptible(self) -> list[C]:
        return [claim for claim in self._list_background() if not self._aborts[claim].is_set()]
