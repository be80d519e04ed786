"""The interface of a sandbox: requests, outcomes, and the two abstract classes Box and Launcher.

A failure of the student's program is a value (an `Ending` and a `Failure`). A failure of Allclose or of the host is an
exception (`BoxLost`, `SandboxUnavailable`), and the judging runs again.

To add a launcher:

1. Write a `Launcher` whose `launch(spec)` returns a `Box`, or raises `SandboxUnavailable` with the command that helps.
   If it runs the guest, write only a `Vessel` and call `open_box` of `guest_box.py`. `environment.py` has the guest's
   command line, `guest/seccomp_filter.py` its filter. If its boxes can read compiled programs, implement
   `FillableLauncher` (`library_cache.py`).
2. Choose it in `launcher_choice.py` and `Settings.sandbox`, and add a check for `allclose doctor` in `check/`.
3. Add it to `LAUNCHERS` in `tests/sandbox/conftest.py`, once per way to isolate. The contract suites in
   `tests/sandbox/` and all of `tests/hostile/` must pass unchanged. Add it to the contract about the guest in
   `pyproject.toml`.
"""

import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

from sandbox.guest.wire import MIB as MIB
from sandbox.guest.wire import ArrayKind as ArrayKind
from sandbox.guest.wire import GuestFacts, ProcessSetup, RunTask
from sandbox.guest.wire import Isolation as Isolation
from sandbox.guest.wire import IsolationDemand as IsolationDemand
from sandbox.guest.wire import Parameter as Parameter
from sandbox.guest.wire import RunLimits as RunLimits

FRAMEWORKS = ("numpy", "jax", "flax", "optax", "pallas", "torch", "triton")
Stage: TypeAlias = Literal["load", "call", "answer"]


class SandboxError(Exception):
    """A failure that is never the student's fault."""


class SandboxUnavailable(SandboxError):
    """This host can't open a box. The text says what is missing and names the command that fixes it."""


class SandboxAway(SandboxUnavailable):
    """This host can't open any box now, but may later: for example while an engine restarts."""


class DeviceLost(SandboxAway):
    """A GPU failed. Results computed on it since then say nothing about the program."""


class BoxLost(SandboxError):
    """The box died or broke the protocol. Its run must be repeated in another box."""


class BoxSilent(BoxLost):
    """The box did not answer in time."""


class Aborted(SandboxError):
    """The caller's abort event was set before the run ended. The box is gone."""


@dataclass(frozen=True, slots=True)
class BoxSpec:
    """The properties by which boxes differ. The zygote imports exactly `frameworks`, which are sorted."""

    frameworks: tuple[str, ...]
    gpu: bool = False

    def __post_init__(self) -> None:
        unknown = set(self.frameworks) - set(FRAMEWORKS)
        if unknown or list(self.frameworks) != sorted(set(self.frameworks)):
            raise ValueError(f"frameworks must be sorted and of {FRAMEWORKS}, not {self.frameworks}")


@dataclass(frozen=True, slots=True)
class CaseInput:
    """`inputs`: `codec.encode` of a dict that maps each parameter's name to a tree."""

    name: str
    inputs: bytes


class CaseQueue:
    """The cases of a run. The next one is taken when the process has replied to the one before."""

    def __init__(self, cases: Iterable[CaseInput] = ()) -> None:
        self._left = deque(cases)

    def __len__(self) -> int:
        """Return how many cases are left at most."""
        return len(self._left)

    def begin(self) -> None:
        """Called when a process begins to take cases."""

    def take(self) -> CaseInput | None:
        """Return None when there are no more cases for this run."""
        return self._left.popleft() if self._left else None


class ObservedQueue(CaseQueue):
    """Hands out the cases of another queue. `on_take` is called with each case before the run gets it."""

    def __init__(self, cases: CaseQueue, on_take: Callable[[CaseInput], None]) -> None:
        super().__init__()
        self._cases, self._on_take = cases, on_take

    def __len__(self) -> int:
        return len(self._cases)

    def begin(self) -> None:
        self._cases.begin()

    def take(self) -> CaseInput | None:
        case = self._cases.take()
        if case is not None:
            self._on_take(case)
        return case


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(RunTask):
    """A task and the cases to call it with, in order.

    `queue`: cases that are chosen only when they are taken, in place of `cases`.
    """

    cases: Sequence[CaseInput] = ()
    queue: CaseQueue | None = None

    def to_take(self) -> CaseQueue:
        """Return the queue that the cases are taken from."""
        return CaseQueue(self.cases) if self.queue is None else self.queue


def setup_of(request: Request) -> ProcessSetup:
    limits = request.limits
    seconds = limits.load_seconds + len(request.to_take()) * limits.wall_seconds
    return ProcessSetup(memory_bytes=limits.memory_bytes, cpu_seconds=int(seconds))


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
    """The reason why there is no answer. `kind`: exception type or signal. All texts are printable and capped."""

    stage: Stage
    kind: str
    message: str
    traceback: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOutcome:
    """`memory_bytes`: peak memory above the level before the source was loaded.

    `wall_seconds` exclude `left_out_seconds`, in which the program waited because other processes held its cores.
    `notes`: what watching code wrote into its record since the process began (`sandbox.guest.notes`). The process can
    add to it, and can't take back.
    """

    name: str
    ending: Ending
    answer: bytes | None
    failure: Failure | None
    text: str
    wall_seconds: float
    memory_bytes: int
    left_out_seconds: float = 0.0
    notes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """`cases` ends with the case that killed the student's process, if one did; cases after it were not run.

    Answers are removed because together they could be very large; only `on_case` receives them. `load_failure` applies
    to every case.
    """

    load_failure: CaseOutcome | None
    cases: tuple[CaseOutcome, ...]
    load_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready(GuestFacts):
    """Facts that a box reports when it is ready. They are stored with every verdict."""

    image: str


OnCase = Callable[[CaseOutcome], None]


class FrameworkMissing(SandboxError):
    """The boxes of this host lack an optional framework. The text names it, and the command that installs it."""


class Box(ABC):
    """A started box. One run at a time, from one thread. `name`: identifies the box on the host."""

    name: str = "box"
    ready: Ready

    @abstractmethod
    def run(self, request: Request, on_case: OnCase, abort: threading.Event) -> RunOutcome:
        """Run the request. `on_case` is called as each case ends, and only it sees the answer. The next case may have
        begun by then. When this returns, the student's process may still be ending: see `is_usable`.

        Raises BoxLost or Aborted; after either the box is gone.
        """

    @abstractmethod
    def is_usable(self) -> bool:
        """Wait until nothing of the last run is left. Return whether the box can be used again."""

    @abstractmethod
    def close(self) -> None:
        """End everything in the box at once. May be called twice."""


class Launcher(ABC):
    name: str

    @abstractmethod
    def launch(self, spec: BoxSpec) -> Box:
        """Raises SandboxUnavailable, and FrameworkMissing."""
