"""The runs of one submission that the steps of judging ask for. Some begin before a step asks.

A step calls a method of `Runs` and does not know whether the run has begun. If a core and a box are idle:

- Once the first case is right, a second process calls the case of the second run first. Then two processes share the
  other open cases. It does not begin before, since two thirds of all submissions are wrong, and most of them there.
- If a problem asks for programs and has sealed cases, the function is traced while the open cases are called. Without
  sealed cases, every input is in a student's box at that time, and the machine's load could tell the tracer of values.
- The second run begins beside the inspection at the latest, in the box that traced the programs.
- Two inspectors share the programs.

A run that can decide nothing any more is ended.
"""

import random
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import partial
from statistics import fmean
from threading import Event, Lock, Timer
from typing import Generic, TypeVar

from app.capacity import count_cores
from app.catalog.manifest import Manifest
from app.catalog.parameter import FRAMEWORKS_OF
from app.engine.boxes import INSPECTOR, box_spec
from app.engine.inspection import Exports, Inspectors, OnReport, OnRun, export_programs, inspect, signatures_of
from app.engine.inspector_protocol import Task
from app.engine.job import Context, Timeline
from app.engine.prepare import PreparedCase, shapes_of
from app.engine.request import answer_bytes, build_request, patient, read_outcome, recorded, run_all, run_cases
from sandbox.interface import Aborted, Box, CaseInput, CaseOutcome, CaseQueue, Ending, OnCase

LOOK_SECONDS = 0.05
# Time for a run whose result is no longer needed to end by itself, so that its box can be used again.
GRACE_SECONDS = 1.0
# The cost of a case whose shape is compiled, relative to one that compiles, until it is known.
COST_OF_A_CASE = 0.25
# How often the first process goes on with the shape of the drawn case where it may also begin another.
SHARE_OF_DRAWN_SHAPE = 0.7
# Cost of running a compiled program, relative to compiling it.
COST_OF_A_RUN = 0.01
# A loop is tried without its first step, and without its last.
CHANGED_PROGRAMS = 2

_CHANCE = random.SystemRandom()

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CallEnd:
    """The end of calling cases. `box`: the one that ran them. `left`: cases that no process was left for."""

    box: Box
    left: Sequence[PreparedCase]


@contextmanager
def early_runs(context: Context) -> Iterator["Runs"]:
    """Begin what may begin, and end what still runs after the block."""
    runs = Runs(context)
    runs.begin()
    try:
        yield runs
    finally:
        runs.give_up()


class Runs:
    """The runs of one submission. All methods raise BoxLost and Aborted."""

    def __init__(self, context: Context) -> None:
        self._context, self._job = context, context.job
        self._tracer = EarlyRun(self._trace)
        self._second_run = EarlyRun(self._call_again)
        self._second_process: EarlyRun[None] | None = None
        self._outcome_again: CaseOutcome | None = None
        self._shared: SharedCases | None = None

    def begin(self) -> None:
        """Begin what the idle boxes have room for, besides the box for the open cases."""
        job, drawn = self._job, self._context.drawn
        boxes = self._count_idle_boxes() - 1 if self._has_idle_core else 0
        if job.manifest.asks_for_programs and job.sealed_cases and boxes > 0:
            self._tracer.begin()
            boxes -= 1
        if boxes > 0 and len(job.open_cases) > 1:
            self._shared = SharedCases(job.open_cases, job.manifest, drawn, self._context.too_slow.is_set)

    def give_up(self) -> None:
        for run in (self._tracer, self._second_run, self._second_process):
            if run is not None:
                run.give_up()

    def call_open_cases(self, on_outcome: OnCase) -> CallEnd:
        """Call the function on all open cases. `on_outcome` gets one outcome at a time."""
        job, shared = self._job, self._shared
        if shared is None:
            return self.call(job.open_cases, on_outcome)
        deliver = self._serially(on_outcome)
        second = self._second_process = EarlyRun(partial(self._call_in_second_process, shared, deliver))
        box = self._call(shared.queue(Process.FIRST), deliver, job.timeline, self._context.abort)
        if second.has_begun:
            second.result(self._context.abort)
        self._second_process = None
        return CallEnd(box, shared.left())

    def call(self, cases: Sequence[PreparedCase], on_outcome: OnCase) -> CallEnd:
        """Call the function on these cases in one process, and in others if they kill it."""
        queue = CaseQueue([_input_of(case) for case in cases])
        box = self._call(queue, self._serially(on_outcome), self._job.timeline, self._context.abort)
        return CallEnd(box, cases[len(cases) - len(queue) :])

    def export(self, signatures: Sequence[bytes]) -> Exports:
        """Return the program for each signature, as `export_programs` does."""
        context, job = self._context, self._job
        early = self._tracer.result(context.abort) if self._tracer.has_begun else {}
        if early.keys() >= set(signatures):
            exports: Exports = {signature: early[signature] for signature in signatures}
        else:
            exports = export_programs(context.pool, job.package, job.source, signatures, context.abort)
        if self._may_begin_second_run():
            self._second_run.begin()
        return exports

    def inspect(self, inspectors: Inspectors, tasks: Sequence[Task], on_report: OnReport, on_run: OnRun) -> None:
        """Inspect the programs, as `inspect` does. `on_run` gets one outcome at a time."""
        if len(tasks) < 2 or not self._has_idle_core or inspectors.pool.count_idle(INSPECTOR) < 2:
            inspect(inspectors, tasks, on_report, on_run)
            return
        first, second = share_out(tasks)
        on_run = _one_at_a_time(on_run)
        beside = EarlyRun(lambda abort: inspect(replace(inspectors, abort=abort), second, on_report, on_run))
        beside.begin()
        try:
            inspect(inspectors, first, on_report, on_run)
            beside.result(inspectors.abort)
        finally:
            beside.give_up()

    def run_again(self) -> CaseOutcome:
        """Return the outcome of the drawn case in another process, where it is called first."""
        early, self._outcome_again = self._outcome_again, None
        return early or self._second_run.result(self._context.abort)

    def _call(self, queue: CaseQueue, on_outcome: OnCase, timeline: Timeline, abort: Event) -> Box:
        job, context = self._job, self._context
        request = replace(build_request(job.package, job.source, (), job.answer_bytes), queue=queue)
        timeline.begin("box")
        with context.pool.lease(box_spec(job.manifest), abort) as box:
            timeline.begin("running")
            run_all(box, recorded(job.manifest, request), on_outcome, abort, context.too_slow.is_set)
        return box

    def _call_in_second_process(self, shared: "SharedCases", deliver: OnCase, abort: Event) -> None:
        drawn = self._context.drawn

        def tell_apart(outcome: CaseOutcome) -> None:
            """This process never shares the drawn case: its outcome here is that of the second run."""
            if drawn is None or outcome.name != drawn.name:
                deliver(outcome)
            elif outcome.ending is not Ending.TIMED_OUT:  # else it runs once more by itself, with a patient limit
                self._outcome_again = read_outcome(self._job.manifest, outcome)[0]

        self._call(shared.queue(Process.SECOND), tell_apart, Timeline(), abort)

    def _call_again(self, abort: Event) -> CaseOutcome:
        """The time limit is longer: the first run may have compiled for this case while it ran others."""
        drawn, job = self._context.drawn, self._job
        assert drawn is not None, "no case was drawn"
        request = build_request(job.package, job.source, [_input_of(drawn)], answer_bytes([drawn.expected]))
        outcomes: list[CaseOutcome] = []
        run_cases(self._context.pool, box_spec(job.manifest), patient(request), outcomes.append, abort)
        (outcome,) = outcomes
        return outcome

    def _trace(self, abort: Event) -> Exports:
        job = self._job
        signatures = signatures_of(job.manifest, [case.inputs for case in job.cases])
        return export_programs(self._context.pool, job.package, job.source, signatures, abort)

    def _serially(self, on_outcome: OnCase) -> OnCase:
        """Return a function that also gives up what the outcome makes useless."""

        def deliver(outcome: CaseOutcome) -> None:
            if self._shared is not None:
                self._shared.note(outcome.name, outcome.wall_seconds)
            on_outcome(outcome)
            if self._context.overload.is_due:  # the machine is to get quieter
                self._tracer.give_up()
            if self._context.overload.is_due or not self._context.results.are_accepted:
                self._second_run.give_up()
            elif self._second_process is not None and not self._second_process.has_begun:
                self._second_process.begin()

        return _one_at_a_time(deliver)

    def _may_begin_second_run(self) -> bool:
        has_run = self._second_run.has_begun or self._outcome_again is not None
        is_wanted = self._context.drawn is not None and self._context.results.are_accepted
        return is_wanted and not has_run and self._count_idle_boxes() > 0 and self._has_idle_core

    @property
    def _has_idle_core(self) -> bool:
        return self._job.runs_in_parallel and self._context.pool.count().busy < count_cores() - 1

    def _count_idle_boxes(self) -> int:
        return self._context.pool.count_idle(box_spec(self._job.manifest))


def _one_at_a_time(report: Callable[[T], None]) -> Callable[[T], None]:
    """Return the function for several threads."""
    lock = Lock()

    def report_alone(found: T) -> None:
        with lock:
            report(found)

    return report_alone


class EarlyRun(Generic[T]):
    """A run that begins early, or else when its result is asked for."""

    def __init__(self, run: Callable[[Event], T]) -> None:
        self._run = run
        self._given_up = Event()
        self._running: Future[T] | None = None

    def begin(self) -> None:
        self._given_up = Event()  # a run that was given up earlier keeps its own event
        executor = ThreadPoolExecutor(1, "early-run")
        self._running = executor.submit(copy_context().run, self._run, self._given_up)
        executor.shutdown(wait=False)

    @property
    def has_begun(self) -> bool:
        return self._running is not None

    def give_up(self) -> None:
        """Forget the run, because its result changes nothing any more."""
        running, self._running = self._running, None
        if running is not None and not running.done():
            timer = Timer(GRACE_SECONDS, self._given_up.set)
            timer.daemon = True
            timer.start()

    def result(self, abort: Event) -> T:
        """Raises what the run raises, and Aborted."""
        running, self._running = self._running, None
        if running is None:
            return self._run(abort)
        while not abort.is_set():
            if wait([running], LOOK_SECONDS).done:
                return running.result()
        self._given_up.set()
        raise Aborted


class Process(IntEnum):
    """The first process begins with the first case, the second one with the second run of the drawn case."""

    FIRST = 0
    SECOND = 1


class SharedCases:
    """The open cases, shared by two processes of a submission: each takes another when it is free.

    Where JAX compiles for each shape, a process prefers the shapes that it has already compiled for. It takes a case of
    a shape that only the other process has compiled for if the rest would keep the other one busy for longer than
    compiling. Without this, the calls of `grad_accumulation_step` take 0.73 s in place of 0.58 s.

    `drawn`: the case of the second run, if there is one. The first process runs it in its turn, like any other.
    `is_over`: whether no process gets another case.
    """

    def __init__(
        self,
        cases: Sequence[PreparedCase],
        manifest: Manifest,
        drawn: PreparedCase | None,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        self._left, self._first, self._drawn, self._is_over = list(cases), cases[0], drawn, is_over
        self._shapes, self._compiled = dict[str, int](), (set[int](), set[int]())
        if not set(FRAMEWORKS_OF["jax"]).isdisjoint(manifest.frameworks):
            for number, shape in enumerate(shapes_of(cases, manifest.case_inputs)):
                self._shapes |= {case.name: number for case in shape.cases}
            if drawn is not None:
                self._compiled[Process.SECOND].add(self._shapes[drawn.name])
        self._compiling: set[str] = set()
        self._seconds: dict[bool, list[float]] = {True: [], False: []}
        self._changing = threading.Lock()

    def queue(self, process: Process) -> CaseQueue:
        """Return the queue of this process. The second one's begins with the drawn case."""
        return _Share(self, process, self._drawn if process is Process.SECOND else None)

    def note(self, name: str, wall_seconds: float) -> None:
        """Note how long a case took. It must have been taken from here."""
        with self._changing:
            self._seconds[name in self._compiling].append(wall_seconds)

    def left(self) -> list[PreparedCase]:
        """Return the cases that no process has taken."""
        with self._changing:
            return list(self._left)

    def count(self, process: Process) -> int:
        with self._changing:
            return len(self._open_to(process))

    def take(self, process: Process) -> PreparedCase | None:
        """Return None if nothing is left for this process, or the other one is quicker with what is left."""
        with self._changing:
            case = None if self._is_over() else self._choose(process)
            if case is None:
                return None
            self._left.remove(case)
            if self._shapes and self._shapes[case.name] not in self._compiled[process]:
                self._compiling.add(case.name)
                self._compiled[process].add(self._shapes[case.name])
            return case

    def _open_to(self, process: Process) -> list[PreparedCase]:
        """Return what this process may take. The second one has met the drawn case already."""
        if process is Process.FIRST:
            return self._left
        return [case for case in self._left if case is not self._first and case is not self._drawn]

    def _choose(self, process: Process) -> PreparedCase | None:
        cases, own = self._open_to(process), self._compiled[process]
        if not cases or not self._shapes or cases[0] is self._first:
            return next(iter(cases), None)
        new = [case for case in cases if self._shapes[case.name] not in own]
        fresh = [case for case in new if self._shapes[case.name] not in self._compiled[1 - process]]
        if process is Process.FIRST and self._drawn in new and (not fresh or _CHANCE.random() < SHARE_OF_DRAWN_SHAPE):
            # This process has to compile for that shape, and the second one need not compile for it again.
            return next(case for case in new if self._shapes[case.name] == self._shapes[self._drawn.name])
        if fresh:
            return fresh[0]
        compiled = [case for case in cases if case not in new]
        if compiled:
            only_here = [case for case in compiled if self._shapes[case.name] not in self._compiled[1 - process]]
            return next(iter(only_here), compiled[0])
        return new[0] if self._is_worth_compiling(len(new)) else None

    def _is_worth_compiling(self, number: int) -> bool:
        """Whether compiling takes less time than this many cases take in the process that has compiled for them."""
        compiling, others = self._seconds[True], self._seconds[False]
        cost = fmean(others) / fmean(compiling) if compiling and others else COST_OF_A_CASE
        return number * cost > 1


class _Share(CaseQueue):
    def __init__(self, shared: SharedCases, process: Process, first: PreparedCase | None) -> None:
        super().__init__([_input_of(first)] if first is not None else [])
        self._shared, self._process, self._has_ended = shared, process, False

    def __len__(self) -> int:
        return super().__len__() + (0 if self._has_ended else self._shared.count(self._process))

    def take(self) -> CaseInput | None:
        if (first := super().take()) is not None:
            return first
        case = None if self._has_ended else self._shared.take(self._process)
        self._has_ended = case is None
        return None if case is None else _input_of(case)


def _input_of(case: PreparedCase) -> CaseInput:
    return CaseInput(name=case.name, inputs=case.inputs)


def share_out(tasks: Sequence[Task]) -> tuple[Sequence[Task], Sequence[Task]]:
    """Return the tasks of each of two inspectors, so that both end at about the same time."""
    first, second = list[Task](), list[Task]()
    for task in sorted(tasks, key=_cost, reverse=True):
        min(first, second, key=lambda own: sum(map(_cost, own))).append(task)
    return first, second


def _cost(task: Task) -> float:
    """Where compiling a program costs 1. What is left of a program without one of its parts is compiled too."""
    leaves_out = any(run.leave_out is not None for run in task.runs)
    return 1 + CHANGED_PROGRAMS * leaves_out + COST_OF_A_RUN * len(task.runs)
