"""Judging one submission, in five steps.

1. Call: the student's box answers every open case by calling the function. Each answer is compared.
2. Examine: where the problem asks how answers are computed, or has sealed cases, a box of the student's traces the
   function without values. The programs that come out go to an inspector, a box that never holds Python of a student.
   It reports what the programs do, and runs them on the inputs of all these cases, the sealed ones included.
3. Confirm: one case that is accepted so far is called again, as the first one of another process.
4. Time: where the problem limits the time relative to the reference's, both are measured, if all cases are accepted.
5. Finish: the verdict and the score follow from the results of all cases.

A case is accepted when its answer is right, its program's answer is right too, and every requirement is met. Runs may
start ahead of their turn, where a core and a box are idle. Cases that run out of time on an overloaded machine wait
until it is quieter and run once more; that result counts. So do measurements that find a submission too slow. A judging
waits so once, at the first step that needs it.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from threading import Event

from app.catalog.manifest import Manifest
from app.engine.ablation import choose_tried, is_telling
from app.engine.boxes import INSPECTOR, box_spec
from app.engine.case_verdict import (
    GIVEN_UP_MESSAGE,
    TOO_SLOW_MESSAGE,
    check_calls,
    check_case,
    check_program,
    result_not_run,
)
from app.engine.custom_checker import CustomChecker
from app.engine.inspection import Exports, export_programs, signatures_of
from app.engine.job import Context, Job, OnResult, Results
from app.engine.overload import WaitOnce, was_overloaded
from app.engine.prepare import PreparedCase
from app.engine.program_examination import Bench, Examined, Sighting, examine
from app.engine.recording import read_outcome, recorded
from app.engine.request import answer_bytes, build_request
from app.engine.run import RunAhead, run_all
from app.engine.second_run import confirm, draw, run_again
from app.engine.shared_cases import Process, SharedCases
from app.engine.timeline import Timeline
from app.engine.timing import compare_with_reference
from app.judging.finish import Finish
from app.judging.verdicts import CaseResult, Verdict, overall, score, score_by_points
from sandbox.interface import Box, CaseInput, CaseOutcome, Ending
from sandbox.pool import Pool


def judge(job: Job, pool: Pool, on_result: OnResult, abort: Event) -> Finish:
    """Judge the submission. Calls `on_result` with each result as soon as it is final.

    Returns the results in order of position. Raises BoxLost when the sandbox fails and JudgeFailed when the package
    does: the student is not charged for either. Raises Aborted when `abort` is set.
    """
    results = Results(on_result)
    timed = frozenset(case.name for cases in job.timed_cases.values() for case in cases)
    checker = CustomChecker(job.package, job.references, abort)
    context = Context(job, pool, abort, results, WaitOnce(job.wait_until_quieter, job.timeline, abort), checker, timed)
    with closing(job.timeline), _runs_ahead(context) as ahead:
        called = call_open_cases(context, ahead)
        right = examine_programs(context, ahead, called)
        right = confirm(context, ahead.drawn, right, lambda: called.again or ahead.second.result(abort))
        times = compare_with_reference(context, right)
    cases = results.by_position
    return Finish(
        verdict=overall([result.verdict for result in cases]),
        score=_score(job.manifest, cases),
        cases=cases,
        times=times,
        image=called.box.ready.image,
        versions=called.box.ready.versions,
    )


def _score(manifest: Manifest, results: Sequence[CaseResult]) -> int:
    """Return the points of the accepted parts, or without parts the share of accepted cases in percent."""
    if not manifest.parts:
        return score([result.verdict for result in results])
    points = {part.name: part.points for part in manifest.parts}
    part_of = {case.name: case.part for case in manifest.cases if case.part is not None}
    return score_by_points(points, part_of, {result.name: result.verdict for result in results})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Called:
    """`right`: results that are accepted so far, by the name of the case. `unloaded`: why the source did not load.

    `late`: cases that are to run once more. `left`: cases that no process was left for, because of `why_left`. `last`:
    the last verdict. `again`: the outcome of the second run of the drawn case, if it ran beside the first runs.
    """

    box: Box
    right: Mapping[str, CaseResult]
    late: Sequence[PreparedCase]
    left: Sequence[PreparedCase]
    why_left: str
    last: Verdict
    unloaded: CaseOutcome | None
    again: CaseOutcome | None

    def merged(self, other: "_Called") -> "_Called":
        return replace(
            self,
            right={**self.right, **other.right},
            late=[*self.late, *other.late],
            left=[*self.left, *other.left],
            unloaded=self.unloaded or other.unloaded,
            again=self.again or other.again,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ahead:
    """Runs that may begin before their turn.

    `drawn`: the case of the second run. `shared`: if two processes share the open cases. `beside`: the second of them.
    """

    drawn: PreparedCase | None
    shared: SharedCases | None
    second: RunAhead[CaseOutcome]
    exports: RunAhead[Exports]
    beside: RunAhead[_Called]

    def give_up(self) -> None:
        self.second.give_up()
        self.exports.give_up()


@contextmanager
def _runs_ahead(context: Context) -> Iterator[_Ahead]:
    job, pool = context.job, context.pool
    boxes = context.count_idle_boxes() - 1 if context.has_idle_core else 0
    # Without sealed cases, every input is in a student's box while the tracer runs. The machine's load could tell the
    # tracer of values.
    traces = job.manifest.asks_for_programs and bool(job.sealed_cases) and boxes > 0
    drawn, shared = draw(job.package, job.open_cases), None
    if boxes - traces > 0 and len(job.open_cases) > 1:
        shared = SharedCases(job.open_cases, job.manifest, drawn, context.too_slow.is_set)

    def run_second(abort: Event) -> CaseOutcome:
        assert drawn is not None, "no case was drawn"
        return run_again(job.package, job.source, drawn, pool, abort)

    def trace(abort: Event) -> Exports:
        signatures = signatures_of(job.manifest, [case.inputs for case in job.cases])
        return export_programs(pool, job.package, job.source, signatures, abort)

    ahead = _Ahead(
        drawn=drawn,
        shared=shared,
        second=RunAhead(run_second),
        exports=RunAhead(trace),
        beside=RunAhead(lambda abort: _call(context, ahead, job.open_cases, Timeline(), abort, Process.SECOND)),
    )
    if traces:
        ahead.exports.begin()
    if shared is not None:
        ahead.beside.begin()
    elif drawn is not None and boxes - traces > 0:
        ahead.second.begin()
    try:
        yield ahead
    finally:
        ahead.give_up()
        ahead.beside.give_up()


def call_open_cases(context: Context, ahead: _Ahead) -> _Called:
    """Step 1: call the function on every open case, and compare its answers."""
    job = context.job
    if ahead.shared is None:
        called = _call(context, ahead, job.open_cases, job.timeline, context.abort)
    else:
        first = _call(context, ahead, job.open_cases, job.timeline, context.abort, Process.FIRST)
        called = replace(first.merged(ahead.beside.result(context.abort)), left=ahead.shared.left())
    if called.late:
        context.overload.wait()
        context.too_slow.clear()
        names = {case.name for case in (*called.late, *called.left)}
        waiting = [case for case in job.open_cases if case.name in names]
        once_more = _call(context, ahead, waiting, job.timeline, context.abort)
        called = once_more.merged(replace(called, late=[], left=[]))
    if called.left:
        for case in [*called.left, *job.sealed_cases]:
            context.results.keep(result_not_run(case, called.last, called.why_left))
    return called


def _call(
    context: Context,
    ahead: _Ahead,
    cases: Sequence[PreparedCase],
    timeline: Timeline,
    abort: Event,
    process: Process | None = None,
) -> _Called:
    """Call the function on these cases in one box; as one of two processes, on those of them that it takes."""
    job, shared = context.job, ahead.shared if process is not None else None
    inputs = [CaseInput(name=case.name, inputs=case.inputs) for case in cases]
    request = build_request(job.package, job.source, inputs, job.answer_bytes)
    if shared is not None and process is not None:
        request = replace(request, queue=shared.queue(process))
    is_again = process is Process.SECOND and ahead.drawn is not None  # the next outcome is of the second run
    waiting, right, late = {case.name: case for case in cases}, dict[str, CaseResult](), list[PreparedCase]()
    last = Verdict.ACCEPTED
    unloaded: CaseOutcome | None = None
    second: CaseOutcome | None = None

    def check(outcome: CaseOutcome) -> None:
        nonlocal is_again, last, unloaded, second
        if is_again:
            is_again = False
            # Without time it runs once more by itself, with a patient limit.
            second = None if outcome.ending is Ending.TIMED_OUT else read_outcome(job.manifest, outcome)[0]
            return
        if shared is not None:
            shared.note(outcome.name, outcome.wall_seconds)
        if outcome.ending is Ending.TIMED_OUT and _is_first_sample(job, outcome.name):
            context.too_slow.set()
        case = waiting.pop(outcome.name)
        if context.overload.excuses(outcome):
            late.append(case)
            ahead.give_up()  # the machine is to get quieter
            return
        with context.checking, job.timeline.aside("checking"):
            result = _check_answer(context, case, outcome)
            last = result.verdict
            if last is not Verdict.ACCEPTED:
                ahead.second.give_up()
            if last is Verdict.ACCEPTED and (job.manifest.asks_for_programs or _is_open(context, ahead, case)):
                right[case.name] = result  # more is to be found out about it
            else:
                context.results.keep(result)
        if outcome.failure is not None and outcome.failure.stage == "load":
            unloaded = outcome

    timeline.begin("box")
    with context.pool.lease(box_spec(job.manifest), abort, request.problem) as box:
        timeline.begin("running")
        run_all(box, recorded(job.manifest, request), check, abort, context.too_slow.is_set)
    return _Called(
        box=box,
        right=right,
        late=late,
        left=[] if shared is not None else list(waiting.values()),
        why_left=TOO_SLOW_MESSAGE if context.too_slow.is_set() else GIVEN_UP_MESSAGE,
        last=last,
        unloaded=unloaded,
        again=second,
    )


def _is_open(context: Context, ahead: _Ahead, case: PreparedCase) -> bool:
    """Whether a later step has to find out more about a case that is accepted so far."""
    return case is ahead.drawn or case.name in context.timed


def _is_first_sample(job: Job, name: str) -> bool:
    """Whether no other case can be accepted in time if this one can't. With parts, each part counts by itself."""
    first = job.cases[0]
    return first.name == name and first.visibility == "sample" and not job.manifest.parts


def _check_answer(context: Context, case: PreparedCase, outcome: CaseOutcome) -> CaseResult:
    manifest = context.job.manifest
    own, calls = read_outcome(manifest, outcome)
    context.tell(own)
    return check_calls(manifest, context.job.source, case, check_case(context.checker, case, own), calls)


def examine_programs(context: Context, ahead: _Ahead, called: _Called) -> Mapping[str, CaseResult]:
    """Step 2: examine the programs of cases that are right so far, and of sealed ones. Returns what is right then."""
    job, manifest = context.job, context.job.manifest
    sealed = [] if called.left else job.sealed_cases
    if called.unloaded is not None:  # the source would not load for the sealed cases either
        for case in sealed:
            context.results.keep(_check_answer(context, case, replace(called.unloaded, name=case.name)))
        return called.right
    of_programs = [case for case in job.open_cases if case.name in called.right] if manifest.asks_for_programs else []
    cases = {case.name: case for case in [*of_programs, *sealed]}
    if not cases:
        return called.right
    right = {name: result for name, result in called.right.items() if name not in cases}
    late, overloaded = list[Sighting](), False
    sightings = _sightings(manifest, list(cases.values()))

    def check(examined: Examined) -> None:
        nonlocal overloaded
        overloaded = overloaded or was_overloaded(examined.outcome)
        if context.overload.may_wait and overloaded and examined.is_out_of_time:
            late.extend(each for each in sightings if each.name == examined.name)
            return
        case = cases[examined.name]
        with job.timeline.aside("checking"):
            if case.sealed:
                context.tell(examined.outcome)
            result = check_program(context.checker, case, called.right.get(case.name), examined)
            if result.verdict is Verdict.ACCEPTED and _is_open(context, ahead, case):
                right[case.name] = result
            else:
                context.results.keep(result)

    job.timeline.begin("inspecting")
    exports = ahead.exports.result(context.abort) if ahead.exports.has_begun else None
    bench = _bench(context, list(cases.values()))  # now that the tracer has freed its core
    examine(
        bench, job.source, sightings, check, exports, on_exported=partial(_begin_second_run, context, ahead, called)
    )
    if late:
        context.overload.wait()
        job.timeline.begin("inspecting")
        examine(bench, job.source, late, check)
    return right


def _sightings(manifest: Manifest, cases: Sequence[PreparedCase]) -> list[Sighting]:
    # The last ones first: those are hidden, and students do not know their order.
    telling = [case for case in reversed(cases) if is_telling(case.evidence)]
    tried = choose_tried(manifest, [CaseInput(name=case.name, inputs=case.inputs) for case in telling])
    return [Sighting(name=case.name, inputs=case.inputs, is_tried=case.name in tried) for case in cases]


def _bench(context: Context, cases: Sequence[PreparedCase]) -> Bench:
    job = context.job
    assert job.inspectors is not None, "a problem with requirements on programs needs inspectors"
    return Bench(
        package=job.package,
        makers=context.pool,
        inspectors=job.inspectors,
        abort=context.abort,
        answer_bytes=answer_bytes([case.expected for case in cases]),
        inspections=job.inspections,
        in_parallel=context.has_idle_core and job.inspectors.count_idle(INSPECTOR) > 1,
    )


def _begin_second_run(context: Context, ahead: _Ahead, called: _Called) -> None:
    """In the box that traced the programs, which is idle while an inspector works."""
    is_wanted = ahead.drawn is not None and ahead.drawn.name in called.right and context.results.are_accepted
    has_run = ahead.second.has_begun or called.again is not None
    if is_wanted and not has_run and context.count_idle_boxes() > 0 and context.has_idle_core:
        ahead.second.begin()
