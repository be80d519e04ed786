"""Examine a solution's programs: trace it without values in a student's box, and inspect the programs elsewhere.

Cases with equal shapes, dtypes and static values share a program. The result for each case is the program's own answer
and the evidence of how it is computed.

Part of the evidence is ablation: how far an answer moves when a step of the program's loop is left out. The program is
compiled again for every step left out, so only a few cases are tried.
"""

import hashlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.catalog.folder import digest
from app.catalog.manifest import Manifest
from app.catalog.package import Package
from app.engine.inspection import (
    Exports,
    Inspectors,
    OnReport,
    OnRun,
    ProgramReport,
    ProgramRun,
    export_fault,
    inspect,
    not_run,
    signature_of,
)
from app.engine.inspector_protocol import RequiredPart, Run, SkipReason, Task
from app.engine.memory_cache import MemoryCache
from app.engine.request import numbers_of
from app.judging.leaf import leaves
from app.judging.requirement import Evidence, Facts
from app.judging.requirements.uses import LEAST_LENGTH, Uses, clear_effect
from sandbox.guest.codec import Tree, decode
from sandbox.interface import CaseInput, CaseOutcome, Ending, Failure

# Of the first few programs, the first few cases are tried.
PROGRAMS = 2
CASES = 2
FARTHEST = sys.float_info.max
# Of the cache of inspections. A program of `microbatched_grads` that is sent again has its verdict in 1.1 s in place of
# 2.1 s on a busy machine: inspecting it takes 0.6 s.
KEPT_BYTES = 64 * 2**20
# Size of an entry besides its answers.
ENTRY_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseToExamine:
    """A case to examine. `is_tried`: also run it without some steps of the required loop."""

    name: str
    inputs: bytes
    is_tried: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """`outcome`: of the program's run, or of the step that failed before it. `evidence`: if there is any.

    `is_exported`: a program exists, even if the inspector refused it. `skip_reason`: why the run, or some changed
    programs, were skipped.
    """

    name: str
    outcome: CaseOutcome
    is_exported: bool
    evidence: Evidence | None = None
    skip_reason: SkipReason | None = None

    @property
    def is_out_of_time(self) -> bool:
        return Ending.TIMED_OUT in (self.outcome.ending, self.skip_reason.ending if self.skip_reason else None)


@dataclass(frozen=True, slots=True)
class Inspection:
    """All results for a task. `left_out`: by run, the steps that were left out."""

    report: ProgramReport
    runs: Sequence[ProgramRun]
    left_out: Mapping[str, RequiredPart | None]

    @property
    def is_whole(self) -> bool:
        """Whether every message was answered. Missing answers may succeed another time, so they are not cached."""
        return self.report.evidence is not None and all(
            run.outcome.ending is Ending.ANSWERED and run.is_tried_whole and run.skip_reason is None
            for run in self.runs
        )

    @property
    def bytes(self) -> int:
        changed = (one for run in self.runs for answers in run.left_out.values() for one in answers)
        answers = [*(run.outcome.answer for run in self.runs), *changed]
        return sum(len(answer or b"") for answer in answers) + ENTRY_BYTES


class Inspections:
    """The most recent results, by program and inputs.

    An inspector holds no student's Python code, so its results depend on nothing else. The inputs that are also run
    without some steps are drawn at random; a cached result keeps its first draw.
    """

    def __init__(self) -> None:
        self._kept = MemoryCache[bytes, Inspection](KEPT_BYTES)

    def find(self, package: Package, task: Task) -> Inspection | None:
        return self._kept.find(_key(package, task))

    def keep(self, package: Package, task: Task, inspection: Inspection) -> None:
        if inspection.is_whole:
            self._kept.keep(_key(package, task), inspection, inspection.bytes)


def _key(package: Package, task: Task) -> bytes:
    """Length-prefix each part, so that different tasks have different keys."""
    parts = [digest(package.files).encode(), task.signature, task.program, repr(task.wanted).encode()]
    for run in sorted(task.runs, key=lambda run: run.name):
        parts += [run.name.encode(), run.inputs]
    return hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).digest()


OnExamination = Callable[[Examination], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Examiner:
    """How the programs of one source are examined.

    `export`: traces the source, in boxes that may hold it. `inspectors`: boxes that never hold it. `inspections`: the
    cache of earlier results; None to examine every program again.
    """

    export: Callable[[Sequence[bytes]], Exports]
    inspectors: Inspectors
    inspect: Callable[[Inspectors, Sequence[Task], OnReport, OnRun], None] = inspect
    inspections: Inspections | None = None

    @property
    def package(self) -> Package:
        return self.inspectors.package


def examine(examiner: Examiner, cases: Sequence[CaseToExamine], on_examined: OnExamination) -> None:
    """Call `on_examined` once for every case. Opens no box if there are no cases.

    Raises Untraceable, BoxLost, Aborted.
    """
    if not cases:
        return
    manifest = examiner.package.manifest
    programs: dict[bytes, list[CaseToExamine]] = {}
    for case in cases:
        programs.setdefault(signature_of(manifest, case.inputs), []).append(case)
    exported = examiner.export(list(programs))
    skip_reason = SkipReason([*exported.values()][-1].ending)
    tasks: list[Task] = []
    for signature, members in programs.items():
        outcome = exported.get(signature)
        task = _task(manifest, signature, outcome.answer or b"" if outcome else b"", members)
        refused = _without_program(task, outcome, skip_reason)
        if refused is None:
            tasks.append(task)
            continue
        for case in members:
            on_examined(replace(refused, name=case.name, outcome=replace(refused.outcome, name=case.name)))
    _inspect(examiner, tasks, on_examined)


def _inspect(examiner: Examiner, tasks: Sequence[Task], on_examined: OnExamination) -> None:
    """Inspect the programs that have no cached result."""
    cache, package, new = examiner.inspections or Inspections(), examiner.package, list[Task]()
    for task in tasks:
        known = cache.find(package, task)
        if known is None:
            new.append(task)
            continue
        for run in known.runs:
            on_examined(_examination(run, known.report, known.left_out[run.name]))
    if new:
        reports = _Reports(new, on_examined)
        examiner.inspect(examiner.inspectors, new, reports.add_program, reports.add_run)
        for task in new:
            cache.keep(package, task, reports.inspection_of(task))


class _Reports:
    """Collects what inspectors find out about programs. `on_examined` is called for each run."""

    def __init__(self, tasks: Sequence[Task], on_examined: OnExamination) -> None:
        self._on_examined = on_examined
        self._task_of = {run.name: task for task in tasks for run in task.runs}
        self._left_out = {run.name: run.leave_out for task in tasks for run in task.runs}
        self._programs: dict[bytes, ProgramReport] = {}
        self._runs: dict[str, ProgramRun] = {}

    def add_program(self, report: ProgramReport) -> None:
        self._programs[report.signature] = report

    def add_run(self, run: ProgramRun) -> None:
        self._runs[run.name] = run
        report = self._programs[self._task_of[run.name].signature]
        self._on_examined(_examination(run, report, self._left_out[run.name]))

    def inspection_of(self, task: Task) -> Inspection:
        names = [run.name for run in task.runs]
        left_out = {name: self._left_out[name] for name in names}
        return Inspection(self._programs[task.signature], [self._runs[name] for name in names], left_out)


def _examination(run: ProgramRun, report: ProgramReport, left_out: RequiredPart | None) -> Examination:
    evidence, skip_reason = report.evidence, run.skip_reason
    if evidence is not None and left_out is not None and not skip_reason:
        evidence = _with_effects(evidence, left_out, run)
    return Examination(name=run.name, outcome=run.outcome, is_exported=True, evidence=evidence, skip_reason=skip_reason)


def _without_program(task: Task, outcome: CaseOutcome | None, skip_reason: SkipReason) -> Examination | None:
    """Return the result if there is nothing to inspect. `skip_reason`: why programs were not traced."""
    if outcome is None:
        return Examination(name="", outcome=not_run(skip_reason), is_exported=False, skip_reason=skip_reason)
    if _is_too_large(outcome):
        return _refused(outcome, "the export is larger than the limit")
    if outcome.ending is not Ending.ANSWERED:
        return Examination(name="", outcome=outcome, is_exported=False)
    fault = export_fault(task)
    return _refused(outcome, fault) if fault else None


def _is_too_large(outcome: CaseOutcome) -> bool:
    """Whether an export is too large; a source that prints too much is a different case."""
    failure = outcome.failure
    return outcome.ending is Ending.TOO_MUCH_OUTPUT and failure is not None and failure.kind == "TooLarge"


def _refused(outcome: CaseOutcome, message: str) -> Examination:
    failure = Failure(stage="answer", kind="Refused", message=message, traceback="")
    return Examination(
        name="", outcome=replace(outcome, ending=Ending.RAISED, answer=None, failure=failure), is_exported=True
    )


def _task(manifest: Manifest, signature: bytes, program: bytes, members: Sequence[CaseToExamine]) -> Task:
    wanted = _wanted(manifest, Facts(numbers=numbers_of(manifest, members[0].inputs)))
    tried = [case.name for case in members if case.is_tried and wanted]
    # If a problem requires several loops, the cases alternate between them.
    leave_out = {name: wanted[index % len(wanted)] for index, name in enumerate(tried)}
    runs = tuple(Run(case.name, case.inputs, leave_out.get(case.name)) for case in members)
    return Task(signature=signature, program=program, runs=runs, wanted=wanted)


def _wanted(manifest: Manifest, facts: Facts) -> tuple[RequiredPart, ...]:
    return tuple(
        RequiredPart(requirement.uses, requirement.steps(facts), requirement.through)
        for requirement in manifest.requirements
        if isinstance(requirement, Uses) and requirement.uses != "vmap"
    )


def _with_effects(evidence: Evidence, wanted: RequiredPart, ran: ProgramRun) -> Evidence:
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


def choose_tried(manifest: Manifest, cases: Iterable[CaseInput]) -> frozenset[str]:
    """Return the names of the first few cases of a few programs; none if the problem requires no loop."""
    chosen: dict[bytes, list[str]] = {}
    for case in cases:
        signature = signature_of(manifest, case.inputs)
        if signature in chosen or (len(chosen) < PROGRAMS and _asks_for_steps(manifest, case)):
            chosen.setdefault(signature, []).append(case.name)
    return frozenset(name for names in chosen.values() for name in names[:CASES])


def is_telling(reference: Evidence | None) -> bool:
    """Whether the reference's own answer moves enough to measure others by it."""
    return reference is not None and bool(clear_effect((*reference.loops, *reference.branches)))


def _asks_for_steps(manifest: Manifest, case: CaseInput) -> bool:
    wanted = [requirement for requirement in manifest.requirements if isinstance(requirement, Uses)]
    facts = Facts(numbers=numbers_of(manifest, case.inputs) if wanted else {})
    lengths = [requirement.steps(facts) for requirement in wanted]
    return any(length is None or length >= LEAST_LENGTH for length in lengths)


def effect_of(answer: bytes, changed: bytes | None) -> float:
    """Return the largest change of an element, relative to the leaf's largest element.

    Both answers are encoded. `changed` None gives 0.0: a program that fails without a step has not shown that the step
    matters.
    """
    if changed is None:
        return 0.0
    own, other = dict(leaves(decode(answer))), dict(leaves(decode(changed)))
    return max((_distance(own[path], other.get(path)) for path in own), default=0.0)


def _distance(own: Tree, other: Tree) -> float:
    one, two = np.asarray(own), np.asarray(other)
    if one.shape != two.shape or one.dtype.kind not in "biufc" or two.dtype.kind not in "biufc":
        return 0.0 if _is_same(one, two) else FARTHEST
    one, two = _wide(one), _wide(two)
    if not one.size or np.array_equal(one, two, equal_nan=True):
        return 0.0
    with np.errstate(all="ignore"):
        moved, largest = np.abs(one - two).max(), np.abs(one).max()
        ratio = moved / largest if largest else FARTHEST
    return float(ratio) if np.isfinite(ratio) else FARTHEST


def _wide(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _is_same(one: np.ndarray[Any, Any], two: np.ndarray[Any, Any]) -> bool:
    return one.shape == two.shape and bool((one == two).all())
