"""Export programs from a submission in the student's box, and inspect them in an inspector's box.

`export_programs` runs in boxes that hold the submission, and gets shapes, dtypes and static values only. `inspect` runs
in boxes that never hold a student's Python code. A program that is refused, hangs or crashes the inspector gives an
outcome like any submission.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from threading import Event
from typing import Any, TypeAlias

import numpy as np
from pydantic import TypeAdapter

from app.catalog.manifest import Manifest
from app.catalog.package import Package
from app.engine.boxes import INSPECTOR, box_spec
from app.engine.inspector_protocol import (
    CANDIDATES,
    Clock,
    Messages,
    Run,
    SkipReason,
    Step,
    Task,
    plan,
    singly,
)
from app.engine.request import MOST_ANSWER_BYTES, PROCESSES, limits_of, run_cases
from app.judging.requirement import Evidence
from sandbox.guest.codec import STANDARD_CAPS, Caps, Malformed, decode, encode
from sandbox.guest.trace_signature import PROGRAM_BYTES, describe
from sandbox.guest.wire import MESSAGE
from sandbox.interface import BoxSpec, CaseInput, CaseOutcome, Ending, Parameter, Request, RunLimits
from sandbox.pool import Pool

_EVIDENCE = TypeAdapter(Evidence)
EXPORT_DRIVER = "from sandbox.guest.program_export import run"
NO_ANSWER = "NoAnswer"
INSPECT_DRIVER = "from sandbox.guest.inspection import run"
# Added to the problem's time limit: a message may open the program first, and leaving a step out compiles twice.
COMPILE_SECONDS = 5
# Time for all messages about one submission, as a multiple of the limit of a single message.
BUDGET = 10
# Allowance for the containers of a program's answer.
STRUCTURE_BYTES = 2**20
EXPORT_CAPS = Caps(total_bytes=PROGRAM_BYTES + STRUCTURE_BYTES)
# Allowance for the rest of a message, besides inputs and program.
MESSAGE_BYTES = 64 * 1024
# The signatures of this many inputs are kept, of this size at most.
SIGNATURES_KEPT = 2048
SMALL_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What is known of a case's program. `outcome`: of its run, or of the step that failed before it.

    `is_exported`: a program exists, even if the inspector refused it. `evidence`: of the program, if the inspector
    could open it.
    `left_out`: encoded answers of the changed programs, by the index of the loop (of the branches, for "cond"). A
    counted loop has two: without its first and without its last step. Another loop has one: without all steps. Branches
    have one each: with that branch always taken. None is an answer that could not be obtained, and is no evidence.
    `skip_reason`: the reason why the run or some changed programs were skipped.
    """

    name: str
    outcome: CaseOutcome
    is_exported: bool
    evidence: Evidence | None = None
    left_out: Mapping[int, tuple[bytes | None, ...]] = field(default_factory=dict)
    skip_reason: SkipReason | None = None

    @property
    def is_out_of_time(self) -> bool:
        return Ending.TIMED_OUT in (self.outcome.ending, self.skip_reason.ending if self.skip_reason else None)


Exports: TypeAlias = Mapping[bytes, CaseOutcome]
OnExamination = Callable[[Examination], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspectors:
    """`pool`: its boxes never hold a submission. `answer_bytes`: the limit of an answer to a case."""

    pool: Pool
    spec: BoxSpec = INSPECTOR
    package: Package
    abort: Event
    answer_bytes: int = MOST_ANSWER_BYTES


def signature_of(manifest: Manifest, inputs: bytes) -> bytes:
    """Raises Untraceable."""
    names = tuple(parameter.name for parameter in manifest.parameters)
    static = frozenset(parameter.name for parameter in manifest.parameters if parameter.static)
    return (_find_signature if len(inputs) <= SMALL_BYTES else _signature)(names, static, inputs)


def _signature(names: tuple[str, ...], static: frozenset[str], inputs: bytes) -> bytes:
    tree: Any = decode(inputs)
    return encode(describe({name: tree[name] for name in names}, static))


# 0.3 ms for each. The judge asks three times about each case, and the next submission has the same cases.
_find_signature = lru_cache(SIGNATURES_KEPT)(_signature)


def export_programs(makers: Pool, package: Package, source: str, signatures: Sequence[bytes], abort: Event) -> Exports:
    """Export a program for each signature, in order. A signature is missing if no process was left for it.

    `makers`: boxes that may hold the source. Raises BoxLost, Aborted.
    """
    cases = [CaseInput(f"export {n}", encode({"signature": decode(one)})) for n, one in enumerate(signatures)]
    request = Request(
        source=source,
        entry_point=package.manifest.entry_point,
        driver=EXPORT_DRIVER,
        parameters=(Parameter("signature", "value"),),
        cases=tuple(cases),
        limits=_limits(package.manifest, EXPORT_CAPS.total_bytes),
    )
    outcomes: list[CaseOutcome] = []
    run_cases(makers, box_spec(package.manifest), request, outcomes.append, abort)
    return dict(zip(signatures, map(_checked, outcomes), strict=False))


def export_fault(task: Task) -> str | None:
    """Return what is wrong with an untrusted export, before an inspector gets it."""
    try:
        exported = decode(task.program, EXPORT_CAPS)
    except Malformed as malformed:
        return f"the export is malformed ({malformed})"
    if not isinstance(exported, dict) or set(exported) != {"program", "structure"}:
        return "the export is malformed"
    program = exported["program"]
    if not isinstance(program, np.ndarray) or program.dtype != np.uint8 or program.ndim != 1:
        return "the export contains no program"
    inputs = max((len(run.inputs) for run in task.runs), default=0)
    if len(task.program) + len(task.signature) + inputs + MESSAGE_BYTES > STANDARD_CAPS.total_bytes:
        return "the program and the inputs together are too large"
    return None


def inspect(inspectors: Inspectors, tasks: Sequence[Task], on_examined: OnExamination) -> None:
    """Call `on_examined` once for each run of each task. Raises BoxLost, Aborted."""
    clock, reader = _clock(inspectors), _Reader(on_examined)
    end = _send(inspectors, plan(tasks), clock, reader)
    left = [*reader.left_open, *end.left]
    if reader.left_open and not clock.skip_reason and end.processes:
        end = _send(inspectors, singly(left), clock, reader, end.processes)
        left = [*end.left]
    for step in left:
        reader.skip(step, clock.skip_reason or end.skip_reason)


def time_programs(inspectors: Inspectors, tasks: Sequence[Task]) -> dict[str, CaseOutcome]:
    """Return the answer of each run that could be timed, with its least seconds as `wall_seconds`.

    They do not include passing on inputs and answers. A program keeps nothing between calls, so the same inputs serve
    for all of them. Raises BoxLost, Aborted.
    """
    timed: dict[str, CaseOutcome] = {}

    def note(ran: Examination) -> None:
        if ran.outcome.ending is Ending.ANSWERED and ran.outcome.answer is not None:
            found: Any = decode(ran.outcome.answer)
            answer = encode(found["answer"])
            timed[ran.name] = replace(ran.outcome, wall_seconds=min(found["seconds"]), answer=answer)

    steps = [Step("time", task, run) for task in tasks for run in task.runs]
    _send(inspectors, steps, _clock(inspectors), _Reader(note))
    return timed


def _clock(inspectors: Inspectors) -> Clock:
    wall_seconds = inspectors.package.manifest.limits.wall_seconds
    return Clock(wall_seconds, BUDGET * (wall_seconds + COMPILE_SECONDS))


@dataclass(frozen=True, slots=True)
class _SendEnd:
    """`left`: steps that no process was left for, because of `skip_reason`. `processes`: how many may still begin. A
    process that ended in a batch does not count.
    """

    left: Sequence[Step]
    skip_reason: SkipReason
    processes: int


def _send(
    inspectors: Inspectors, steps: Sequence[Step], clock: Clock, reader: "_Reader", processes: int = PROCESSES
) -> _SendEnd:
    """Give the reader the answer to each step. Steps are skipped when the time for all of them is used up."""
    manifest, messages = inspectors.package.manifest, Messages(steps, clock)
    count, reason = 0, SkipReason(None)

    def read_next(outcome: CaseOutcome) -> None:
        nonlocal count, reason
        message = messages.sent[count]
        count += 1
        if clock.skip_reason:
            reader.skip(message.step, clock.skip_reason)
            return
        reason = SkipReason(None if message.step.kind == "leave_out" else outcome.ending)
        reader.read(message.step, clock.timely(message, outcome))

    request = Request(
        source="def program():\n    pass\n",
        entry_point="program",
        driver=INSPECT_DRIVER,
        parameters=(Parameter(MESSAGE, "value"),),
        queue=messages,
        # A message that leaves a step out gets two answers.
        limits=_limits(manifest, min(2 * inspectors.answer_bytes + MESSAGE_BYTES, MOST_ANSWER_BYTES)),
    )
    run_cases(inspectors.pool, inspectors.spec, request, read_next, inspectors.abort, processes)
    left = steps[count:]
    ended_by = [*messages.ended_by, *(steps[count - 1 : count] if left else [])]
    return _SendEnd(left, reason, processes - sum(not step.batch for step in ended_by))


def _limits(manifest: Manifest, answer_bytes: int) -> RunLimits:
    limits = limits_of(manifest)
    return replace(limits, wall_seconds=limits.wall_seconds + COMPILE_SECONDS, answer_bytes=answer_bytes)


def _checked(outcome: CaseOutcome) -> CaseOutcome:
    """A function that returns no answer while traced returns none when called."""
    has_none = outcome.ending is Ending.RAISED and outcome.failure is not None and outcome.failure.kind == NO_ANSWER
    return replace(outcome, ending=Ending.UNSUPPORTED) if has_none else outcome


class _Reader:
    """Turns the inspector's answers into examinations. `left_open`: the rest of batches."""

    def __init__(self, on_examined: OnExamination) -> None:
        self.left_open: list[Step] = []
        self._on_examined = on_examined
        self._evidence: dict[bytes, Evidence] = {}
        self._tried: dict[str, Examination] = {}  # those whose changed programs follow

    def read(self, step: Step, outcome: CaseOutcome) -> None:
        if step.batch:
            self._read_batch(step, outcome)
        elif step.run is None:
            if outcome.ending is Ending.ANSWERED and outcome.answer is not None:
                self._evidence[step.task.signature] = _EVIDENCE.validate_python(decode(outcome.answer))
        elif step.kind == "leave_out":
            self._add(step, step.run, _left_out(outcome))
        else:
            self._keep(step, step.run, outcome)

    def _read_batch(self, step: Step, outcome: CaseOutcome) -> None:
        """Keep the answers; each has an equal share of the time. The other runs are left open."""
        answers = _answers(outcome)[: len(step.batch)]
        for run, answer in zip(step.batch, answers, strict=False):
            seconds, left_out = outcome.wall_seconds / len(answers), outcome.left_out_seconds / len(answers)
            own = replace(outcome, answer=answer, wall_seconds=seconds, left_out_seconds=left_out, text="")
            self._keep(step, run, own)
        if rest := step.batch[len(answers) :]:
            self.left_open.append(replace(step, batch=rest))

    def skip(self, step: Step, skip_reason: SkipReason) -> None:
        """Record a step that was not sent."""
        for each in singly([step]):
            if each.kind == "leave_out" and each.run is not None:
                self._add(each, each.run, {}, skip_reason)
            elif each.run is not None:
                self._keep(each, each.run, not_run(skip_reason), skip_reason)

    def _keep(self, step: Step, run: Run, outcome: CaseOutcome, skip_reason: SkipReason | None = None) -> None:
        outcome, evidence = replace(outcome, name=run.name), self._evidence.get(step.task.signature)
        found = Examination(
            name=run.name, outcome=outcome, is_exported=True, evidence=evidence, skip_reason=skip_reason
        )
        if run.leave_out is None:
            self._on_examined(found)
        else:
            self._tried[run.name] = found

    def _add(
        self,
        step: Step,
        run: Run,
        left_out: Mapping[int, tuple[bytes | None, ...]],
        skip_reason: SkipReason | None = None,
    ) -> None:
        """Add what a changed program answers to its run, which is complete with the last of them."""
        found = self._tried[run.name]
        found = replace(found, left_out={**found.left_out, **left_out}, skip_reason=found.skip_reason or skip_reason)
        self._tried[run.name] = found
        if step.rank == CANDIDATES - 1:
            self._on_examined(found)


def not_run(skip_reason: SkipReason) -> CaseOutcome:
    """Return an outcome without time and memory."""
    ending = skip_reason.ending or Ending.CRASHED
    return CaseOutcome(name="", ending=ending, answer=None, failure=None, text="", wall_seconds=0.0, memory_bytes=0)


def _answers(outcome: CaseOutcome) -> list[bytes]:
    """Return the encoded answers to the first runs of a batch; none if the bytes have another form."""
    if outcome.ending is not Ending.ANSWERED or outcome.answer is None:
        return []
    try:
        found = decode(outcome.answer)
    except Malformed:
        return []
    arrays = [one for one in found if isinstance(one, np.ndarray)] if isinstance(found, list) else []
    is_formed = isinstance(found, list) and len(arrays) == len(found)
    return [one.tobytes() for one in arrays] if is_formed and all(one.dtype == np.uint8 for one in arrays) else []


def _left_out(outcome: CaseOutcome) -> Mapping[int, tuple[bytes | None, ...]]:
    if outcome.ending is not Ending.ANSWERED or outcome.answer is None:
        return {}
    found: Any = decode(outcome.answer)
    return {index: tuple(None if one is None else encode(one[0]) for one in answers) for index, answers in found}
