"""Looking into a solution's programs: it is traced without values in a box of its kind, and inspected in another.

Cases that agree in shapes, element types and static values share a program. What comes out is for each case the
program's own answer and the evidence of how it gets there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Event, Lock

from app.catalog.manifest import Manifest
from app.catalog.package import Package
from app.judging.requirement import Evidence, Facts
from app.judging.requirements.uses import Uses
from app.worker.ablation import effect_of
from app.worker.inspection import (
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
from app.worker.inspection_cache import Inspection, Inspections
from app.worker.request import MOST_ANSWER_BYTES, numbers_of
from app.worker.run import RunAhead
from sandbox.interface import CaseOutcome, Ending, Failure
from sandbox.pool import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """A case to look at. `is_tried`: the answer is also asked for without some steps of the loop that is wanted."""

    name: str
    inputs: bytes
    is_tried: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """`outcome`: of the program's run, or of what should have come before it. `evidence`: where there is any.

    `is_exported`: there is a program, whatever the inspector made of it. `cut`: why it was not run, which then has no
    answer, or not tried without all steps that it should have been.
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
    """`makers`: where the source is traced. `inspectors`: whose boxes never hold it. `answer_bytes`: of a case's.

    `inspections`: of earlier programs; None where each is to be looked into anew. `in_parallel`: two inspectors share
    the programs.
    """

    package: Package
    makers: Pool
    inspectors: Pool
    abort: Event
    answer_bytes: int = MOST_ANSWER_BYTES
    inspections: Inspections | None = None
    in_parallel: bool = False


OnExamined = Callable[[Examined], None]


def examine(
    bench: Bench,
    source: str,
    cases: Sequence[Sighting],
    on_examined: OnExamined,
    exports: Exports | None = None,
    on_exported: Callable[[], None] = lambda: None,
) -> None:
    """Calls `on_examined` once for every case, and no box for none. Raises Untraceable, BoxLost, Aborted.

    `exports`: of the source, where they are there already; they are used if none is missing. `on_exported` is called
    when nothing is left to be traced.
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
    table, package = bench.inspections or Inspections(), bench.package
    found = {task.signature: table.find(package, task) for task in tasks}
    known = [inspection for inspection in found.values() if inspection is not None]
    new = [task for task in tasks if found[task.signature] is None]
    left_out = {run.name: run.leave_out for task in new for run in task.runs}
    for inspection in known:
        left_out |= inspection.left_out
    inspected, rans = dict[bytes, Inspected](), dict[str, Ran]()

    telling = Lock()

    def keep(one: Inspected) -> None:
        inspected[one.signature] = one

    def tell(ran: Ran, evidence: Evidence | None) -> None:
        wanted = left_out[ran.name]
        if evidence is not None and wanted is not None and not ran.cut:
            evidence = _with_effects(evidence, wanted, ran)
        on_examined(Examined(name=ran.name, outcome=ran.outcome, is_exported=True, evidence=evidence, cut=ran.cut))

    signatures = {run.name: task.signature for task in new for run in task.runs}

    def tell_new(ran: Ran) -> None:
        with telling:
            rans[ran.name] = ran
            tell(ran, inspected[signatures[ran.name]].evidence)

    for inspection in known:
        for ran in inspection.ran:
            tell(ran, inspection.inspected.evidence)
    if not new:
        return
    inspectors = Inspectors(pool=bench.inspectors, package=package, abort=bench.abort, answer_bytes=bench.answer_bytes)
    first, second = (new[::2], new[1::2]) if bench.in_parallel else (new, [])
    beside = RunAhead(lambda abort: inspect(replace(inspectors, abort=abort), second, keep, tell_new))
    if second:
        beside.begin()
    try:
        inspect(inspectors, first, keep, tell_new)
        if second:
            beside.result(bench.abort)
    finally:
        beside.give_up()
    for task in new:
        names = [run.name for run in task.runs]
        found_out = Inspection(
            inspected[task.signature], [rans[name] for name in names], {name: left_out[name] for name in names}
        )
        table.keep(package, task, found_out)


def _without_program(task: Task, outcome: CaseOutcome | None, cut: Cut) -> Examined | None:
    """Why there is nothing to inspect, if there is not. `cut`: for what no process was left to trace."""
    if outcome is None:
        return Examined(name="", outcome=not_run(cut), is_exported=False, cut=cut)
    if _is_too_large(outcome):
        return _refused(outcome, "the export is larger than any that is read")
    if outcome.ending is not Ending.ANSWERED:
        return Examined(name="", outcome=outcome, is_exported=False)
    fault = export_fault(task)
    return _refused(outcome, fault) if fault else None


def _is_too_large(outcome: CaseOutcome) -> bool:
    """An export; a source that prints too much is another matter."""
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
    # Where a problem asks for several loops, they take turns.
    turns = {name: wanted[turn % len(wanted)] for turn, name in enumerate(tried)}
    runs = tuple(Run(case.name, case.inputs, turns.get(case.name)) for case in members)
    return Task(signature=signature, program=program, runs=runs, wanted=wanted)


def _wanted(manifest: Manifest, facts: Facts) -> tuple[Wanted, ...]:
    return tuple(
        Wanted(requirement.uses, requirement.steps(facts), requirement.through)
        for requirement in manifest.requirements
        if isinstance(requirement, Uses) and requirement.uses != "vmap"
    )


def _with_effects(evidence: Evidence, wanted: Wanted, ran: Ran) -> Evidence:
    """Of a loop the least that leaving out either end does; of a choice the most that one branch alone does.

    What fits and gave no answer to go by has no effect: nothing has shown that it matters.
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
