"""Programs in place of functions: having one exported where its source may run, and looked into where it may not.

`export_programs` runs in boxes that hold the submission, and gets shapes, dtypes and static values only. `inspect` runs
in boxes that never hold a student's Python. What a program does there (it is refused, hangs, crashes the inspector) is
an outcome like that of any submission.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Event
from typing import Any, Literal

import numpy as np

from app.catalog.manifest import Manifest
from app.catalog.package import Package
from app.judging.evidence import Conditional, Evidence, Loop
from app.worker.request import box_spec, limits_of
from app.worker.run import run_cases
from sandbox.guest.codec import Tree, decode, encode
from sandbox.guest.signature import Untraceable, describe
from sandbox.interface import Box, BoxSpec, CaseInput, CaseOutcome, Ending, Limits, Parameter, Request
from sandbox.pool import Pool

__all__ = [
    "INSPECTOR",
    "Inspected",
    "Ran",
    "Run",
    "Task",
    "Untraceable",
    "Wanted",
    "export_programs",
    "inspect",
    "signature_of",
]

INSPECTOR = BoxSpec(("jax",))
EXPORT_DRIVER = "from sandbox.guest.export import run"
INSPECT_DRIVER = "from sandbox.guest.inspection import run"
# Beside the problem's own limit: a message may open the program first, and one that leaves a step out compiles twice.
COMPILE_SECONDS = 5
# Loops that fit what is wanted, and are tried one by one: each costs a compilation for every step that is left out.
CANDIDATES = 3


@dataclass(frozen=True, slots=True)
class Wanted:
    """`length` None: any. `through` is told by the evidence of the loop."""

    kind: Literal["scan", "fori", "while", "cond"]
    length: int | None
    through: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """`inputs`: encoded, all parameters. `leave_out`: what is to be taken out of the program, to see what changes."""

    name: str
    inputs: bytes
    leave_out: Wanted | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """`program`: the answer to its export, whatever that holds."""

    signature: bytes
    program: bytes
    runs: Sequence[Run]
    wanted: tuple[Wanted, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspected:
    """`refusal`: why there is no evidence."""

    signature: bytes
    evidence: Evidence | None
    refusal: CaseOutcome | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """`left_out`: encoded answers of the changed programs, by the index of the loop (of the branches, for "cond").

    Of a counted loop those without its first and without its last step, of another loop that without all of them, of
    branches those with each taken always. None is an answer that could not be had, and shows nothing.
    """

    name: str
    outcome: CaseOutcome
    left_out: Mapping[int, tuple[bytes | None, ...]]


def signature_of(manifest: Manifest, inputs: bytes) -> bytes:
    """Raises Untraceable."""
    tree: Any = decode(inputs)
    static = {parameter.name for parameter in manifest.parameters if parameter.static}
    return encode(describe({parameter.name: tree[parameter.name] for parameter in manifest.parameters}, static))


def export_programs(
    makers: Pool, package: Package, source: str, signatures: Sequence[bytes], abort: Event
) -> Mapping[bytes, CaseOutcome]:
    """`makers`: boxes that may hold the source. Raises BoxLost, Aborted."""
    cases = [CaseInput(f"export {n}", encode({"signature": decode(one)})) for n, one in enumerate(signatures)]
    request = Request(
        source=source,
        entry_point=package.manifest.entry_point,
        driver=EXPORT_DRIVER,
        parameters=(Parameter("signature", "value"),),
        cases=tuple(cases),
        limits=_limits(package.manifest),
    )
    outcomes: list[CaseOutcome] = []
    run_cases(makers, box_spec(package.manifest), request, outcomes.append, abort)
    return dict(zip(signatures, _all(outcomes, [case.name for case in cases]), strict=True))


def inspect(
    inspectors: Pool,
    package: Package,
    tasks: Sequence[Task],
    on_inspected: Callable[[Inspected], None],
    on_ran: Callable[[Ran], None],
    abort: Event,
) -> Box:
    """Each is called once for each task and each run; a task's evidence comes before its runs.

    Raises BoxLost, Aborted.
    """
    conversation = _Conversation(tasks)
    request = Request(
        source="def program():\n    pass\n",
        entry_point="program",
        driver=INSPECT_DRIVER,
        parameters=(Parameter("task", "value"),),
        cases=tuple(conversation.cases),
        limits=_limits(package.manifest),
    )
    reader = _Reader(on_inspected, on_ran)
    last: list[CaseOutcome] = []

    def read(outcome: CaseOutcome) -> None:
        last[:] = [outcome]
        reader.read(*conversation.meanings.pop(0), outcome)

    box = run_cases(inspectors, INSPECTOR, request, read, abort)
    for meaning in tuple(conversation.meanings):
        reader.read(*meaning, replace(last[0], answer=None))
    return box


def _limits(manifest: Manifest) -> Limits:
    limits = limits_of(manifest)
    return replace(limits, wall_seconds=limits.wall_seconds + COMPILE_SECONDS)


def _all(outcomes: list[CaseOutcome], names: Sequence[str]) -> list[CaseOutcome]:
    """What was not run, since too many before had killed their process, shares the fate of the last."""
    return outcomes + [replace(outcomes[-1], name=name, answer=None) for name in names[len(outcomes) :]]


Step = Literal["open", "run", "leave_out"]


class _Conversation:
    """All messages to the inspector, and of what task, and which run, each of them is."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.cases: list[CaseInput] = []
        self.meanings: list[tuple[Step, Task, Run | None]] = []
        for task in tasks:
            self._add("open", task, None)
            for run in task.runs:
                self._add("run", task, run)
        # Last, since a changed program may do worse than the one that was sent.
        for task in tasks:
            for run in task.runs:
                for rank in range(CANDIDATES if run.leave_out else 0):
                    self._add("leave_out", task, run, rank)

    def _add(self, step: Step, task: Task, run: Run | None, rank: int = 0) -> None:
        """Each message is whole, so that any of them can be the first of a new process."""
        message: dict[str, Tree] = {
            "step": step,
            "exported": np.frombuffer(task.program, np.uint8),
            "signature": decode(task.signature),
            "inputs": decode(run.inputs) if run is not None else None,
        }
        if run is not None and run.leave_out is not None:
            message["wanted"] = (run.leave_out.kind, run.leave_out.length, rank)
        name = step if run is None else f"{step} {run.name}"
        self.cases.append(CaseInput(name, encode({"task": message})))
        self.meanings.append((step, task, run))


class _Reader:
    """From the inspector's answers to evidence and outcomes."""

    def __init__(self, on_inspected: Callable[[Inspected], None], on_ran: Callable[[Ran], None]) -> None:
        self._on_inspected, self._on_ran = on_inspected, on_ran
        self._outcomes: dict[str, CaseOutcome] = {}
        self._left_out: dict[str, list[Mapping[int, tuple[bytes | None, ...]]]] = {}

    def read(self, step: Step, task: Task, run: Run | None, outcome: CaseOutcome) -> None:
        if run is None:
            self._on_inspected(_inspected(task.signature, outcome))
        elif step == "leave_out":
            self._keep(run.name, _left_out(outcome))
        elif run.leave_out is not None:
            self._outcomes[run.name] = replace(outcome, name=run.name)
        else:
            self._on_ran(Ran(name=run.name, outcome=replace(outcome, name=run.name), left_out={}))

    def _keep(self, name: str, left_out: Mapping[int, tuple[bytes | None, ...]]) -> None:
        parts = self._left_out.setdefault(name, [])
        parts.append(left_out)
        if len(parts) == CANDIDATES:
            together = {index: answers for part in parts for index, answers in part.items()}
            self._on_ran(Ran(name=name, outcome=self._outcomes.pop(name), left_out=together))


def _inspected(signature: bytes, outcome: CaseOutcome) -> Inspected:
    if outcome.ending is not Ending.ANSWERED or outcome.answer is None:
        return Inspected(signature=signature, evidence=None, refusal=outcome)
    return Inspected(signature=signature, evidence=_evidence(decode(outcome.answer)), refusal=None)


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
        axes=frozenset(found["axes"]),
        equations=found["equations"],
        temporary_bytes=found["temporary_bytes"],
        flops=found["flops"],
    )
