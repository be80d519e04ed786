"""Examine a solution's programs: trace it without values in a student's box, and inspect the programs elsewhere.

Cases with equal shapes, dtypes and static values share a program. The result for each case is the program's own answer
and the evidence of how it is computed.

Part of the evidence is ablation: how far an answer moves when a step of the program's loop is left out. The program is
compiled again for every step left out, so only a few cases are tried.
"""

import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.catalog.manifest import Manifest
from app.engine.inspection import (
    Examination,
    Inspectors,
    OnExamination,
    export_fault,
    export_programs,
    inspect,
    not_run,
    signature_of,
)
from app.engine.inspector_protocol import RequiredPart, Run, SkipReason, Task
from app.engine.request import numbers_of
from app.judging.leaf import leaves
from app.judging.requirement import Evidence, Facts
from app.judging.requirements.uses import LEAST_LENGTH, Uses, clear_effect
from sandbox.guest.codec import Tree, decode
from sandbox.interface import CaseInput, CaseOutcome, Ending, Failure
from sandbox.pool import Pool

# Of the first few programs, the first few cases are tried.
PROGRAMS = 2
CASES = 2
FARTHEST = sys.float_info.max


@dataclass(frozen=True, slots=True, kw_only=True)
class Examiner:
    """How the programs of one source are examined.

    `makers`: boxes that may hold the source, which trace it. `inspectors`: boxes that never hold it.
    """

    source: str
    makers: Pool
    inspectors: Inspectors


def examine(examiner: Examiner, cases: Sequence[CaseInput], tried: Collection[str], on_examined: OnExamination) -> None:
    """Call `on_examined` once for every case. Opens no box if there are no cases.

    `tried`: the names of cases that also run without some steps of the required loop. Raises Untraceable, BoxLost,
    Aborted.
    """
    if not cases:
        return
    inspectors = examiner.inspectors
    package, manifest = inspectors.package, inspectors.package.manifest
    programs: dict[bytes, list[CaseInput]] = {}
    for case in cases:
        programs.setdefault(signature_of(manifest, case.inputs), []).append(case)
    exported = export_programs(examiner.makers, package, examiner.source, list(programs), inspectors.abort)
    skip_reason = SkipReason([*exported.values()][-1].ending)
    tasks: list[Task] = []
    for signature, members in programs.items():
        outcome = exported.get(signature)
        task = _task(manifest, signature, outcome.answer or b"" if outcome else b"", members, tried)
        refused = _without_program(task, outcome, skip_reason)
        if refused is None:
            tasks.append(task)
            continue
        for case in members:
            on_examined(replace(refused, name=case.name, outcome=replace(refused.outcome, name=case.name)))
    parts = {run.name: run.leave_out for task in tasks for run in task.runs}
    if tasks:
        inspect(inspectors, tasks, lambda examined: on_examined(_with_effects(examined, parts[examined.name])))


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


def _task(
    manifest: Manifest, signature: bytes, program: bytes, members: Sequence[CaseInput], tried: Collection[str]
) -> Task:
    wanted = _wanted(manifest, Facts(numbers=numbers_of(manifest, members[0].inputs)))
    names = [case.name for case in members if case.name in tried and wanted]
    # If a problem requires several loops, the cases alternate between them.
    leave_out = {name: wanted[index % len(wanted)] for index, name in enumerate(names)}
    runs = tuple(Run(case.name, case.inputs, leave_out.get(case.name)) for case in members)
    return Task(signature=signature, program=program, runs=runs)


def _wanted(manifest: Manifest, facts: Facts) -> tuple[RequiredPart, ...]:
    return tuple(
        RequiredPart(requirement.uses, requirement.steps(facts))
        for requirement in manifest.requirements
        if isinstance(requirement, Uses) and requirement.uses != "vmap"
    )


def _with_effects(examined: Examination, wanted: RequiredPart | None) -> Examination:
    """Set the effect of each loop or choice: a loop's least over both ends, a choice's greatest over its branches.

    A candidate without an answer has no effect, since nothing has shown that it matters.
    """
    answer, evidence = examined.outcome.answer, examined.evidence
    if wanted is None or evidence is None or answer is None or examined.skip_reason:
        return examined
    moved = {index: [effect_of(answer, changed) for changed in answers] for index, answers in examined.left_out.items()}
    if wanted.kind == "cond":
        branches = [replace(one, effect=max(moved.get(one.index, [0.0]))) for one in evidence.branches]
        return replace(examined, evidence=replace(evidence, branches=tuple(branches)))
    fitting = {loop.index for loop in evidence.loops if wanted.length in (None, loop.length)}
    loops = [
        replace(one, effect=min(moved.get(one.index, [0.0]))) if one.index in fitting else one for one in evidence.loops
    ]
    return replace(examined, evidence=replace(evidence, loops=tuple(loops)))


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
