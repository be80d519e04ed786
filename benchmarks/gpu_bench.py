"""Boxes with a GPU, for `gpu_check`: one at a time, with a table of findings."""

import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from sandbox.gpu.driver import Driver, Gpu
from sandbox.guest import codec
from sandbox.interface import (
    MIB,
    ArrayKind,
    Box,
    BoxSpec,
    CaseInput,
    CaseOutcome,
    Launcher,
    Parameter,
    Request,
    RunLimits,
)

LIMITS = RunLimits(wall_seconds=60, load_seconds=60, memory_bytes=4096 * MIB)
SAMPLE_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table. `is_right` is None for a finding that is only information."""

    where: str
    what: str
    is_right: bool | None
    saw: str


@dataclass
class Check:
    """The boxes of one launcher, and the findings in them."""

    launcher: Launcher
    driver: Driver
    gpu: Gpu
    where: str
    rows: list[Row] = field(default_factory=list)
    _box: Box | None = None
    _spec: BoxSpec | None = None

    def note(self, what: str, is_right: bool | None, saw: object) -> None:
        self.rows.append(Row(self.where, what, is_right, str(saw)))
        mark = {True: "as expected", False: "WRONG", None: "information"}[is_right]
        print(f"[{self.where}] {what}: {saw} ({mark})", flush=True)

    def attempt(self, what: str, step: Callable[[], None]) -> None:
        """Run a step. Every exception becomes a finding, even a bug of this script, and the next step runs."""
        try:
            step()
        except Exception as error:
            traceback.print_exc()
            self.note(what, False, f"{type(error).__name__}: {error}")
            self.close()

    def box(self, *frameworks: str) -> Box:
        """Return the open box, or a new one if the frameworks differ or the box is gone."""
        spec = BoxSpec(frameworks, gpu=True)
        if self._box is None or self._spec != spec or not self._box.is_usable():
            self.close()
            begun = time.perf_counter()
            self._box, self._spec = self.launcher.launch(spec), spec
            seconds = time.perf_counter() - begun
            self.note(f"cold start with {', '.join(frameworks)}", None, f"{seconds:.2f} s")
        return self._box

    def close(self) -> None:
        if self._box is not None:
            self._box.close()
        self._box = None

    def run(self, frameworks: tuple[str, ...], request: Request) -> tuple[bool, list[CaseOutcome], int]:
        """Return whether nothing is left, the outcomes of the cases or of the load failure, and the peak GPU memory."""
        cases: list[CaseOutcome] = []
        box = self.box(*frameworks)
        with self._peak() as peak:
            outcome = box.run(request, cases.append, threading.Event())
        return box.is_usable(), cases if outcome.load_failure is None else [outcome.load_failure], peak[-1]

    @contextmanager
    def _peak(self) -> Iterator[list[int]]:
        before = self.driver.use_of(self.gpu).memory_bytes
        peaks, ended = [0], threading.Event()

        def look() -> None:
            while not ended.wait(SAMPLE_SECONDS):
                peaks.append(max(peaks[-1], self.driver.use_of(self.gpu).memory_bytes - before))

        thread = threading.Thread(target=look)
        thread.start()
        try:
            yield peaks
        finally:
            ended.set()
            thread.join()


def make_request(source: str, kind: ArrayKind = "value", memory_mib: int | None = None, **inputs: Any) -> Request:
    limits = LIMITS if memory_mib is None else replace(LIMITS, memory_bytes=memory_mib * MIB)
    return Request(
        source=source,
        entry_point="solve",
        driver=None,
        parameters=tuple(Parameter(name, kind) for name in inputs),
        cases=(CaseInput("case", codec.encode(inputs)),),
        limits=limits,
    )


def value_of(outcome: CaseOutcome) -> Any:
    return None if outcome.answer is None else codec.decode(outcome.answer)


def failure_of(outcome: CaseOutcome) -> str:
    return f"{outcome.ending}: {outcome.failure.message[:200]}" if outcome.failure else str(outcome.ending)
