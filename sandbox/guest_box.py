"""A box that runs the guest, at the other end of a stream. The launcher opens and ends the vessel around it."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from sandbox.guest import wire
from sandbox.guest.charged_time import MAX_STRETCH
from sandbox.guest.wire import CallReport, Cause, ProcessSetup
from sandbox.interface import (
    Box,
    BoxLost,
    BoxSilent,
    BoxSpec,
    CaseInput,
    CaseOutcome,
    CaseQueue,
    Ending,
    FrameworkMissing,
    Ready,
    Request,
    RunOutcome,
    SandboxAway,
    setup_of,
)
from sandbox.process_ending import outcome_of, read_report
from sandbox.stream import Patience, Stream, read_json

# Time for the guest on top of a limit: it confines the child, kills it and frees its memory.
GRACE_SECONDS = 15
EMPTYING_SECONDS = 10
SETUP_SECONDS = 30
# The guest imports its frameworks in a few seconds of CPU time, of which it gets little on an overloaded machine.
OPENING_SECONDS = 300


class Vessel(ABC):
    """The process or container that a guest runs in."""

    name: str
    stream: Stream
    pid: int
    """The host's process ID of the first process in the box."""

    @abstractmethod
    def is_alive(self) -> bool: ...

    def check_host(self) -> None:  # noqa: B027
        """Called after a loss. Raises SandboxAway when the host's engine is away, so the box is not to blame."""

    def make_room(self, memory_bytes: int) -> None:  # noqa: B027
        """Called before a run that may use this much memory. A vessel without a memory limit does nothing."""

    @abstractmethod
    def destroy(self) -> None:
        """End the vessel at once, with everything in it. May be called twice."""

    @abstractmethod
    def last_words(self) -> str:
        """Return the end of what the guest wrote to stderr, for the log."""


class GuestBox(Box):
    def __init__(self, vessel: Vessel, ready: Ready) -> None:
        self.vessel, self.ready = vessel, ready
        self.name = vessel.name
        self._in_use = threading.RLock()
        self._last_run: _Run | None = None
        self._is_spoilt = False

    def run(self, request: Request, on_case: Callable[[CaseOutcome], None], abort: threading.Event) -> RunOutcome:
        with self._in_use, self._closing_when_lost():
            self._make_child(setup_of(request), abort)
            self._last_run = _Run(self.vessel.stream, request, abort)
            return self._last_run.outcome(on_case)

    def _make_child(self, setup: ProcessSetup, abort: threading.Event) -> None:
        if not self.is_usable():
            raise BoxLost("the box was not empty after its last run")
        self.vessel.make_room(setup.memory_bytes)
        self.vessel.stream.send(wire.SETUP, setup.to_json(), Patience(GRACE_SECONDS, abort))
        self.vessel.stream.receive(wire.WAITING, Patience(SETUP_SECONDS + GRACE_SECONDS, abort))

    @contextmanager
    def _closing_when_lost(self) -> Iterator[None]:
        try:
            yield
        except BoxLost as error:
            words = self.vessel.last_words()
            self.close()
            self.vessel.check_host()
            raise BoxLost(f"{error}; it last said: {words}" if words else str(error)) from None
        except BaseException:
            self.close()
            raise

    def is_usable(self) -> bool:
        """A box that sent a forged reply or bytes unasked, or closed its end, can't be used again."""
        with self._in_use:
            if self._last_run is not None and not self._last_run.has_left_nothing():
                self._is_spoilt = True
            self._last_run = None
            return not self._is_spoilt and self.vessel.is_alive() and not self.vessel.stream.can_read()

    def close(self) -> None:
        self.vessel.destroy()
        with self._in_use:  # so that a run in another thread sees the end of the stream, not a reused descriptor
            self.vessel.stream.close()


class _Run:
    """One request's dialogue with the monitor."""

    def __init__(self, stream: Stream, request: Request, abort: threading.Event) -> None:
        self._stream, self._request, self._abort = stream, request, abort
        self._limits = request.limits
        self._has_forged = False

    def outcome(self, on_case: Callable[[CaseOutcome], None]) -> RunOutcome:
        self._stream.send(wire.TASK, self._request.to_json(), self._patience(self._limits.load_seconds))
        loading = self._report(self._patience(MAX_STRETCH * self._limits.load_seconds))
        has_loaded = loading.cause is Cause.REPLIED and loading.kind == wire.LOADED
        failure = None if has_loaded else outcome_of("", "load", loading, self._limits)
        cases = tuple(self._cases(on_case)) if has_loaded else ()
        self._has_forged = any(outcome.ending is Ending.FORGED for outcome in ((failure,) if failure else cases))
        return RunOutcome(load_failure=failure, cases=cases, load_seconds=loading.wall_seconds)

    def has_left_nothing(self) -> bool:
        """Wait until the zygote confirms that the box is empty, or ends. The results stand anyway."""
        try:
            self._stream.receive(wire.EMPTY, Patience(EMPTYING_SECONDS + GRACE_SECONDS))
        except BoxLost:
            return False
        return not self._has_forged

    def _cases(self, on_case: Callable[[CaseOutcome], None]) -> Iterator[CaseOutcome]:
        """Run the cases up to the last one, or the one that ended the process. Yields outcomes without answers."""
        queue = self._request.to_take()
        queue.begin()
        case = self._send_next(queue)
        if case is None:
            self._is_forged()
        while case is not None:
            report = self._report(self._patience(MAX_STRETCH * self._limits.wall_seconds))
            following = self._send_next(queue) if report.cause is Cause.REPLIED else None
            if report.cause is Cause.REPLIED and following is None and self._is_forged():
                report = replace(report, cause=Cause.FORGED, content=b"")
            outcome = outcome_of(case.name, "call", report, self._limits)
            on_case(outcome)  # while the process is busy with the following case
            yield replace(outcome, answer=None)
            case = following

    def _send_next(self, queue: CaseQueue) -> CaseInput | None:
        """Send the next case, or that none follows."""
        case = queue.take()
        kind, inputs = (wire.NO_CASE, b"") if case is None else (wire.CASE, case.inputs)
        self._stream.send(kind, inputs, self._patience(MAX_STRETCH * self._limits.wall_seconds))
        return case

    def _is_forged(self) -> bool:
        """Wait until the process has ended, after its last case. Return whether that reply was forged."""
        return self._stream.receive(wire.LAST, self._patience(GRACE_SECONDS)) != b""

    def _report(self, patience: Patience) -> CallReport:
        facts, text, content = (
            self._stream.receive(kind, patience, self._limits) for kind in (wire.OUTCOME, wire.TEXT, wire.CONTENT)
        )
        return read_report(read_json(facts), text, content)

    def _patience(self, seconds: float) -> Patience:
        return Patience(seconds + GRACE_SECONDS, self._abort)


def require_frameworks(box: GuestBox, spec: BoxSpec, command: str) -> GuestBox:
    """Return the box. `command`: installs the framework that is named after it.

    Raises FrameworkMissing if the box lacks a framework; then it is closed.
    """
    name = next((name for name in spec.frameworks if name in box.ready.missing), None)
    if name is None:
        return box
    box.close()
    raise FrameworkMissing(f"the boxes of this machine have no {name}, which is optional: run `{command}{name}`")


def open_box(vessel: Vessel, image: str) -> GuestBox:
    """Wait until the guest has imported its frameworks. After any error the vessel is destroyed.

    Raises BoxLost, and SandboxAway if the guest is still at it after OPENING_SECONDS.
    """
    try:
        facts = read_json(vessel.stream.receive(wire.READY, Patience(OPENING_SECONDS)))
        return GuestBox(vessel, Ready.read(facts, image=image))
    except BaseException as error:
        vessel.destroy()
        vessel.stream.close()
        if isinstance(error, BoxSilent):
            text = f"a box was not ready after {OPENING_SECONDS} s: this machine has too much to do, or its disk hangs"
            raise SandboxAway(text) from None
        if isinstance(error, BoxLost):
            raise BoxLost(f"{error}; it last said: {vessel.last_words()}") from None
        raise
