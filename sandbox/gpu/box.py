"""A box that computes on a GPU. Each run has the GPU alone, and the host watches the GPU's memory.

The limits inside the student's process give clean errors, but the process can lift them. The host's check is the one
that holds: memory that comes into use on the GPU during a run counts as the run's.
"""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import Self

from sandbox.gpu.driver import Gpu, Use
from sandbox.gpu.gpu_lease import Gpus
from sandbox.guest_box import GuestBox
from sandbox.interface import (
    MIB,
    Box,
    BoxLost,
    CaseInput,
    CaseOutcome,
    DeviceLost,
    Ending,
    Failure,
    ObservedQueue,
    Request,
    RunOutcome,
    SandboxUnavailable,
)

LOOK_SECONDS = 0.05
# Allowance above the limit: contexts, kernels and workspaces that the driver and its libraries hold per process.
LIBRARIES_BYTES = 2048 * MIB
# The driver may free a process's memory a moment after its end.
SETTLING_SECONDS = 5
LEFTOVER_BYTES = 64 * MIB

_log = logging.getLogger(__name__)


class GpuBox(Box):
    """Unbinds the GPU when closed."""

    def __init__(self, box: GuestBox, gpu: Gpu, gpus: Gpus) -> None:
        self.box, self.gpu, self._gpus, self.ready = box, gpu, gpus, box.ready
        self.name = box.name
        self._closing = threading.Lock()
        self._is_closed = False
        self._is_spoilt = False

    def run(self, request: Request, on_case: Callable[[CaseOutcome], None], abort: threading.Event) -> RunOutcome:
        """Also raises DeviceLost, after which the box is gone: results from a failed GPU mean nothing."""
        try:
            with self._gpus.lock(self.gpu, abort):
                run = _Run(self, request, self._gpus.use_of(self.gpu))
                outcome = run.outcome(on_case, abort)
                self._is_spoilt = not run.has_left_nothing
                return outcome
        except BaseException:
            self.close()
            raise

    def use(self) -> Use:
        """Return the GPU's current use. Raises DeviceLost."""
        return self._gpus.use_of(self.gpu)

    def is_usable(self) -> bool:
        return not self._is_spoilt and not self._gpus.is_lost(self.gpu) and self.box.is_usable()

    def close(self) -> None:
        with self._closing:
            if not self._is_closed:
                self._is_closed = True
                self._gpus.unbind(self.gpu)
        self.box.close()


def open_bound(gpus: Gpus | None, open_on: Callable[[Gpu], GuestBox]) -> GpuBox:
    """Open a box on one of the GPUs. Raises SandboxUnavailable, DeviceLost."""
    if gpus is None:
        raise SandboxUnavailable("this worker gives boxes no GPU: start a worker with `allclose worker --queue gpu`")
    gpu = gpus.bind()
    try:
        return GpuBox(open_on(gpu), gpu, gpus)
    except BaseException:
        gpus.unbind(gpu)
        raise


class _Run:
    """`before`: the GPU's use when this run began. `has_left_nothing`: known after `outcome`."""

    def __init__(self, box: GpuBox, request: Request, before: Use) -> None:
        self._box, self._before = box, before
        self._taken: list[CaseInput] = []
        self._request = replace(request, queue=ObservedQueue(request.to_take(), self._taken.append))
        self._reported: list[CaseOutcome] = []
        self._last_reported_at = time.monotonic()
        self.has_left_nothing = False

    def outcome(self, on_case: Callable[[CaseOutcome], None], abort: threading.Event) -> RunOutcome:
        most_bytes = self._before.memory_bytes + self._request.limits.memory_bytes + LIBRARIES_BYTES
        with _Guard(self._box, most_bytes) as guard:
            try:
                outcome = self._box.box.run(self._request, lambda case: self._report(case, on_case), abort)
            except BoxLost:
                after = self._settle()
                if guard.seen is None or len(self._reported) == len(self._taken):
                    raise
                outcome = self._out_of_memory(guard.seen, after)
                on_case(outcome.cases[-1])
            is_empty = self._box.box.is_usable()  # still watched, until the last process has ended
        is_left_as_before = _is_left_as(self._before, self._settle())
        self.has_left_nothing = is_empty and is_left_as_before and guard.seen is None
        return outcome

    def _report(self, case: CaseOutcome, on_case: Callable[[CaseOutcome], None]) -> None:
        """Check that the GPU still answers before a failure becomes a verdict."""
        if case.ending is not Ending.ANSWERED:
            self._box.use()
        self._reported.append(replace(case, answer=None))
        self._last_reported_at = time.monotonic()
        on_case(case)

    def _out_of_memory(self, seen: Use, after: Use) -> RunOutcome:
        """Raises BoxLost when a process from outside the box uses the GPU, since the memory may be that process's."""
        if strangers := sorted(after.processes - self._before.processes):
            text = f"other processes on this machine ({strangers}) used GPU {self._box.gpu.index} during the run"
            raise BoxLost(f"{text}: a worker needs its GPUs for itself")
        mib = self._request.limits.memory_bytes // MIB
        message = f"the call used more than {mib} MiB of the GPU's memory"
        case = CaseOutcome(
            name=self._taken[len(self._reported)].name,
            ending=Ending.OUT_OF_MEMORY,
            answer=None,
            failure=Failure(stage="call", kind="MemoryLimit", message=message, traceback=""),
            text="",
            wall_seconds=time.monotonic() - self._last_reported_at,
            memory_bytes=seen.memory_bytes - self._before.memory_bytes,
        )
        return RunOutcome(load_failure=None, cases=(*self._reported, case), load_seconds=0.0)

    def _settle(self) -> Use:
        """Wait until the GPU is as it was before the run, or the time is up; return its use. Raises DeviceLost."""
        deadline = time.monotonic() + SETTLING_SECONDS
        while not _is_left_as(self._before, after := self._box.use()):
            if time.monotonic() > deadline:
                mib = (after.memory_bytes - self._before.memory_bytes) // MIB
                more = sorted(after.processes - self._before.processes)
                text = "GPU %d holds %d MiB more than before the run, and new processes %s: the box is thrown away"
                _log.warning(text, self._box.gpu.index, mib, more)
                break
            time.sleep(LOOK_SECONDS)
        return after


class _Guard:
    """Closes the box when the GPU's memory in use exceeds the limit. `seen`: the use at that moment."""

    def __init__(self, box: GpuBox, most_bytes: int) -> None:
        self._box, self._most_bytes = box, most_bytes
        self.seen: Use | None = None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="gpu-guard", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stopping.set()
        self._thread.join()

    def _follow(self) -> None:
        """Close the box whenever watching ends early: no run may compute unwatched or wait for a lost GPU."""
        try:
            with suppress(DeviceLost):
                self._look()
        finally:
            if not self._stopping.is_set():
                self._box.box.close()

    def _look(self) -> None:
        while not self._stopping.wait(LOOK_SECONDS):
            use = self._box.use()
            if use.memory_bytes > self._most_bytes:
                self.seen = use
                return


def _is_left_as(before: Use, after: Use) -> bool:
    return after.memory_bytes <= before.memory_bytes + LEFTOVER_BYTES and after.processes <= before.processes
