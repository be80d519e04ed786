"""Step 4 of judging: measure how long a submission and the reference take, for the limits in `efficiency`.

Each round is one new process of the submission and then one of the reference, in boxes of the same kind on this
machine. The host's side of a box measures, outside both processes. A process gets each input once, so an answer that it
keeps helps no later call. Every answer is compared as usual: a program that only pretends to work while it is measured
is wrong. The least time of each case counts.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from app.engine.boxes import INSPECTOR, box_spec
from app.engine.case_verdict import check_again, check_calls, check_case, refuse
from app.engine.inspection import Inspectors, export_fault, export_programs, signature_of, time_programs
from app.engine.inspector_protocol import Run, Task
from app.engine.job import Context
from app.engine.overload import was_overloaded
from app.engine.prepare import PreparedCase, ReferenceFailed
from app.engine.request import build_request, patient, place_of, read_outcome, reason_of, recorded, run_all
from app.judging.efficiency import CasePair, Efficiency, Throughput, TimeComparison, compare_times
from app.judging.throughput import DeviceRun, throughput_of
from app.judging.verdicts import CaseResult, Verdict
from sandbox.interface import BoxSpec, CaseOutcome, Ending
from sandbox.pool import Pool

LEAST_ROUNDS = 2
ROUNDS = 5
# No further round begins after this time, if each case has a time.
MOST_SECONDS = 30

TOO_SLOW = "slower than allowed"
GPU_INSPECTOR = BoxSpec(INSPECTOR.frameworks, gpu=True)
Least = dict[str, float]
Right = Mapping[str, CaseResult]


@dataclass(slots=True)
class TimeMeasurement:
    """The least times so far, by case. `wrong`: the first result that is not accepted, which ends the measurement."""

    own: Least = field(default_factory=dict)
    reference: Least = field(default_factory=dict)
    comparison: TimeComparison | None = None
    wrong: CaseResult | None = None
    was_overloaded: bool = False

    @property
    def is_met(self) -> bool:
        return self.wrong is None and self.comparison is not None and self.comparison.is_met

    @property
    def is_hopeless(self) -> bool:
        return self.comparison is not None and self.comparison.is_hopeless

    def compare(self, rule: Efficiency, cases: Mapping[int, Sequence[PreparedCase]]) -> None:
        """Compare the times of the cases that have one."""
        own, reference = self.own, self.reference
        measured = {
            size: [CasePair(c.name, own[c.name], reference[c.name]) for c in members if c.name in own]
            for size, members in cases.items()
        }
        self.comparison = compare_times(rule, measured)

    def results(self, right: Right) -> list[CaseResult]:
        """Return the final results. Where the submission is too slow, slow cases of the largest size tell so."""
        found = dict(right)
        if self.wrong is not None:
            found[self.wrong.name] = self.wrong
        elif self.comparison is not None and not self.comparison.is_met:
            for name in self.comparison.slow_cases:
                found[name] = refuse(found[name], TOO_SLOW, self.comparison.sentence)
        return list(found.values())


def compare_with_reference(context: Context) -> TimeComparison | None:
    """Compare the times if all cases are accepted, and keep the results. Now only timed cases may change.

    Returns None if the submission is wrong, or nothing is timed. Raises JudgeFailed when the package's own code fails,
    BoxLost, Aborted.
    """
    job, results, overload = context.job, context.results, context.overload
    right = dict(results.right)
    if not context.timed or not results.are_accepted or len(right) < len(context.timed):
        for result in right.values():
            results.keep(result)
        return None
    job.timeline.begin("timing")
    timed = _measure(context, right)
    if not timed.is_met and timed.was_overloaded and (overload.may_wait or not timed.is_hopeless):
        if overload.may_wait:
            overload.wait()
            job.timeline.begin("timing")
        timed = _measure(context, right, timed)
    for result in timed.results(right):
        results.keep(result)
    if timed.comparison is None or not job.manifest.limits.gpu:
        return timed.comparison
    return timed.comparison.model_copy(update={"throughput": measure_throughput(context, GPU_INSPECTOR)})


def measure_throughput(context: Context, inspector: BoxSpec) -> Throughput | None:
    """Time the programs of the submission and the reference at each size, in boxes that hold neither source.

    Returns None if one can't be exported or timed, as in PyTorch, or answers wrongly. Raises BoxLost, Aborted.
    """
    job = context.job
    if job.inspectors is None or job.references is None or "jax" not in job.manifest.frameworks:
        return None
    chosen = {size: cases[0] for size, cases in job.timed_cases.items()}
    tasks = [
        *_tasks(context, context.pool, job.source, "own", chosen),
        *_tasks(context, job.references, job.package.reference, "reference", chosen),
    ]
    inspectors = Inspectors(
        pool=job.inspectors,
        package=job.package,
        abort=context.abort,
        answer_bytes=job.answer_bytes,
        spec=inspector,
    )
    outcomes, runs = time_programs(inspectors, tasks), list[DeviceRun]()
    for size, case in chosen.items():
        own, reference = outcomes.get(f"own {size}"), outcomes.get(f"reference {size}")
        if own is None or reference is None or check_case(context.checker, case, own).verdict is not Verdict.ACCEPTED:
            return None
        run = DeviceRun(
            size=size,
            seconds=own.wall_seconds,
            reference_seconds=reference.wall_seconds,
            work_bytes=len(case.inputs) + len(case.expected),
            flops=case.evidence.flops if case.evidence else 0.0,
        )
        runs.append(run)
    return throughput_of(job.card, runs)


def _tasks(context: Context, pool: Pool, source: str, whose: str, chosen: Mapping[int, PreparedCase]) -> list[Task]:
    """Export the source for the inputs of each size. Sizes that can't be exported are left out."""
    manifest = context.job.manifest
    signatures = {size: signature_of(manifest, case.inputs) for size, case in chosen.items()}
    exports = export_programs(
        pool, context.job.package, source, list(dict.fromkeys(signatures.values())), context.abort
    )
    tasks = []
    for size, signature in signatures.items():
        program = exports[signature].answer if signature in exports else None
        if program is not None:
            run = Run(f"{whose} {size}", chosen[size].inputs, None)
            tasks.append(Task(signature=signature, program=program, runs=[run]))
    return [task for task in tasks if export_fault(task) is None]


def _measure(context: Context, right: Right, before: TimeMeasurement | None = None) -> TimeMeasurement:
    """Measure until each case has a time and the result is clear, or for ROUNDS rounds.

    `before`: times that still count.
    """
    job = context.job
    rule = job.manifest.efficiency
    assert rule is not None, "the problem has no `efficiency`"
    assert job.references is not None, "a problem with `efficiency` needs boxes for its reference"
    timed = TimeMeasurement(own=before.own, reference=before.reference) if before else TimeMeasurement()

    def check(case: PreparedCase, outcome: CaseOutcome) -> None:
        own, calls = read_outcome(job.manifest, outcome)
        result = check_again(context.checker, case, right[case.name], own)
        result = check_calls(job.manifest, job.source, case, result, calls)
        if result.verdict is not Verdict.ACCEPTED and timed.wrong is None:
            timed.wrong = result

    def require(case: PreparedCase, outcome: CaseOutcome) -> None:
        if outcome.ending is not Ending.ANSWERED:
            place = f"{place_of(job.package, 'reference')}, case {case.name}, when it was timed"
            raise ReferenceFailed(f"{place}: {reason_of(outcome)}", part="reference", outcome=outcome)

    deadline = time.monotonic() + MOST_SECONDS
    least_rounds, rounds = _least_and_most_rounds(job.timed_cases, counts_first=not rule.warm_up)
    for number in range(rounds):
        calls = _calls(job.timed_cases, number, counts_first=not rule.warm_up)
        _run(context, job.source, context.pool, calls, timed, timed.own, check)
        if timed.wrong is not None:
            timed.comparison = None
            break
        _run(context, job.package.reference, job.references, calls, timed, timed.reference, require)
        timed.compare(rule, job.timed_cases)
        assert timed.comparison is not None
        is_decided = timed.comparison.has_room or time.monotonic() > deadline
        if number + 1 >= (LEAST_ROUNDS if timed.is_hopeless else least_rounds) and (is_decided or timed.is_hopeless):
            break
    return timed


def _least_and_most_rounds(cases: Mapping[int, Sequence[PreparedCase]], *, counts_first: bool) -> tuple[int, int]:
    """Where only the first call of a size counts, each case must be the first once."""
    least = max(LEAST_ROUNDS, *map(len, cases.values())) if counts_first else LEAST_ROUNDS
    return least, max(ROUNDS, least)


@dataclass(frozen=True, slots=True)
class _Call:
    """`counts`: whether the call's time counts."""

    case: PreparedCase
    counts: bool


def _calls(cases: Mapping[int, Sequence[PreparedCase]], number: int, *, counts_first: bool) -> list[_Call]:
    """Return the calls of a round. Another case of each size comes first in the next round."""
    calls = []
    for members in cases.values():
        first = number % len(members)
        for place, case in enumerate([*members[first:], *members[:first]]):
            calls.append(_Call(case, counts=(place == 0) is counts_first))
    return calls


def _run(
    context: Context,
    source: str,
    pool: Pool,
    calls: Sequence[_Call],
    timed: TimeMeasurement,
    least: Least,
    check: Callable[[PreparedCase, CaseOutcome], None],
) -> None:
    """Make the calls in a new process, and note the least times. The reference has longer limits."""
    manifest, waiting = context.job.manifest, {call.case.name: call for call in calls}
    inputs = [call.case.input for call in calls]
    request = recorded(manifest, build_request(context.job.package, source, inputs, context.job.answer_bytes))
    if least is timed.reference:
        request = patient(request)

    def note(outcome: CaseOutcome) -> None:
        call = waiting[outcome.name]
        timed.was_overloaded = timed.was_overloaded or was_overloaded(outcome)
        if call.counts and outcome.ending is Ending.ANSWERED:
            least[outcome.name] = min(outcome.wall_seconds, least.get(outcome.name, outcome.wall_seconds))
        check(call.case, outcome)

    with pool.lease(box_spec(manifest), context.abort) as box:
        run_all(box, request, note, context.abort)
        box.is_usable()  # the next run has no core to itself before this process has ended
