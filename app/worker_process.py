"""The worker process: the parts that run side by side in it, from start to stop."""

import logging
import os
import select
import signal
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

from app.database.engine import Database
from app.engine.boxes import (
    Pools,
    cache_folder,
    keep_sandbox,
    open_background_pools,
    open_launcher,
    open_pool,
    open_pools,
    open_reference_pool,
)
from app.engine.compilation_cache import CompilationCache
from app.engine.overload import OverloadWaits
from app.queue.background_work import BackgroundBoxes, BackgroundPause
from app.queue.heartbeat import Capacity
from app.queue.lease_loop import LeaseLoop
from app.settings import Settings
from app.similarity.comparer import Comparer
from app.submissions.judging_record import JudgingClaim
from app.verification.verifier import Verifier
from app.worker.expected import ExpectedOutputs
from app.worker.hint_recorder import HintRecorder, KnownMistakes
from app.worker.middleware import Middleware, StopAfterRefusals, StopWhenIdle, StopWithoutGpus, with_middleware
from app.worker.run_cost import CostRecorder, name_machine
from app.worker.telemetry import BoxTelemetry, JudgingTelemetry, Meter
from app.worker.warm import Preparation, Warmer
from app.worker.work import Works
from app.worker.worker import Lane, Worker
from sandbox.box_middleware import BoxMiddleware, LauncherWithMiddleware
from sandbox.gpu.gpu_lease import Gpus
from sandbox.interface import BoxSpec, DeviceLost, Launcher, Ready
from sandbox.pool import Pool

# Slurm kills a job 30 s after SIGTERM. The other 10 s are for the judgings that go back, and for the boxes.
DRAIN_SECONDS = 20.0

_log = logging.getLogger(__name__)


class Signals:
    """Counts SIGTERM and SIGINT through a pipe, for callers that wait for the first or the second.

    A handler could interrupt any line, even one that holds a lock which the handler needs. Must be created by the main
    thread.
    """

    def __init__(self) -> None:
        self._reader, writer = os.pipe()
        os.set_blocking(writer, False)
        # Python writes the signal's number at once. A handler would have to wait for the main thread.
        signal.set_wakeup_fd(writer)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)

    def wait(self, seconds: float | None = None) -> None:
        """Wait for a signal, for this time at most."""
        arrival = select.poll()
        arrival.register(self._reader, select.POLLIN)
        if arrival.poll(None if seconds is None else 1000 * seconds):
            os.read(self._reader, 1)


def stop_this_worker() -> None:
    """Send SIGTERM to this process."""
    os.kill(os.getpid(), signal.SIGTERM)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedLauncher:
    """A launcher that has opened a box, with what the box told of itself."""

    launcher: Launcher
    ready: Ready


def open_worker_launcher(settings: Settings, gpus: Gpus | None) -> OpenedLauncher:
    """Return a launcher that has opened a box, so that no claim fails for lack of one. Raises SandboxUnavailable.

    GPU programs are not cached: what such an entry would reveal has not been examined.
    """
    launcher = open_launcher(settings, cache=None if gpus else cache_folder(settings), gpus=gpus)
    box = launcher.launch(BoxSpec((), gpu=gpus is not None))
    box.close()
    keep_sandbox(settings, launcher)
    return OpenedLauncher(launcher=launcher, ready=box.ready)


def run_worker(
    settings: Settings, database: Database, opened: OpenedLauncher, gpus: Gpus | None, until_idle: float | None = None
) -> None:
    """Run until SIGTERM or SIGINT, then finish the running judgings.

    Those that take longer than DRAIN_SECONDS go back to the queue; at a second signal all do. With `until_idle` it
    takes judgings only, and also ends after so many seconds without one. With GPUs it serves the queue gpu, and raises
    DeviceLost when no GPU is left. Raises SandboxUnavailable when several judgings in a row find no box.
    """
    signals, refusals = Signals(), StopAfterRefusals(stop=stop_this_worker)
    launcher, meter = opened.launcher, Meter(slots=settings.worker_slots, gpus=gpus)
    meter.see(opened.ready)
    capacity = replace(_capacity(settings, opened, gpus), report=meter.report)
    with ExitStack() as stack:
        boxes = _open_boxes(settings, launcher, meter, stack)
        stops: list[Middleware] = [StopWithoutGpus(gpus, stop=stop_this_worker)] if gpus else []
        stops += [] if until_idle is None else [StopWhenIdle(until_idle, stop=stop_this_worker)]
        parts = _connect(settings, database, boxes, capacity, [refusals, *stops, JudgingTelemetry(meter)])
        others: list[LeaseLoop[Any]] = []
        if until_idle is None:
            others.append(Verifier(settings=settings, database=database, gpus=gpus).loop(capacity))
            others.append(Comparer(database=database, pool=boxes.background.students).loop(capacity))
        for loop in (parts.judgings, *others):
            loop.start()
        for part in parts.beside:
            part.start()
        _log.info("Judging %s", _in_words(capacity, launcher, gpus))
        signals.wait()
        for loop in (parts.judgings, *others):  # all before any wait
            loop.stop_claiming()
        threading.Thread(target=_stop_in_time, args=(signals, parts.judgings), daemon=True).start()
        for part in parts.beside:
            part.stop()
        for loop in others:
            loop.stop()  # they take minutes; another worker repeats them
        parts.judgings.drain()
    if gpus is not None and gpus.are_lost:
        raise DeviceLost("no GPU of this worker answers any longer; its judgings are back in the queue: see the log")
    if refusals.reason is not None:
        raise refusals.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class _Boxes:
    """The pools for submissions and for background work, with those for their references.

    `pause`: pauses the background work while students wait.
    """

    launcher: Launcher
    students: Pools
    background: Pools
    references: Pool
    background_references: Pool
    pause: BackgroundPause


def _open_boxes(settings: Settings, launcher: Launcher, meter: Meter, stack: ExitStack) -> _Boxes:
    """Open the pools. `stack` closes them."""
    pause = BackgroundPause()
    gives_way = BackgroundBoxes(pause)

    def watched(use: str, *middleware: BoxMiddleware) -> Launcher:
        return LauncherWithMiddleware(launcher, [*middleware, BoxTelemetry(use, meter)])

    boxes = _Boxes(
        launcher=launcher,
        students=stack.enter_context(open_pools(settings, watched("submissions"))),
        background=stack.enter_context(open_background_pools(settings, watched("background", gives_way))),
        references=stack.enter_context(open_reference_pool(settings, watched("references"))),
        background_references=stack.enter_context(open_pool(settings, watched("references", gives_way), 1)),
        pause=pause,
    )
    meter.watch_pools("submissions", boxes.students.students, boxes.students.inspectors)
    meter.watch_pools("background", boxes.background.students, boxes.background.inspectors)
    meter.watch_pools("references", boxes.references, boxes.background_references)
    return boxes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """`judgings`: the lease loop. `beside`: parts with threads of their own."""

    judgings: LeaseLoop[JudgingClaim]
    beside: Sequence[Warmer | HintRecorder]


def _connect(
    settings: Settings, database: Database, boxes: _Boxes, capacity: Capacity, around: Sequence[Middleware]
) -> _Parts:
    """Connect the parts. `around`: the outermost middleware."""
    expected = ExpectedOutputs(database, boxes.references, capacity.device)
    # A separate object: what it prepares in low-priority boxes must not delay a judging.
    ahead = ExpectedOutputs(database, boxes.background_references, capacity.device)
    works, known = Works(database, capacity.device), KnownMistakes(database, expected)
    optimizations = settings.chosen_optimizations
    cache, later = (CompilationCache(settings.data, boxes.launcher, each.references) for each in (expected, ahead))
    at_once = Preparation(expected=expected, known=known, cache=cache)
    idle = Preparation(expected=ahead, known=KnownMistakes(database, ahead), cache=later)
    warmer = Warmer(works, at_once, idle, boxes.students, boxes.pause, capacity.lacks)
    costs = CostRecorder(database, ahead, name_machine(capacity.gpus), warmer.add)
    hints = HintRecorder(database, known)
    worker = Worker(
        database,
        works,
        hints,
        interactive=Lane(expected=expected, pools=boxes.students),
        background=Lane(expected=ahead, pools=boxes.background),
        overload_waits=OverloadWaits(capacity.slots),
        runs_in_parallel="parallel_runs" in optimizations,
        card=capacity.gpus[0] if len(set(capacity.gpus)) == 1 else "",
    )
    judge = with_middleware(worker.judge, [costs, *around])
    judgings = LeaseLoop(database, capacity, JudgingClaim, judge, background_pause=boxes.pause)
    return _Parts(judgings=judgings, beside=[warmer, hints])


def _in_words(capacity: Capacity, launcher: Launcher, gpus: Gpus | None) -> str:
    where = "".join(f", GPU {gpu.index} ({gpu.name})" for gpu in gpus.gpus) if gpus else ""
    return f"from {', '.join(capacity.queues)} in {launcher.name} boxes, {capacity.slots} at once{where}"


def _capacity(settings: Settings, opened: OpenedLauncher, gpus: Gpus | None) -> Capacity:
    return Capacity(
        queues=["cpu" if gpus is None else "gpu"],
        slots=settings.worker_slots,
        device="cpu" if gpus is None else "gpu",
        gpus=[gpu.name for gpu in gpus.gpus] if gpus else [],
        versions={"allclose": version("allclose"), "sandbox": opened.launcher.name},
        lacks=opened.ready.missing,
    )


def _stop_in_time(signals: Signals, loop: LeaseLoop[JudgingClaim]) -> None:
    signals.wait(DRAIN_SECONDS)
    loop.stop()
