"""Helpers for sandbox tests: sources that define `solve`, run in boxes that are kept warm."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import dedent
from typing import Any

from sandbox.guest import codec
from sandbox.guest_box import GuestBox
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
    RunOutcome,
)
from sandbox.pool import Pool

RUNTIME = Path(__file__).parents[2] / ".runtime"
LIMITS = RunLimits(wall_seconds=20, load_seconds=20, memory_bytes=1024 * MIB)


def make_request(source: str, *inputs: Mapping[str, Any], kind: ArrayKind = "value", **changes: Any) -> Request:
    """Make a case for each of `inputs`, or one without inputs. Keyword arguments change limits."""
    given = inputs or ({},)
    limits = {name: changes.pop(name) for name in list(changes) if hasattr(LIMITS, name)}
    request = Request(
        source=dedent(source),
        entry_point="solve",
        driver=None,
        parameters=tuple(Parameter(name, kind) for name in given[0]),
        cases=tuple(CaseInput(f"case {n}", codec.encode(dict(values))) for n, values in enumerate(given)),
        limits=replace(LIMITS, **limits),
    )
    return replace(request, **changes)


def run_in(box: Box, request: Request) -> RunOutcome:
    """Run the request and return its outcomes with the answers."""
    outcomes: list[CaseOutcome] = []
    run = box.run(request, outcomes.append, threading.Event())
    return replace(run, cases=tuple(outcomes))


def value_of(outcome: CaseOutcome) -> Any:
    assert outcome.answer is not None, outcome
    return codec.decode(outcome.answer)


class Recorder(Launcher):
    """A real launcher that keeps what it launched."""

    def __init__(self, launcher: Launcher) -> None:
        self.name, self._launcher = launcher.name, launcher
        self.launched: list[GuestBox] = []

    def launch(self, spec: BoxSpec) -> Box:
        box = self._launcher.launch(spec)
        assert isinstance(box, GuestBox)
        self.launched.append(box)
        return box


@dataclass(frozen=True)
class Bench:
    pool: Pool

    @contextmanager
    def box(self, *frameworks: str) -> Iterator[Box]:
        with self.pool.lease(BoxSpec(tuple(sorted(frameworks))), threading.Event()) as box:
            yield box

    def run(
        self, source: str, *inputs: Mapping[str, Any], frameworks: tuple[str, ...] = (), **changes: Any
    ) -> RunOutcome:
        with self.box(*frameworks) as box:
            return run_in(box, make_request(source, *inputs, **changes))

    def run_cleanly(self, source: str, *inputs: Mapping[str, Any], **changes: Any) -> RunOutcome:
        """Run in a box that can be used again afterwards."""
        frameworks: tuple[str, ...] = changes.pop("frameworks", ())
        with self.box(*frameworks) as box:
            run = run_in(box, make_request(source, *inputs, **changes))
            assert box.is_usable()
        return run

    def call(self, source: str, *inputs: Mapping[str, Any], **changes: Any) -> CaseOutcome:
        """Return the outcome of the last case that ran, or of the loading."""
        outcome = self.run(source, *inputs, **changes)
        return outcome.load_failure or outcome.cases[-1]
