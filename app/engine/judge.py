"""Judging one submission, in five steps.

1. Call: the student's box answers every open case by calling the function. Each answer is compared.
2. Examine: where the problem asks how answers are computed, or has sealed cases, a box of the student's traces the
   function without values. The programs that come out go to an inspector, a box that never holds Python of a student.
   It reports what the programs do, and runs them on the inputs of all these cases, the sealed ones included.
3. Confirm: one case that is accepted so far is called again, as the first one of another process. That process has no
   memory of other cases, and another count of calls, clock and process ID. Its answer must be right there too.
4. Time: where the problem limits the time relative to the reference's, both are measured, if all cases are accepted.
5. Finish: the verdict and the score follow from the results of all cases.

A case is accepted when its answer is right, its program's answer is right too, and every requirement is met. Cases that
run out of time on an overloaded machine wait until it is quieter and run once more; that result counts. So do
measurements that find a submission too slow. A judging waits so once, at the first step that needs it.

Compiled kernels in Triton can't be watched. So where an interpreter may run them too, it judges first, with its checks
and the requirement `kernel`. Then a GPU judges what was accepted.
"""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from threading import Event

from app.engine.case_verdict import (
    ENDS_ITS_PROCESS,
    GIVEN_UP_MESSAGE,
    TOO_SLOW_MESSAGE,
    check_again,
    check_calls,
    check_case,
    check_program,
    result_not_run,
)
from app.engine.examination import Examiner, choose_tried, examine, is_telling
from app.engine.inspection import Examination, Inspectors
from app.engine.job import Context, Job, OnResult
from app.engine.overload import was_overloaded
from app.engine.parallel_runs import CallEnd, call_again, call_cases, call_open_cases
from app.engine.prepare import PreparedCase
from app.engine.request import answer_bytes, read_outcome
from app.engine.timing import compare_with_reference
from app.judging.efficiency import TimeComparison
from app.judging.requirements.kernel import Kernel
from app.judging.verdicts import CaseResult, Finish, Verdict, overall, score, score_by_points
from sandbox.interface import Box, CaseOutcome, Ending
from sandbox.pool import Pool


def judge(job: Job, pool: Pool, on_result: OnResult, abort: Event) -> Finish:
    """Judge the submission. Calls `on_result` with each result as soon as it is final.

    Returns the results in order of position. Raises BoxLost when the sandbox fails and JudgeFailed when the package
    does: the student is not charged for either. Raises Aborted when `abort` is set.
    """
    manifest = job.manifest
    if not (manifest.limits.gpu and manifest.limits.interpreter and "triton" in manifest.frameworks):
        return _judge_once(job, pool, on_result, abort)
    interpreted = _judge_once(replace(job, package=job.package.interpreted), pool, lambda _: None, abort)
    if interpreted.verdict is Verdict.ACCEPTED:
        others = tuple(each for each in manifest.requirements if not isinstance(each, Kernel))
        compiled = replace(job.package, manifest=manifest.model_copy(update={"requirements": others}))
        return _judge_once(replace(job, package=compiled), pool, on_result, abort)
    for result in interpreted.cases:
        on_result(result)
    return interpreted


def _judge_once(job: Job, pool: Pool, on_result: OnResult, abort: Event) -> Finish:
    context = Context(job, pool, on_result, abort)
    with closing(job.timeline):
        called = check_open_cases(context)
        examine_programs(context, called)
        confirm(context, called.again)
        times = compare_with_reference(context)
    return finish(context, called.box, times)


def check_open_cases(context: Context) -> CallEnd:
    """Step 1: call the function on every open case, and compare its answers."""
    check = _AnswerCheck(context)
    end = call_open_cases(context, check.check)
    if check.late:
        context.overload.wait()
        context.too_slow.clear()
        names = {case.name for case in (*check.late, *end.left)}
        late = call_cases(context, [case for case in context.job.open_cases if case.name in names], check.check)
        end = replace(late, again=end.again)
    why = TOO_SLOW_MESSAGE if context.too_slow.is_set() else GIVEN_UP_MESSAGE
    for case in [*end.left, *context.job.sealed_cases] if end.left else []:
        context.results.keep(result_not_run(case, check.last, why))
    return replace(end, load_failure=check.load_failure)


class _AnswerCheck:
    """Checks the outcomes of open cases as they arrive.

    `late`: cases that are to run once more. `last`: the verdict of the last case that ended its process.
    """

    def __init__(self, context: Context) -> None:
        self.late: list[PreparedCase] = []
        self.last = Verdict.RUNTIME_ERROR
        self.load_failure: CaseOutcome | None = None
        self._context = context
        self._cases = {case.name: case for case in context.job.open_cases}

    def check(self, outcome: CaseOutcome) -> None:
        context, case = self._context, self._cases[outcome.name]
        if outcome.ending is Ending.TIMED_OUT and _is_first_sample(context.job, case):
            context.too_slow.set()
        if context.overload.excuses(outcome):
            self.late.append(case)
            return
        with context.job.timeline.aside("checking"):
            result = _check_answer(context, case, outcome)
            may_change = context.job.manifest.asks_for_programs or context.is_confirmed_or_timed(case)
            context.results.settle(result, may_change=may_change)
        if outcome.ending in ENDS_ITS_PROCESS:
            self.last = result.verdict
        if outcome.failure is not None and outcome.failure.stage == "load":
            self.load_failure = outcome


def _is_first_sample(job: Job, case: PreparedCase) -> bool:
    """Whether no other case can be accepted in time if this one can't. With parts, each part counts by itself."""
    return case is job.cases[0] and case.visibility == "sample" and not job.manifest.parts


def _check_answer(context: Context, case: PreparedCase, outcome: CaseOutcome) -> CaseResult:
    manifest = context.job.manifest
    own, calls = read_outcome(manifest, outcome)
    context.job.on_outcome(own)
    return check_calls(manifest, context.job.source, case, check_case(context.checker, case, own), calls)


def examine_programs(context: Context, called: CallEnd) -> None:
    """Step 2: examine the programs of cases that are right so far, and of sealed ones."""
    job = context.job
    sealed = [] if called.left else job.sealed_cases
    if called.load_failure is not None:  # the source would not load for the sealed cases either
        for case in sealed:
            context.results.keep(_check_answer(context, case, replace(called.load_failure, name=case.name)))
        return
    right = context.results.right.keys() if job.manifest.asks_for_programs else ()
    cases = [*(case for case in job.open_cases if case.name in right), *sealed]
    if not cases:
        return
    job.timeline.begin("inspecting")
    check, examiner = _ProgramCheck(context, cases), _examiner(context, cases)
    # The last ones first: those are hidden, and students do not know their order.
    tried = choose_tried(job.manifest, [case.input for case in reversed(cases) if is_telling(case.evidence)])
    examine(examiner, [case.input for case in cases], tried, check.check)
    if late := [case.input for case in cases if case.name in check.late]:
        context.overload.wait()
        job.timeline.begin("inspecting")
        examine(examiner, late, tried, check.check)


class _ProgramCheck:
    """Checks the examined programs as they arrive. `late`: the names of cases that are to be examined once more."""

    def __init__(self, context: Context, cases: Sequence[PreparedCase]) -> None:
        self.late: set[str] = set()
        self._context = context
        self._cases = {case.name: case for case in cases}
        self._right = dict(context.results.right)
        self._was_overloaded = False

    def check(self, examined: Examination) -> None:
        context, case = self._context, self._cases[examined.name]
        self._was_overloaded = self._was_overloaded or was_overloaded(examined.outcome)
        if context.overload.may_wait and self._was_overloaded and examined.is_out_of_time:
            self.late.add(case.name)
            return
        with context.job.timeline.aside("checking"):
            if case.sealed:
                context.job.on_outcome(examined.outcome)
            result = check_program(context.checker, case, self._right.get(case.name), examined)
            context.results.settle(result, may_change=context.is_confirmed_or_timed(case))


def _examiner(context: Context, cases: Sequence[PreparedCase]) -> Examiner:
    job = context.job
    assert job.inspectors is not None, "a problem with requirements on programs needs inspectors"
    inspectors = Inspectors(
        pool=job.inspectors,
        package=job.package,
        abort=context.abort,
        answer_bytes=answer_bytes([case.expected for case in cases]),
    )
    return Examiner(source=job.source, makers=context.pool, inspectors=inspectors)


def confirm(context: Context, again: CaseOutcome | None) -> None:
    """Step 3: check the second run of the drawn case. A submission that is wrong already needs none.

    `again`: its outcome, if a second process has called it beside the first one.
    """
    drawn, results = context.drawn, context.results
    if drawn is None or drawn.name not in results.right:
        return
    result = results.right[drawn.name]
    if results.are_accepted:
        context.job.timeline.begin("again")
        outcome = again or call_again(context, drawn)
        if context.overload.excuses(outcome):
            context.overload.wait()
            context.job.timeline.begin("again")
            outcome = call_again(context, drawn)
        result = check_again(context.checker, drawn, result, outcome)
    results.settle(result, may_change=drawn.name in context.timed)


def finish(context: Context, box: Box, times: TimeComparison | None) -> Finish:
    """Step 5: the verdict is that of the first case, in order of position, that is not accepted."""
    cases = context.results.by_position
    return Finish(
        verdict=overall([result.verdict for result in cases]),
        score=_score(context.job, cases),
        cases=cases,
        times=times,
        image=box.ready.image,
        versions=box.ready.versions,
    )


def _score(job: Job, results: Sequence[CaseResult]) -> int:
    """Return the points of the accepted parts, or without parts the share of accepted cases in percent."""
    if not job.manifest.parts:
        return score([result.verdict for result in results])
    points = {part.name: part.points for part in job.manifest.parts}
    part_of = {case.name: case.part for case in job.manifest.cases if case.part is not None}
    return score_by_points(points, part_of, {result.name: result.verdict for result in results})
