"""What a sandbox is asked and what it answers.

The line between the two kinds of failure: what a student's program does wrong is a value (an `Ending` and a `Failure`);
what we or the host do wrong is an exception (`BoxLost`, `SandboxUnavailable`), and the judging runs again.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

FRAMEWORKS = ("numpy", "jax", "flax", "optax", "torch")
MIB = 2**20

Isolation: TypeAlias = Literal["namespaces", "shared"]
IsolationDemand: TypeAlias = Literal["any", "namespaces", "shared"]
Kind: TypeAlias = Literal["jax", "torch", "numpy", "value"]
Stage: TypeAlias = Literal["load", "call", "answer"]


class SandboxError(Exception):
    """Never the student's fault."""


class SandboxUnavailable(SandboxError):
    """This host can't open a box; the text says what is missing and the command that mends it."""


class SandboxAway(SandboxUnavailable):
    """No box can be opened now, whatever for, and later one may: an engine that is being restarted, say."""


class DeviceLost(SandboxAway):
    """A GPU failed, so that whatever happened on it since tells nothing of the program that ran."""


class BoxLost(SandboxError):
    """The box died, or answered what no guest of ours answers; what it ran must run again elsewhere."""


class Aborted(SandboxError):
    """The caller's abort event was set before the run had ended; the box is gone."""


@dataclass(frozen=True, slots=True)
class BoxSpec:
    """What distinguishes boxes. The zygote imports exactly `frameworks`, which are sorted."""

    frameworks: tuple[str, ...]
    gpu: bool = False

    def __post_init__(self) -> None:
        unknown = set(self.frameworks) - set(FRAMEWORKS)
        if unknown or list(self.frameworks) != sorted(set(self.frameworks)):
            raise ValueError(f"frameworks must be sorted and of {FRAMEWORKS}, not {self.frameworks}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """`wall_seconds`, `answer_bytes` and `text_bytes` (stdout and stderr that are kept) hold for each case."""

    wall_seconds: float
    memory_bytes: int
    load_seconds: float = 20
    answer_bytes: int = 64 * MIB
    text_bytes: int = 64 * 1024


@dataclass(frozen=True, slots=True)
class Parameter:
    """`kind`: what the arrays in this argument become before the call; "value" leaves them as they were decoded."""

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class CaseInput:
    """`inputs`: `codec.encode` of a dict with a tree for each parameter."""

    name: str
    inputs: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One source and the cases to call it with, in order.

    With a driver (`def run(solution, inputs) -> values`) that is called instead; its values are the answer.
    `guarded`: parameters that the program must neither change in place nor give back the memory of. `signature`: the
    names of what a driver calls the solution with, None where only the driver knows. `problem`: whose spares may run
    it.
    """

    source: str
    entry_point: str
    driver: str | None
    parameters: tuple[Parameter, ...]
    cases: Sequence[CaseInput]
    limits: Limits
    guarded: tuple[str, ...] = ()
    signature: tuple[str, ...] | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What a student's process is made with before there is a source.

    `cpu_seconds`: the most that it may compute on each core, a backstop. `library_calls`: what JAX's libraries compute
    there ahead (`sandbox.guest.library_programs`). `problem`: as in `Request`.
    """

    problem: str
    memory_bytes: int
    cpu_seconds: int
    library_calls: tuple[bytes, ...] = ()

    def fits(self, request: Request) -> bool:
        own = setup_of(request)
        return (
            self.problem == own.problem
            and self.memory_bytes == own.memory_bytes
            and self.cpu_seconds >= own.cpu_seconds
        )


def setup_of(request: Request) -> Setup:
    """For a process that is made when its request comes."""
    limits = request.limits
    seconds = limits.load_seconds + len(request.cases) * limits.wall_seconds
    return Setup(problem=request.problem, memory_bytes=limits.memory_bytes, cpu_seconds=int(seconds))


class Ending(StrEnum):
    ANSWERED = "answered"
    RAISED = "raised"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    TOO_MUCH_OUTPUT = "too_much_output"
    CRASHED = "crashed"
    FORGED = "forged"
    INVALID = "invalid"
    UNSUPPORTED = "unsupported"
    INPUT_CHANGED = "input_changed"
    MEMORY_SHARED = "memory_shared"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why there is no answer. `kind`: exception type or signal; all texts are printable and capped."""

    stage: Stage
    kind: str
    message: str
    traceback: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOutcome:
    """`memory_bytes`: peak above what the process had before the source was loaded.

    `wall_seconds` are without `left_out_seconds`, in which the program waited while other processes had its cores.
    """

    name: str
    ending: Ending
    answer: bytes | None
    failure: Failure | None
    text: str
    wall_seconds: float
    memory_bytes: int
    left_out_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """`cases` ends with the one that killed the student's process, if one did; the others were not run.

    They are without their answers, which only `on_case` gets: together they could be very large. `load_failure`
    concerns every case. `clean`: the box was found empty afterwards and may be used again.
    """

    loaded: bool
    load_failure: CaseOutcome | None
    cases: tuple[CaseOutcome, ...]
    load_seconds: float
    clean: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """What a box said when it was ready: facts to be kept with every verdict."""

    isolation: Isolation
    versions: Mapping[str, str]
    python: str
    image: str
    device: Literal["cpu", "gpu"]


class Box(ABC):
    """A started box. One run at a time, from one thread. `name`: by which the host knows it.

    `spare`: what the student's process that waits in it was made with, if one waits.
    """

    name: str = "box"
    ready: Ready
    spare: Setup | None = None

    @abstractmethod
    def run(self, request: Request, on_case: Callable[[CaseOutcome], None], abort: threading.Event) -> RunOutcome:
        """Raises BoxLost or Aborted; after either the box is gone.

        `on_case` is called as each case ends, and is the only one to see its answer.
        """

    def prepare(self, setup: Setup, abort: threading.Event) -> None:  # noqa: B027
        """Makes a spare: a student's process that waits for its source. The next run takes it where it fits.

        A box with a GPU makes none. Raises as `run` does.
        """

    @abstractmethod
    def is_alive(self) -> bool: ...

    @abstractmethod
    def close(self) -> None:
        """Ends everything in the box at once. May be called twice."""


class Launcher(ABC):
    name: str

    @abstractmethod
    def launch(self, spec: BoxSpec) -> Box:
        """Raises SandboxUnavailable."""
