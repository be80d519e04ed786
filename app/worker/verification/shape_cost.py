"""What the shapes of a problem's cases cost: JAX compiles anew for each.

The first case of a shape is run in two processes, after the shapes that stand before it and after those that stand
behind it; its smaller figure counts. All figures are CPU seconds of all threads, so that other work on the machine
changes them little.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from statistics import mean
from typing import cast

from app.catalog.verification.report import Finding
from app.catalog.verification.section import CaseCost, LimitsSection, ShapeCost
from app.worker.prepare import PreparedCase
from app.worker.request import PATIENCE
from app.worker.shapes import Shape, shapes_of
from app.worker.verification.many import Call, Version, call_while_alive
from app.worker.verification.trial import Trial
from sandbox.guest.codec import decode
from sandbox.interface import CaseOutcome

DEAR_SECONDS = 1.0
MAX_NAMED = 3
DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """`wall_seconds`: of the first call with each case, by its name."""

    cases: tuple[CaseCost, ...] = ()
    shapes: tuple[ShapeCost, ...] = ()
    wall_seconds: Mapping[str, float] = field(default_factory=dict)


def measure_costs(trial: Trial, source: str, cases: Sequence[PreparedCase]) -> Costs:
    """Of a solution that is right. Raises JudgeFailed, BoxLost, Aborted."""
    shapes = shapes_of(cases, trial.package.manifest.case_inputs)
    in_order = [case for shape in shapes for case in shape.cases]
    outcomes = _call(trial, source, [case for case in in_order for _ in range(2)])
    first, again = (_cpu_seconds(in_order, outcomes[start::2]) for start in range(2))
    from_the_end = [shape.cases[0] for shape in reversed(shapes)]
    other = _cpu_seconds(from_the_end, _call(trial, source, from_the_end))
    costs = {
        name: CaseCost(
            case=name,
            group=group,
            first_seconds=round(min(first[name], other.get(name, inf)), DIGITS),
            again_seconds=round(again[name], DIGITS),
        )
        for group, shape in enumerate(shapes)
        for name in (case.name for case in shape.cases)
        if name in first and name in again
    }
    return Costs(
        cases=tuple(costs[case.name] for case in cases if case.name in costs),
        shapes=tuple(_shape_cost(shape, costs) for shape in shapes if shape.cases[0].name in costs),
        wall_seconds={
            case.name: outcome.wall_seconds
            for case, outcome in zip(in_order, outcomes[::2], strict=False)
            if outcome.answer is not None
        },
    )


def _call(trial: Trial, source: str, cases: Sequence[PreparedCase]) -> list[CaseOutcome]:
    version = Version(source, "cpu_seconds")
    calls = [Call(version, case) for case in cases]
    return call_while_alive(trial, calls, PATIENCE * trial.package.manifest.limits.wall_seconds)


def _cpu_seconds(cases: Sequence[PreparedCase], outcomes: Sequence[CaseOutcome]) -> dict[str, float]:
    """By the name of the case, where there was an answer: it is what the call took."""
    answers = ((case.name, outcome.answer) for case, outcome in zip(cases, outcomes, strict=False))
    return {name: float(cast(float, decode(answer))) for name, answer in answers if answer is not None}


def _shape_cost(shape: Shape, costs: Mapping[str, CaseCost]) -> ShapeCost:
    first, *others = (costs[case.name] for case in shape.cases if case.name in costs)
    return ShapeCost(
        label=shape.label,
        cases=tuple(case.name for case in shape.cases),
        first_seconds=first.first_seconds,
        further_seconds=round(mean(other.first_seconds for other in others), DIGITS) if others else first.again_seconds,
    )


def find_dear_shapes(section: LimitsSection) -> Finding | None:
    total = sum(shape.cost_seconds for shape in section.shapes)
    if total <= DEAR_SECONDS:
        return None
    if len(section.shapes) == 1:
        message = f"the one shape of its cases costs {section.slowest} {total:.1f} s of CPU"
        remedy = "make what is compiled for it smaller, such as by a lax.scan in place of a Python loop"
    else:
        dear = sorted(section.shapes, key=lambda shape: shape.cost_seconds, reverse=True)[:MAX_NAMED]
        named = ", ".join(f"{shape.cost_seconds:.1f} s for that of {shape.cases[0]}" for shape in dear)
        message = (
            f"the {len(section.shapes)} shapes of its cases cost {section.slowest} {total:.1f} s of CPU, most {named}"
        )
        remedy = "let cases share shapes: three or four find as many mistakes, when one of them has awkward sizes"
    return Finding(check="limits", severity="warning", message=message, remedy=remedy, file="problem.yaml")
