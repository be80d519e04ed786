"""Export programs from a submission in the student's box, and inspect them in an inspector's box.

`export_programs` runs in boxes that hold the submission, and gets shapes, dtypes and static values only. `inspect` runs
in boxes that never hold a student's Python code. A program that is refused, hangs or crashes the inspector gives an
outcome like any submission.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Event
from typing import Any, TypeAlias

import numpy as np

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
from app.judging.requirement import KERNELS, Conditional, Evidence, Loop
from sandbox.guest.codec import STANDARD_CAPS, Caps, Malformed, decode, encode
from sandbox.guest.trace_signature import PROGRAM_BYTES, describe
from sandbox.guest.wire import MESSAGE
from sandbox.interface import BoxSpec, CaseInput, CaseOutcome, Ending, Parameter, Request, RunLimits
from sandbox.pool import Pool

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
class ProgramReport:
    """`refusal`: the outcome that explains missing evidence."""

    signature: bytes
    evidence: Evidence | None
    refusal: CaseOutcome | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramRun:
    """`left_out`: encoded answers of the changed programs, by the index of the loop (of the branches, for "cond").

    A counted loop has two: without its first and without its last step. Another loop has one: without all steps.
    Branches have one each: with that branch always taken. None is an answer that could not be obtained, and is no
    evidence. `skip_reason`: the reason why the run or some changed programs were skipped. `is_tried_whole`: whether the
    inspector answered for every changed program.
    """

    name: str
    outcome: CaseOutcome
    left_out: Mapping[int, tuple[bytes | None, ...]]
    skip_reason: SkipReason | None = None
    is_tried_whole: bool = True


Exports: TypeAlias = Mapping[bytes, CaseOutcome]
OnReport = Callable[[ProgramReport], None]
OnRun = Callable[[ProgramRun], None]


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


def signatures_of(manifest: Manifest, inputs: Sequence[bytes]) -> list[bytes]:
    """Return each signature once. Raises Untraceable."""
    return list(dict.fromkeys(signature_of(manifest, each) for each in inputs))


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


def inspect(inspectors: Inspectors, tasks: Sequence[Task], on_report: OnReport, on_run: OnRun) -> None:
    """Call `on_report` once per task, and then `on_run` once per run of the task.

    Raises BoxLost, Aborted.
    """
    wall_seconds = inspectors.package.manifest.limits.wall_seconds
    clock = Clock(wall_seconds, BUDGET * (wall_seconds + COMPILE_SECONDS))
    reader = _Reader(on_report, on_run)
    sent = _send(inspectors, plan(tasks), clock, reader, PROCESSES)
    left = [*reader.left_open, *sent.left]
    if reader.left_open and not clock.skip_reason and sent.ended < PROCESSES:
        sent = _send(inspectors, singly(left), clock, reader, PROCESSES - sent.ended)
        left = list(sent.left)
    for step in left:
        reader.skip(step, clock.skip_reason or sent.skip_reason)


def time_programs(inspectors: Inspectors, tasks: Sequence[Task]) -> dict[str, CaseOutcome]:
    """Return the answer of each run that could be timed, with its least seconds as `wall_seconds`.

    They do not include passing on inputs and answers. A program keeps nothing between calls, so the same inputs serve
    for all of them. Raises BoxLost, Aborted.
    """
    times = _Times()
    wall_seconds = inspectors.package.manifest.limits.wall_seconds
    clock = Clock(wall_seconds, BUDGET * (wall_seconds + COMPILE_SECONDS))
    _send(inspectors, [Step("time", task, run) for task in tasks for run in task.runs], clock, times, PROCESSES)
    return times.outcomes


class _Times:
    def __init__(self) -> None:
        self.outcomes: dict[str, CaseOutcome] = {}

    def read(self, step: Step, outcome: CaseOutcome) -> None:
        assert step.run is not None
        if outcome.ending is Ending.ANSWERED and outcome.answer is not None:
            found: Any = decode(outcome.answer)
            timed = replace(outcome, wall_seconds=min(found["seconds"]), answer=encode(found["answer"]))
            self.outcomes[step.run.name] = timed

    def skip(self, step: Step, skip_reason: SkipReason) -> None:
        """A run without a time is left out."""


@dataclass(frozen=True, slots=True)
class _SendEnd:
    """`left`: steps that no process was left for, because of `skip_reason`.

    `ended`: processes that ended, other than in a batch.
    """

    left: Sequence[Step]
    skip_reason: SkipReason
    ended: int


def _send(
    inspectors: Inspectors, steps: Sequence[Step], clock: Clock, reader: "_Reader | _Times", processes: int
) -> _SendEnd:
    manifest = inspectors.package.manifest
    # A message that leaves a step out gets two answers.
    limits = _limits(manifest, min(2 * inspectors.answer_bytes + MESSAGE_BYTES, MOST_ANSWER_BYTES))
    messages = Messages(steps, clock)
    answers = _Answers(messages, clock, reader)
    request = Request(
        source="def program():\n    pass\n",
        entry_point="program",
        driver=INSPECT_DRIVER,
        parameters=(Parameter(MESSAGE, "value"),),
        queue=messages,
        limits=limits,
    )
    run_cases(inspectors.pool, inspectors.spec, request, answers.read, inspectors.abort, processes)
    left = steps[answers.count :]
    ended_by = [*messages.ended_by, *(steps[answers.count - 1 : answers.count] if left else [])]
    return _SendEnd(left, answers.skip_reason, sum(not step.batch for step in ended_by))


class _Answers:
    """Gives each answer to the reader, with its message. `skip_reason`: why the next messages would be skipped."""

    def __init__(self, messages: Messages, clock: Clock, reader: "_Reader | _Times") -> None:
        self.count, self.skip_reason = 0, SkipReason(None)
        self._messages, self._clock, self._reader = messages, clock, reader

    def read(self, outcome: CaseOutcome) -> None:
        message = self._messages.sent[self.count]
        self.count += 1
        if self._clock.skip_reason:
            self._reader.skip(message.step, self._clock.skip_reason)
            return
        self.skip_reason = SkipReason(None if message.step.kind == "leave_out" else outcome.ending)
        self._reader.read(message.step, self._clock.timely(message, outcome))


def _limits(manifest: Manifest, answer_bytes: int) -> RunLimits:
    limits = limits_of(manifest)
    return replace(limits, wall_seconds=limits.wall_seconds + COMPILE_SECONDS, answer_bytes=answer_bytes)


def _checked(outcome: CaseOutcome) -> CaseOutcome:
    """A function that returns no answer while traced returns none when called."""
    has_none = outcome.ending is Ending.RAISED and outcome.failure is not None and outcome.failure.kind == NO_ANSWER
    return replace(outcome, ending=Ending.UNSUPPORTED) if has_none else outcome


class _Reader:
    """Turns the inspector's answers into evidence and outcomes. `left_open`: the rest of batches."""

    def __init__(self, on_report: OnReport, on_run: OnRun) -> None:
        self.left_open: list[Step] = []
        self._on_report, self._on_run = on_report, on_run
        self._outcomes: dict[str, CaseOutcome] = {}
        self._left_out: dict[str, list[Mapping[int, tuple[bytes | None, ...]]]] = {}
        self._skip_reasons: dict[str, SkipReason] = {}
        self._broken_off: set[str] = set()

    def read(self, step: Step, outcome: CaseOutcome) -> None:
        if step.batch:
            self._read_batch(step, outcome)
        elif step.run is None:
            self._on_report(_inspected(step.task.signature, outcome))
        elif step.kind == "leave_out":
            if outcome.ending is not Ending.ANSWERED:
                self._broken_off.add(step.run.name)
            self._keep(step.run.name, _left_out(outcome))
        else:
            self._keep_outcome(step.run, outcome)

    def _read_batch(self, step: Step, outcome: CaseOutcome) -> None:
        """Keep the answers; each has an equal share of the time. The other runs are left open."""
        answers = _answers(outcome)[: len(step.batch)]
        for run, answer in zip(step.batch, answers, strict=False):
            seconds, left_out = outcome.wall_seconds / len(answers), outcome.left_out_seconds / len(answers)
            own = replace(outcome, answer=answer, wall_seconds=seconds, left_out_seconds=left_out, text="")
            self._keep_outcome(run, own)
        if rest := step.batch[len(answers) :]:
            self.left_open.append(replace(step, batch=rest))

    def skip(self, step: Step, skip_reason: SkipReason) -> None:
        """Record a step that was not sent."""
        if step.batch:
            for one in singly([step]):
                self.skip(one, skip_reason)
            return
        if step.run is None:
            self._on_report(ProgramReport(signature=step.task.signature, evidence=None, refusal=None))
            return
        self._skip_reasons.setdefault(step.run.name, skip_reason)
        if step.kind == "leave_out":
            self._keep(step.run.name, {})
        else:
            self._keep_outcome(step.run, not_run(skip_reason))

    def _keep_outcome(self, run: Run, outcome: CaseOutcome) -> None:
        self._outcomes[run.name] = replace(outcome, name=run.name)
        if run.leave_out is None:
            self._tell(run.name, {})

    def _keep(self, name: str, left_out: Mapping[int, tuple[bytes | None, ...]]) -> None:
        parts = self._left_out.setdefault(name, [])
        parts.append(left_out)
        if len(parts) == CANDIDATES:
            self._tell(name, {index: answers for part in self._left_out.pop(name) for index, answers in part.items()})

    def _tell(self, name: str, left_out: Mapping[int, tuple[bytes | None, ...]]) -> None:
        outcome, skip_reason = self._outcomes.pop(name), self._skip_reasons.pop(name, None)
        is_whole = name not in self._broken_off
        self._on_run(
            ProgramRun(name=name, outcome=outcome, left_out=left_out, skip_reason=skip_reason, is_tried_whole=is_whole)
        )


def not_run(skip_reason: SkipReason) -> CaseOutcome:
    """Return an outcome without time and memory."""
    ending = skip_reason.ending or Ending.CRASHED
    return CaseOutcome(name="", ending=ending, answer=None, failure=None, text="", wall_seconds=0.0, memory_bytes=0)


def _inspected(signature: bytes, outcome: CaseOutcome) -> ProgramReport:
    if outcome.ending is not Ending.ANSWERED or outcome.answer is None:
        return ProgramReport(signature=signature, evidence=None, refusal=outcome)
    return ProgramReport(signature=signature, evidence=_evidence(decode(outcome.answer)), refusal=None)


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


def _evidence(found: Any) -> Evidence:
    return Evidence(
        loops=tuple(Loop(**loop) for loop in found["loops"]),
        branches=tuple(Conditional(**one) for one in found["branches"]),
        operations=found["operations"],
        copies=found["copies"],
        axes=found["axes"],
        equations=found["equations"],
        temporary_bytes=found["temporary_bytes"],
        flops=found["flops"],
        unbounded=found["unbounded"],
        kernels=None if found["kernels"] is None else KERNELS.validate_python(found["kernels"]),
    )
