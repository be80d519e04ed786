"""Call the function on cases: in one process, or in two that share the open cases.

If a core and a box are idle, a second process of the submission begins once the first case is right. It does not begin
before, since two thirds of all submissions are wrong, and most of them there. It calls the drawn case first, which is
that case's second run. Then each process takes another case when it is free.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from itertools import chain
from threading import Event, Lock

from app.capacity import count_cores
from app.catalog.manifest import Manifest
from app.catalog.parameter import FRAMEWORKS_OF
from app.engine.boxes import box_spec
from app.engine.job import Context, Timeline
from app.engine.prepare import PreparedCase, shapes_of
from app.engine.request import answer_bytes, build_request, patient, read_outcome, recorded, run_all, run_cases
from sandbox.interface import Box, CaseInput, CaseOutcome, CaseQueue, Ending, OnCase


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnd:
    """The end of calling cases. `box`: the one that ran them. `left`: cases that no process was left for.

    `again`: the outcome of the drawn case in the second process, if there was one. `load_failure`: if the source could
    not be loaded.
    """

    box: Box
    left: Sequence[PreparedCase]
    again: CaseOutcome | None = None
    load_failure: CaseOutcome | None = None


def call_open_cases(context: Context, on_outcome: OnCase) -> CallEnd:
    """Call the function on all open cases. `on_outcome` gets one outcome at a time. Raises BoxLost, Aborted."""
    job, drawn = context.job, context.drawn
    if len(job.open_cases) < 2 or not _has_room(context):
        return call_cases(context, job.open_cases, on_outcome)
    has_failed, lock = Event(), Lock()
    shared = SharedCases(job.open_cases, job.manifest, drawn, lambda: has_failed.is_set() or context.too_slow.is_set())
    again, second = list[CaseOutcome](), list[Future[Box]]()

    def deliver(outcome: CaseOutcome) -> None:
        with lock:
            on_outcome(outcome)

    def deliver_or_keep(outcome: CaseOutcome) -> None:
        """The second process never shares the drawn case: its outcome there is that of the second run."""
        if drawn is None or outcome.name != drawn.name:
            deliver(outcome)
        elif outcome.ending is not Ending.TIMED_OUT:  # else it runs once more by itself, with a patient limit
            again.append(read_outcome(job.manifest, outcome)[0])

    with ThreadPoolExecutor(1, "second-process") as executor:

        def deliver_and_begin(outcome: CaseOutcome) -> None:
            deliver(outcome)
            if not second and outcome.ending is Ending.ANSWERED and context.results.are_accepted:
                run = copy_context().run
                second.append(executor.submit(run, _call, context, shared.second, deliver_or_keep, Timeline()))

        try:
            box = _call(context, shared.first, deliver_and_begin, job.timeline)
        except Exception:
            has_failed.set()
            raise
    for future in second:
        future.result()
    return CallEnd(box=box, left=shared.left, again=next(iter(again), None))


def call_cases(context: Context, cases: Sequence[PreparedCase], on_outcome: OnCase) -> CallEnd:
    """Call the function on these cases in one process, and in others if they kill it. Raises BoxLost, Aborted."""
    queue = CaseQueue([case.input for case in cases])
    box = _call(context, queue, on_outcome, context.job.timeline)
    return CallEnd(box=box, left=cases[len(cases) - len(queue) :])


def call_again(context: Context, drawn: PreparedCase) -> CaseOutcome:
    """Call the function on the drawn case in another process. Raises BoxLost, Aborted.

    The time limit is longer: the first run may have compiled for this case while it ran others.
    """
    job, outcomes = context.job, list[CaseOutcome]()
    request = build_request(job.package, job.source, [drawn.input], answer_bytes([drawn.expected]))
    run_cases(context.pool, box_spec(job.manifest), patient(request), outcomes.append, context.abort)
    (outcome,) = outcomes
    return outcome


def _call(context: Context, queue: CaseQueue, on_outcome: OnCase, timeline: Timeline) -> Box:
    job = context.job
    request = replace(build_request(job.package, job.source, (), job.answer_bytes), queue=queue)
    timeline.begin("box")
    with context.pool.lease(box_spec(job.manifest), context.abort) as box:
        timeline.begin("running")
        run_all(box, recorded(job.manifest, request), on_outcome, context.abort, context.too_slow.is_set)
    return box


def _has_room(context: Context) -> bool:
    """Whether a core and a box are idle, besides those for the first process."""
    job, pool = context.job, context.pool
    has_core = job.runs_in_parallel and pool.count().busy < count_cores() - 1
    return has_core and pool.count_idle(box_spec(job.manifest)) > 1


class SharedCases:
    """The open cases, shared by two processes of a submission.

    Where JAX compiles for each shape, a process takes a case of a shape that no process has compiled for, or else of
    one that it has compiled for itself. Without this, the calls of `grad_accumulation_step` take 0.73 s in place of
    0.58 s.

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
        self.left, self.is_over, self.lock = list(cases), is_over, Lock()
        uses_jax = not set(FRAMEWORKS_OF["jax"]).isdisjoint(manifest.frameworks)
        shapes = [shape.cases for shape in shapes_of(cases, manifest.case_inputs)] if uses_jax else [[c] for c in cases]
        self.shape_of = {case.name: number for number, members in enumerate(shapes) for case in members}
        self.first = _Share(self, None)
        self.second = _Share(self, drawn)
        self.first.other, self.second.other = self.second, self.first


class _Share(CaseQueue):
    """The queue of one process. That of the second one begins with the `drawn` case, and never shares it."""

    other: "_Share"

    def __init__(self, shared: SharedCases, drawn: PreparedCase | None) -> None:
        super().__init__([drawn.input] if drawn is not None else [])
        self._shared, self._drawn = shared, drawn
        self._compiled = {shared.shape_of[drawn.name]} if drawn is not None else set[int]()
        # Without the shape of the drawn case, since the first process has to compile for it too.
        self._claimed = set[int]()

    def __len__(self) -> int:
        with self._shared.lock:
            return super().__len__() + (0 if self._choose() is None else len(self._shared.left))

    def take(self) -> CaseInput | None:
        """Return None if nothing is left for this process, or the other one is quicker with what is left."""
        with self._shared.lock:
            if (drawn := super().take()) is not None:
                return drawn
            if (case := self._choose()) is None:
                return None
            self._shared.left.remove(case)
            if (shape := self._shared.shape_of[case.name]) not in self._compiled:
                self._compiled.add(shape)
                self._claimed.add(shape)
            return case.input

    def _choose(self) -> PreparedCase | None:
        shape_of, cases = self._shared.shape_of, [case for case in self._shared.left if case is not self._drawn]
        if self._shared.is_over():
            return None
        known = self._compiled | self.other._claimed
        new = (case for case in cases if shape_of[case.name] not in known)
        own = (case for case in cases if shape_of[case.name] in self._compiled)
        return next(chain(new, own), None)
