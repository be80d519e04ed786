"""Judging one submission.

1. Every open case is answered by calling the function, in the student's box; each answer is compared. Where a core and
   a box are idle, some of the shapes of inputs are called in a second process beside the first.
2. Where the problem asks how answers are computed, or has sealed cases, the function is traced there once more, without
   values. The programs that come out go to an inspector, a box that never holds Python of a student: it tells what they
   do and runs them on the inputs of all these cases, the sealed ones included.
3. A case is accepted when its answer is right, its program's too, and every requirement is met.
4. One case that is accepted so far is called again, as the first one of another process.

Cases that run out of time on an overloaded machine wait until it is quieter and run once more; that result counts. A
judging does so once, at the first step where this happens.

One case, drawn at random, runs again in a process of its own: what it says there must be right too.

What a process remembers of other cases is not there, and neither is its count of calls, its clock or its id.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from threading import Event, Lock, Timer
from typing import Generic, TypeVar

from app.capacity import count_cores
from app.catalog.package import Package
from app.judging.verdicts import CaseResult, Verdict, overall, score
from app.queue.lease import Finish
from app.worker.ablation import choose_tried, is_telling
from app.worker.boxes import box_spec
from app.worker.check import check_again, check_calls, check_case, check_program, give_up
from app.worker.custom_checker import CustomChecker
from app.worker.inspection import Exports, export_programs, signatures_of
from app.worker.inspection_cache import Inspections
from app.worker.overload import was_overloaded
from app.worker.prepare import PreparedCase
from app.worker.program_examination import Bench, Examined, Sighting, examine
from app.worker.recording import read_outcome, recorded
from app.worker.request import answer_bytes, build_request, patient
from app.worker.run import run_all, run_cases
from app.worker.shapes import split_by_shape
from app.worker.timeline import Timeline
from sandbox.interface import Aborted, Box, CaseInput, CaseOutcome, Ending
from sandbox.pool import Pool

_CHANCE = random.SystemRandom()


def draw(package: Package, cases: Sequence[PreparedCase]) -> PreparedCase | None:
    """Not the one that runs first, where there are others: it would run first again. None: nothing is to run again."""
    return _CHANCE.choice(cases[1:] or cases) if package.manifest.deterministic else None


def run_again(package: Package, source: str, case: PreparedCase, pool: Pool, abort: Event) -> CaseOutcome:
    """With patience: what was compiled for the cases before is compiled for this one now. Raises BoxLost, Aborted."""
    given = [CaseInput(name=case.name, inputs=case.inputs)]
    request = patient(build_request(package, source, given, answer_bytes([case.expected])))
    outcomes: list[CaseOutcome] = []
    run_cases(pool, box_spec(package.manifest), request, outcomes.append, abort)
    (outcome,) = outcomes
    return outcome


T = TypeVar("T")

LOOK_SECONDS = 0.05
# For a run that decides nothing any more.
GRACE_SECONDS = 1.0
OnResult = Callable[[CaseResult], None]
OnOutcome = Callable[[CaseOutcome], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """`cases` in the order in which they run.

    `references`: where the package's own checker.py runs, if it has one. `inspectors`: where exported programs do, if
    the problem has requirements on them or sealed cases. Neither pool's boxes ever hold a submission's source.
    `on_outcome` gets what each case is judged by, before it is. `timeline` is told what goes on.
    `wait_until_quieter` returns when cases that ran out of time on an overloaded machine are to run once more, and
    raises Aborted when the event is set; None: they do not run once more. `runs_in_parallel`: cases may run beside each
    other, the second run of a case among them. `inspections`: of earlier programs, if they count.
    """

    package: Package
    source: str
    cases: Sequence[PreparedCase]
    references: Pool | None = None
    inspectors: Pool | None = None
    on_outcome: OnOutcome | None = None
    timeline: Timeline = field(default_factory=Timeline)
    wait_until_quieter: Callable[[Event], None] | None = None
    runs_in_parallel: bool = False
    inspections: Inspections | None = None


def judge(job: Job, pool: Pool, on_result: OnResult, abort: Event) -> Finish:
    """Raises BoxLost when the sandbox and JudgeFailed when the package fails: the student is not charged for either.

    Raises Aborted when `abort` is set. `on_result` gets each result as it comes in; the cases of what is returned are
    in order of position.
    """
    results = _Results(on_result)
    with closing(job.timeline):  # a span that stayed open would be closed by the garbage collector, at any moment
        box = _Run(job, pool, abort, results).run()
    cases = results.by_position
    verdicts = [result.verdict for result in cases]
    return Finish(
        verdict=overall(verdicts),
        score=score(verdicts),
        cases=cases,
        image=box.ready.image,
        versions=box.ready.versions,
    )


class _Results:
    def __init__(self, on_result: OnResult) -> None:
        self._on_result = on_result
        self._found: list[CaseResult] = []

    def keep(self, result: CaseResult) -> None:
        self._found.append(result)
        self._on_result(result)

    @property
    def are_accepted(self) -> bool:
        return all(result.verdict is Verdict.ACCEPTED for result in self._found)

    @property
    def by_position(self) -> tuple[CaseResult, ...]:
        return tuple(sorted(self._found, key=lambda result: result.position))


class _Ahead(Generic[T]):
    """A run in a box of its own that is begun before its turn, or else when its result is asked for."""

    def __init__(self, run: Callable[[Event], T]) -> None:
        self._run = run
        self._given_up = Event()
        self._running: Future[T] | None = None

    def begin(self) -> None:
        self._given_up = Event()  # another one than that of a run which was given up
        executor = ThreadPoolExecutor(1, "run-ahead")
        self._running = executor.submit(copy_context().run, self._run, self._given_up)
        executor.shutdown(wait=False)

    @property
    def has_begun(self) -> bool:
        return self._running is not None

    def give_up(self) -> None:
        """Its result decides nothing any more. A run that ends soon leaves a box that can be used again."""
        running, self._running = self._running, None
        if running is not None and not running.done():
            timer = Timer(GRACE_SECONDS, self._given_up.set)
            timer.daemon = True
            timer.start()

    def result(self, abort: Event) -> T:
        """Raises what the run raises, and Aborted. Without a run that was begun, one runs now."""
        running, self._running = self._running, None
        if running is None:
            return self._run(abort)
        while not abort.is_set():
            if wait([running], LOOK_SECONDS).done:
                return running.result()
        self._given_up.set()
        raise Aborted


@dataclass(frozen=True, slots=True, kw_only=True)
class _Called:
    """`late`: cases that are to run once more. `left`: those that no process was left for. `last`: the last verdict."""

    box: Box
    late: Sequence[PreparedCase]
    left: Sequence[PreparedCase]
    last: Verdict


class _Run:
    """What is right so far waits in `_right`: a row that was shown does not change."""

    def __init__(self, job: Job, pool: Pool, abort: Event, results: _Results) -> None:
        self._timeline = job.timeline
        self._job, self._pool, self._abort, self._results = job, pool, abort, results
        self._asker = CustomChecker(job.package, job.references, abort)
        self._open = [case for case in job.cases if not case.sealed]
        self._sealed = [case for case in job.cases if case.sealed]
        self._beside: list[PreparedCase] = []
        self._drawn = draw(job.package, self._open)
        self._drawn_again: CaseOutcome | None = None
        self._right: dict[str, CaseResult] = {}
        self._checking = Lock()
        self._unloaded: CaseOutcome | None = None
        self._may_wait = job.wait_until_quieter is not None
        self._second = _Ahead(self._run_again)
        self._exports = _Ahead(self._export)
        self._call_beside = _Ahead(self._run_beside)

    def run(self) -> Box:
        with self._ahead():
            box = self._call()
            self._examine()
            for case in self._open:
                if case.name in self._right:
                    self._results.keep(self._confirmed(case, self._right[case.name]))
        return box

    @contextmanager
    def _ahead(self) -> Iterator[None]:
        """The second run, other shapes and the tracing of programs go on beside the first runs where a core is idle.

        Starting a box would take more of the cores than either run does.
        """
        boxes = self._pool.count_idle(box_spec(self._job.package.manifest)) - 1 if self._has_idle_core() else 0
        # Not where every input is in a box of the source's at that time: load would tell the tracer of values.
        if self._job.package.manifest.asks_for_programs and self._sealed and boxes > 0:
            self._exports.begin()
            boxes -= 1
        if boxes > 0:
            parameters = self._job.package.manifest.case_inputs
            self._beside = split_by_shape(self._open, parameters, 1 if self._drawn else 0)
            if self._beside:
                self._drawn = draw(self._job.package, self._mine)
                self._call_beside.begin()
            elif self._drawn is not None:
                self._second.begin()
        try:
            yield
        finally:
            for run in (self._second, self._exports, self._call_beside):
                run.give_up()

    @property
    def _mine(self) -> list[PreparedCase]:
        beside = {case.name for case in self._beside}
        return [case for case in self._open if case.name not in beside]

    def _has_idle_core(self) -> bool:
        return self._job.runs_in_parallel and self._pool.count().busy < count_cores() - 1

    def _run_again(self, abort: Event) -> CaseOutcome:
        assert self._drawn is not None, "no case was drawn"
        return run_again(self._job.package, self._job.source, self._drawn, self._pool, abort)

    def _run_again_meanwhile(self) -> None:
        """The box that traced the programs is idle while an inspector works."""
        is_wanted = self._drawn is not None and self._drawn.name in self._right and self._results.are_accepted
        has_box = self._pool.count_idle(box_spec(self._job.package.manifest)) > 0
        has_run = self._second.has_begun or self._drawn_again is not None
        if is_wanted and has_box and not has_run and self._has_idle_core():
            self._second.begin()

    def _export(self, abort: Event) -> Exports:
        """Of all cases: which of them are right is not known yet."""
        signatures = signatures_of(self._job.package.manifest, [case.inputs for case in self._job.cases])
        return export_programs(self._pool, self._job.package, self._job.source, signatures, abort)

    def _call(self) -> Box:
        """Calls the function on the open cases."""
        all_called = [self._call_on(self._mine, self._timeline, self._abort)]
        if self._beside:
            all_called.append(self._call_beside.result(self._abort))
        if any(called.late for called in all_called):
            self._wait_until_quieter()
            waiting = [case for called in all_called for case in (*called.late, *called.left)]
            again = [case for case in self._open if case in waiting]
            all_called = [self._call_on(again, self._timeline, self._abort)]
        for called in all_called:
            for case in called.left:
                self._results.keep(give_up(case, called.last))
        if gave_up := next((called for called in all_called if called.left), None):
            for case in self._sealed:
                self._results.keep(give_up(case, gave_up.last))
            self._sealed = []
        return all_called[0].box

    def _run_beside(self, abort: Event) -> _Called:
        return self._call_on(self._beside, Timeline(), abort, again=self._drawn)

    def _call_on(
        self, cases: Sequence[PreparedCase], timeline: Timeline, abort: Event, again: PreparedCase | None = None
    ) -> _Called:
        """`again`: before these; its outcome is that of its second run, unless time ran out."""
        job, manifest = self._job, self._job.package.manifest
        in_order = [again, *cases] if again else cases
        inputs = [CaseInput(name=case.name, inputs=case.inputs) for case in in_order]
        request = build_request(job.package, job.source, inputs, answer_bytes([case.expected for case in self._open]))
        waiting, late, last = {case.name: case for case in cases}, list[PreparedCase](), Verdict.ACCEPTED

        def check(outcome: CaseOutcome) -> None:
            nonlocal last
            if again is not None and outcome.name == again.name:
                own, _ = read_outcome(manifest, outcome)
                self._drawn_again = None if outcome.ending is Ending.TIMED_OUT else own
                return
            case = waiting.pop(outcome.name)
            if self._may_wait and outcome.ending is Ending.TIMED_OUT and was_overloaded(outcome):
                late.append(case)
                self._second.give_up()  # the machine is to get quieter
                self._exports.give_up()
                return
            with self._checking, self._timeline.aside("checking"):
                last = self._check_answer(case, outcome)
            if last is not Verdict.ACCEPTED:
                self._second.give_up()
            if outcome.failure is not None and outcome.failure.stage == "load":
                self._unloaded = outcome

        timeline.begin("box")
        with self._pool.lease(box_spec(manifest), abort, request.problem) as box:
            timeline.begin("running")
            run_all(box, recorded(manifest, request), check, abort)
        return _Called(box=box, late=late, left=list(waiting.values()), last=last)

    def _wait_until_quieter(self) -> None:
        assert self._job.wait_until_quieter is not None
        self._may_wait = False
        self._timeline.begin("waiting")
        self._job.wait_until_quieter(self._abort)

    def _check_answer(self, case: PreparedCase, outcome: CaseOutcome) -> Verdict:
        manifest = self._job.package.manifest
        own, calls = read_outcome(manifest, outcome)
        self._tell(own)
        result = check_calls(manifest, case, check_case(self._asker, case, own), calls)
        self._settle(case, result, is_final=not manifest.asks_for_programs)
        return result.verdict

    def _examine(self) -> None:
        """Traces and inspects what is right so far, and the sealed cases."""
        if self._unloaded is not None:  # and so it would be again
            for case in self._sealed:
                self._check_answer(case, replace(self._unloaded, name=case.name))
            return
        inspectors, manifest = self._job.inspectors, self._job.package.manifest
        called = [case for case in self._open if case.name in self._right] if manifest.asks_for_programs else []
        cases = {case.name: case for case in [*called, *self._sealed]}
        if not cases:
            return
        assert inspectors is not None, "a problem with requirements on programs needs inspectors"
        # The last ones first: those are hidden, and nobody knows their order beforehand.
        telling = [case for case in reversed(cases.values()) if is_telling(case.evidence)]
        tried = choose_tried(manifest, [CaseInput(name=case.name, inputs=case.inputs) for case in telling])
        sightings = [
            Sighting(name=case.name, inputs=case.inputs, is_tried=case.name in tried) for case in cases.values()
        ]
        bench = Bench(
            package=self._job.package,
            makers=self._pool,
            inspectors=inspectors,
            abort=self._abort,
            answer_bytes=answer_bytes([case.expected for case in cases.values()]),
            inspections=self._job.inspections,
        )

        late, overloaded = list[Sighting](), False

        def check(examined: Examined) -> None:
            nonlocal overloaded
            overloaded = overloaded or was_overloaded(examined.outcome)
            if self._may_wait and overloaded and examined.is_out_of_time:
                late.extend(each for each in sightings if each.name == examined.name)
                return
            with self._timeline.aside("checking"):
                self._check_program(cases[examined.name], examined)

        self._timeline.begin("inspecting")
        exports = self._exports.result(self._abort) if self._exports.has_begun else None
        examine(bench, self._job.source, sightings, check, exports, on_exported=self._run_again_meanwhile)
        if late:
            self._wait_until_quieter()
            self._timeline.begin("inspecting")
            examine(bench, self._job.source, late, check)

    def _check_program(self, case: PreparedCase, examined: Examined) -> None:
        if case.sealed:
            self._tell(examined.outcome)
        result = check_program(self._asker, case, self._right.pop(case.name, None), examined)
        self._settle(case, result, is_final=True)

    def _settle(self, case: PreparedCase, result: CaseResult, *, is_final: bool) -> None:
        """Shows it, unless more is to be found out about it."""
        if result.verdict is Verdict.ACCEPTED and (not is_final or case is self._drawn):
            self._right[case.name] = result
        else:
            self._results.keep(result)

    def _confirmed(self, case: PreparedCase, first: CaseResult) -> CaseResult:
        """A submission that is not accepted anyway need not wait for it."""
        if not self._results.are_accepted:
            return first
        self._timeline.begin("again")
        outcome = self._drawn_again or self._second.result(self._abort)
        if self._may_wait and outcome.ending is Ending.TIMED_OUT and was_overloaded(outcome):
            self._wait_until_quieter()
            self._timeline.begin("again")
            outcome = run_again(self._job.package, self._job.source, case, self._pool, self._abort)
        return check_again(self._asker, case, first, outcome)

    def _tell(self, outcome: CaseOutcome) -> None:
        if self._job.on_outcome is not None:
            self._job.on_outcome(outcome)
