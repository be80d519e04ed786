"""Examine a solution's programs: trace it without values in a student's box, and inspect the programs elsewhere.

Cases with equal shapes, dtypes and static values share a program. The result for each case is the program's own answer
and the evidence of how it is computed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Event, Lock

from app.catalog.manifest import Manifest
from app.catalog.package import Package
from app.engine.ablation import effect_of
from app.engine.inspection import (
    Cut,
    Exports,
    Inspected,
    Inspectors,
    Ran,
    Run,
    Task,
    Wanted,
    export_fault,
    export_programs,
    inspect,
    not_run,
    signature_of,
)
from app.engine.inspection_cache import Inspection, Inspections
from app.engine.request import MOST_ANSWER_BYTES, numbers_of
from app.engine.run import RunAhead
from app.judging.requirement import Evidence, Facts
from app.judging.requirements.uses import Uses
from sandbox.interface import CaseOutcome, Ending, Failure
from sandbox.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """A case to examine. `is_tried`: also run it without some steps of the required loop."""

    name: str
    inputs: bytes
    is_tried: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """`outcome`: of the program's run, or of the step that failed before it. `evidence`: if there is any.

    `is_exported`: a program exists, even if the inspector refused it. `cut`: the reason why the run, or some changed
    programs, were skipped.
    """

    name: str
    outcome: CaseOutcome
    is_exported: bool
    evidence: Evidence | None = None
    cut: Cut | None = None

    @property
    def is_out_of_time(self) -> bool:
        return Ending.TIMED_OUT in (self.outcome.ending, self.cut.ending if self.cut else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """`makers`: boxes that trace the source. `inspectors`: boxes that never hold it. `answer_bytes`: an answer's limit.

    `inspections`: the cache of earlier results; None to examine every program again. `in_parallel`: two inspectors
    share the programs.
    """

    package: Package
    makers: Pool
    inspectors: Pool
    abort: Event
    answer_bytes: int = MOST_ANSWER_BYTES
    inspections: Inspections | None = None
    in_parallel: bool = False


# Cost of running a compiled program, relative to compiling it.
COST_OF_A_RUN = 0.01
# A loop is tried without its first step, and without its last.
CHANGED_PROGRAMS = 2

OnExamined = Callable[[Examined], None]


def examine(
    bench: Bench,
    source: str,
    cases: Sequence[Sighting],
    on_examined: OnExamined,
    exports: Exports | None = None,
    on_exported: Callable[[], None] = lambda: None,
) -> None:
    """Call `on_examined` once for every case. Opens no box if there are no cases. Raises Untraceable, BoxLost, Aborted.

    `exports`: exports of this source, used if none is missing. `on_exported` is called when tracing is complete.
    """
    if not cases:
        return
    programs: dict[bytes, list[Sighting]] = {}
    for case in cases:
        programs.setdefault(signature_of(bench.package.manifest, case.inputs), []).append(case)
    if exports is not None and programs.keys() <= exports.keys():
        exported: Exports = {signature: exports[signature] for signature in programs}
    else:
        exported = export_programs(bench.makers, bench.package, source, list(programs), bench.abort)
    on_exported()
    cut = Cut([*exported.values()][-1].ending)
    tasks: list[Task] = []
    for signature, members in programs.items():
        outcome = exported.get(signature)
        task = _task(bench.package.manifest, signature, outcome.answer or b"" if outcome else b"", members)
        refused = _without_program(task, outcome, cut)
        if refused is None:
            tasks.append(task)
            continue
        for case in members:
            on_examined(replace(refused, name=case.name, outcome=replace(refused.outcome, name=case.name)))
    if tasks:
        _inspect(bench, tasks, on_examined)


def _inspect(bench: Bench, tasks: Sequence[Task], on_examined: OnExamined) -> None:
    cache, package = bench.inspections or Inspections(), bench.package
    found = {task.signature: cache.find(package, task) for task in tasks}
    known = [inspection for inspection in found.values() if inspection is not None]
    new = [task for task in tasks if found[task.signature] is None]
    left_out = {run.name: run.leave_out for task in new for run in task.runs}
    for inspection in known:
        left_out |= inspection.left_out
    inspected, rans = dict[bytes, Inspected](), dict[str, Ran]()

    reporting = Lock()

    def keep(one: Inspected) -> None:
        inspected[one.signature] = one

    def report(ran: Ran, evidence: Evidence | None) -> None:
        wanted = left_out[ran.name]
        if evidence is not None and wanted is not None and not ran.cut:
            evidence = _with_effects(evidence, wanted, ran)
        on_examined(Examined(name=ran.name, outcome=ran.outcome, is_exported=True, evidence=evidence, cut=ran.cut))

    signatures = {run.name: task.signature for task in new for run in task.runs}

    def report_new(ran: Ran) -> None:
        with reporting:
            rans[ran.name] = ran
            report(ran, inspected[signatures[ran.name]].evidence)

    for inspection in known:
        for ran in inspection.ran:
            report(ran, inspection.inspected.evidence)
    if not new:
        return
    inspectors = Inspectors(pool=bench.inspectors, package=package, abort=bench.abort, answer_bytes=bench.answer_bytes)
    first, second = share_out(new) if bench.in_parallel else (new, [])
    beside = RunAhead(lambda abort: inspect(replace(inspectors, abort=abort), second, keep, report_new))
    if second:
        beside.begin()
    try:
        inspect(inspectors, first, keep, report_new)
        if second:
            beside.result(bench.abort)
    finally:
        beside.give_up()
    for task in new:
        names = [run.name for run in task.runs]
        found_out = Inspection(
            inspected[task.signature], [rans[name] for name in names], {name: left_out[name] for name in names}
        )
        cache.keep(package, task, found_out)


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


def _without_program(task: Task, outcome: CaseOutcome | None, cut: Cut) -> Examined | None:
    """Return the result if there is nothing to inspect. `cut`: for programs that no process was left to trace."""
    if outcome is None:
        return Examined(name="", outcome=not_run(cut), is_exported=False, cut=cut)
    if _is_too_large(outcome):
        return _refused(outcome, "the export is larger than the limit")
    if outcome.ending is not Ending.ANSWERED:
        return Examined(name="", outcome=outcome, is_exported=False)
    fault = export_fault(task)
    return _refused(outcome, fault) if fault else None


def _is_too_large(outcome: CaseOutcome) -> bool:
    """Whether an export is too large; a source that prints too much is a different case."""
    failure = outcome.failure
    return outcome.ending is Ending.TOO_MUCH_OUTPUT and failure is not None and failure.kind == "TooLarge"


def _refused(outcome: CaseOutcome, message: str) -> Examined:
    failure = Failure(stage="answer", kind="Refused", message=message, traceback="")
    return Examined(
        name="", outcome=replace(outcome, ending=Ending.RAISED, answer=None, failure=failure), is_exported=True
    )


def _task(manifest: Manifest, signature: bytes, program: bytes, members: Sequence[Sighting]) -> Task:
    wanted = _wanted(manifest, Facts(numbers=numbers_of(manifest, members[0].inputs)))
    tried = [case.name for case in members if case.is_tried and wanted]
    # If a problem requires several loops, the cases alternate between them.
    leave_out = {name: wanted[index % len(wanted)] for index, name in enumerate(tried)}
    runs = tuple(Run(case.name, case.inputs, leave_out.get(case.name)) for case in members)
    return Task(signature=signature, program=program, runs=runs, wanted=wanted)


def _wanted(manifest: Manifest, facts: Facts) -> tuple[Wanted, ...]:
    return tuple(
        Wanted(requirement.uses, requirement.steps(facts), requirement.through)
        for requirement in manifest.requirements
        if isinstance(requirement, Uses) and requirement.uses != "vmap"
    )


def _with_effects(evidence: Evidence, wanted: Wanted, ran: Ran) -> Evidence:
    """Set the effect of each loop or choice: a loop's least over both ends, a choice's greatest over its branches.

    A candidate without an answer has no effect, since nothing has shown that it matters.
    """
    answer = ran.outcome.answer
    if answer is None:
        return evidence
    moved = {index: [effect_of(answer, changed) for changed in answers] for index, answers in ran.left_out.items()}
    if wanted.kind == "cond":
        branches = [replace(one, effect=max(moved.get(one.index, [0.0]))) for one in evidence.branches]
        return replace(evidence, branches=tuple(branches))
    fitting = {loop.index for loop in evidence.loops if wanted.length in (None, loop.length)}
    loops = [
        replace(one, effect=min(moved.get(one.index, [0.0]))) if one.index in fitting else one for one in evidence.loops
    ]
    return replace(evidence, loops=tuple(loops))
