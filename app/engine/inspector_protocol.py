"""The messages to an inspector about a submission's programs: their order, and their time limit.

A message is built when it is sent, so few are in memory at a time. It holds the program only if the process does
not have it from the message before.

Runs on small inputs share a message, a batch. A batch only saves time: it accepts answers, and refuses none. The
inspector answers the first of its runs, and stops early at a failure, or when time or bytes are used up. What a batch
leaves open is asked for once more, one run per message, and only that decides how a run failed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from sandbox.guest.codec import decode, encode
from sandbox.guest.wire import MESSAGE, InspectorMessage, InspectorStep
from sandbox.interface import CaseInput, CaseOutcome, CaseQueue, Ending, Failure

# Matching loops that are tried: each costs a compilation for every step left out.
CANDIDATES = 3
# The most bytes of inputs in a batch, and of answers.
BATCH_BYTES = 2**20
# A batch begins no further run after this share of the time limit of a single run.
BATCH_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class RequiredPart:
    """`length` None: any length."""

    kind: Literal["scan", "fori", "while", "cond"]
    length: int | None


@dataclass(frozen=True, slots=True)
class Run:
    """`inputs`: encoded, all parameters. `leave_out`: the part to remove from the program, to see what changes."""

    name: str
    inputs: bytes
    leave_out: RequiredPart | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """`program`: the untrusted answer to its export."""

    signature: bytes
    program: bytes
    runs: Sequence[Run]


@dataclass(frozen=True, slots=True)
class Step:
    """`batch`: the runs of a "batch"; other messages have at most one `run`. `rank`: among the matching loops, ordered
    by work.
    """

    kind: InspectorStep
    task: Task
    run: Run | None = None
    rank: int = 0
    batch: tuple[Run, ...] = ()


@dataclass(frozen=True, slots=True)
class SkipReason:
    """The reason why messages were skipped.

    `ending`: of the program that had ended too many processes. None if a changed program did that, which says nothing
    about the original. `seconds`: the total time limit, if it was used up.
    """

    ending: Ending | None
    seconds: float | None = None


def plan(tasks: Sequence[Task]) -> list[Step]:
    """Put changed programs last, since they may behave worse than the originals."""
    steps: list[Step] = []
    for task in tasks:
        steps += [Step("open", task), *_runs(task)]
    tried = [(task, run) for task in tasks for run in task.runs if run.leave_out is not None]
    return steps + [Step("leave_out", task, run, rank) for task, run in tried for rank in range(CANDIDATES)]


def singly(steps: Sequence[Step]) -> list[Step]:
    """Return the same steps with one message for each run."""
    return [one for step in steps for one in ([Step("run", step.task, run) for run in step.batch] or [step])]


def _runs(task: Task) -> list[Step]:
    """A run that is repeated without some steps has a message of its own, and so has one on large inputs."""
    alone = [run for run in task.runs if run.leave_out is not None or len(run.inputs) > BATCH_BYTES]
    batches, used = list[list[Run]](), BATCH_BYTES
    for run in task.runs:
        if run in alone:
            continue
        if used + len(run.inputs) > BATCH_BYTES:
            batches.append([])
            used = 0
        batches[-1].append(run)
        used += len(run.inputs)
    alone += [batch[0] for batch in batches if len(batch) == 1]
    shared = [Step("batch", task, batch=tuple(batch)) for batch in batches if len(batch) > 1]
    return [*(Step("run", task, run) for run in alone), *shared]


@dataclass(slots=True)
class Clock:
    """`call_seconds`: limit for running a compiled program. `seconds`: limit for all messages together."""

    call_seconds: float
    seconds: float
    used: float = 0.0

    @property
    def skip_reason(self) -> SkipReason | None:
        return SkipReason(Ending.TIMED_OUT, self.seconds) if self.used >= self.seconds else None

    def timely(self, message: "Message", outcome: CaseOutcome) -> CaseOutcome:
        """Apply the time limit of a run: the box itself allows every message the time of one that compiles.

        A batch has the limit of a single run.
        """
        self.used += outcome.wall_seconds
        is_late = outcome.ending is Ending.TIMED_OUT or outcome.wall_seconds > self.call_seconds
        if message.step.kind not in ("run", "batch") or message.has_program or not is_late:
            return outcome
        text = f"the call took longer than {self.call_seconds:g} s"
        failure = Failure(stage="call", kind="Timeout", message=text, traceback="")
        return replace(outcome, ending=Ending.TIMED_OUT, answer=None, failure=failure)


@dataclass(frozen=True, slots=True)
class Message:
    """`has_program`: it contains the program, which the process opens before the step."""

    step: Step
    has_program: bool


class Messages(CaseQueue):
    """Builds each message when the inspector's process has answered the one before.

    After the total time limit, no message follows. `sent`: all messages so far. `ended_by`: for each process but the
    last one, the step that ended it.
    """

    def __init__(self, steps: Sequence[Step], clock: Clock) -> None:
        super().__init__()
        self._steps, self._clock = steps, clock
        self._open: Task | None = None
        self.sent: list[Message] = []
        self.ended_by: list[Step] = []

    def __len__(self) -> int:
        return 0 if self._clock.skip_reason else len(self._steps) - len(self.sent)

    def begin(self) -> None:
        self._open = None
        if self.sent:
            self.ended_by.append(self.sent[-1].step)

    def take(self) -> CaseInput | None:
        if not len(self):
            return None
        step = self._steps[len(self.sent)]
        has_program = step.task is not self._open
        self._open = step.task
        self.sent.append(Message(step, has_program))
        name = step.kind if step.run is None else f"{step.kind} {step.run.name}"
        message = _message(step, has_program, self._clock.call_seconds * BATCH_SHARE)
        return CaseInput(name, encode({MESSAGE: message.to_tree()}))


def _message(step: Step, has_program: bool, seconds: float) -> InspectorMessage:
    run = step.run
    wanted = run.leave_out if run is not None else None
    return InspectorMessage(
        step=step.kind,
        exported=np.frombuffer(step.task.program, np.uint8) if has_program else None,
        signature=decode(step.task.signature) if has_program else None,
        inputs=[np.frombuffer(each.inputs, np.uint8) for each in step.batch] or (decode(run.inputs) if run else None),
        most=(seconds, BATCH_BYTES) if step.batch else None,
        left_out=(wanted.kind, wanted.length, step.rank) if wanted is not None else None,
    )
