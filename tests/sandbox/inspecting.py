"""Helpers for tests of export and inspection: export a function in one box and inspect it in another."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sandbox.guest import codec, trace_signature
from sandbox.guest.wire import MESSAGE, InspectorMessage, InspectorStep
from sandbox.interface import CaseOutcome
from tests.sandbox.bench import Bench, make_request, run_in

EXPORT = "from sandbox.guest.program_export import run"
INSPECT = "from sandbox.guest.inspection import run"
ENTRY = "def solve():\n    pass\n"

Inputs = Mapping[str, Any]
LoopChoice = tuple[str, int | None, int]


@dataclass(frozen=True)
class Program:
    """`exported`: encoded and untrusted."""

    exported: bytes
    signature: bytes
    inputs: Inputs

    def message(
        self, step: InspectorStep, wanted: LoopChoice | None = None, inputs: Inputs | None = None
    ) -> dict[str, Any]:
        message = InspectorMessage(
            step=step,
            exported=np.frombuffer(self.exported, np.uint8),
            signature=codec.decode(self.signature),
            inputs=dict(self.inputs if inputs is None else inputs),
            left_out=wanted,
        )
        return {MESSAGE: message.to_tree()}


def describe(inputs: Inputs, static: Iterable[str] = ()) -> bytes:
    return codec.encode(trace_signature.describe(inputs, frozenset(static)))


def export(
    bench: Bench, source: str, *cases: Inputs, static: tuple[str, ...] = (), frameworks: tuple[str, ...] = ("jax",)
) -> list[CaseOutcome]:
    """Return the outcomes of exporting `solve` for each of the cases."""
    signatures = [{"signature": codec.decode(describe(inputs, static))} for inputs in cases]
    with bench.box(*frameworks) as box:
        run = run_in(box, make_request(source, *signatures, driver=EXPORT))
    assert run.load_failure is None, run.load_failure
    return list(run.cases)


def programs(
    bench: Bench, source: str, *cases: Inputs, static: tuple[str, ...] = (), frameworks: tuple[str, ...] = ("jax",)
) -> list[Program]:
    outcomes = export(bench, source, *cases, static=static, frameworks=frameworks)
    return [
        Program(_answer(outcome), describe(inputs, static), inputs)
        for outcome, inputs in zip(outcomes, cases, strict=True)
    ]


def ask(bench: Bench, *messages: dict[str, Any], **limits: Any) -> list[CaseOutcome]:
    """Return the outcomes of one process, up to its death."""
    with bench.box("jax") as box:
        run = run_in(box, make_request(ENTRY, *messages, driver=INSPECT, **limits))
    assert run.load_failure is None, run.load_failure
    return list(run.cases)


def _answer(outcome: CaseOutcome) -> bytes:
    assert outcome.answer is not None, outcome
    return outcome.answer
