"""Check that the limits leave accepted solutions enough room, and measure what cases and their shapes cost.

The limits in `efficiency` must leave room too, and must refuse a known slow solution.

JAX compiles again for each shape. Costs are CPU seconds of all threads, so other work on the machine changes them
little.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import inf
from statistics import mean
from typing import cast

from app.catalog.verification_report import Finding
from app.catalog.verification_section import CaseCost, LimitsSection, ShapeCost, TimedSolution
from app.engine.prepare import PreparedCase, Shape, shapes_of
from app.engine.request import MEBIBYTE, PATIENCE
from app.judging.efficiency import ROOM_GROWTH
from app.judging.verdicts import Verdict
from app.verification.batch import Call, Version, call_while_alive
from app.verification.trial import CheckResult, Material, SourceJudging, Trial, some_of_each
from sandbox.guest.codec import decode
from sandbox.interface import CaseOutcome

DEAR_SECONDS = 1.0
MAX_NAMED = 3
DIGITS = 6
STEP = "limits and cost"
FACTOR = 3
ROUND_SECONDS = (2, 3, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300)
ROUND_MEBIBYTES = (256, 512, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12_288, 16_384, 24_576, 32_768, 65_536)
# A limit below this factor is refused: on a busy machine, a right solution could exceed it.
LEAST_FACTOR = 1.5
TOO_LOOSE = 6
COMPILED = {"jax", "flax", "optax"}
# Shorter times are mostly those of passing on the inputs and the answer.
LEAST_TIMED_SECONDS = 0.005
# Sizes that are closer together tell little of how the time grows.
LEAST_SPREAD = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """`wall_seconds` maps each case to the wall time of its first call."""

    cases: tuple[CaseCost, ...] = ()
    shapes: tuple[ShapeCost, ...] = ()
    wall_seconds: Mapping[str, float] = field(default_factory=dict)


def check_limits(trial: Trial, material: Material) -> CheckResult[LimitsSection]:
    """Raises JudgeFailed, BoxLost, Aborted."""
    solutions = {
        f"submissions/{judged.name}.py": (judged.submission.source, judged.attempt)
        for judged in material.judged
        if judged.submission.verdict is Verdict.ACCEPTED and judged.attempt.outcomes
    }
    if not solutions:
        return CheckResult(None, "no accepted solution ran")
    slowest = max(solutions, key=lambda name: _slowest(solutions[name][1]).wall_seconds)
    source, attempt = solutions[slowest]
    trial.watch(STEP, 0, 1)
    is_in_doubt = FACTOR * _slowest(attempt).wall_seconds > trial.package.manifest.limits.wall_seconds
    cases = some_of_each(material.cases)
    costs = measure_costs(trial, source, cases) if is_in_doubt or not trial.effort.is_quick else Costs()
    trial.watch(STEP, 1, 1)
    slow = _calmer(_slowest(attempt), costs)
    memory = max(outcome.memory_bytes for _, each in solutions.values() for outcome in each.outcomes.values())
    section = _section(trial, slowest, slow, -(-memory // MEBIBYTE), costs, list_timed(trial, material))
    summary = f"slowest accepted case {section.slowest_seconds:.2f} s of {section.wall_seconds:g} s"
    is_compiled = bool(COMPILED & set(trial.package.manifest.frameworks))
    findings = [*findings_of(section, len(cases), is_compiled=is_compiled), *_timing_findings(trial, material, section)]
    return CheckResult(section, summary, tuple(findings))


def _slowest(attempt: SourceJudging) -> CaseOutcome:
    return max(attempt.outcomes.values(), key=lambda outcome: outcome.wall_seconds)


def _calmer(slowest: CaseOutcome, costs: Costs) -> CaseOutcome:
    """Return the shorter of two runs. The second runs alone, so a busy machine does not raise the figure."""
    again = costs.wall_seconds.get(slowest.name, slowest.wall_seconds)
    return replace(slowest, wall_seconds=min(slowest.wall_seconds, again))


def _section(
    trial: Trial, name: str, slowest: CaseOutcome, memory_mib: int, costs: Costs, timed: tuple[TimedSolution, ...]
) -> LimitsSection:
    limits = trial.package.manifest.limits
    return LimitsSection(
        wall_seconds=limits.wall_seconds,
        slowest=name,
        slowest_case=slowest.name,
        slowest_seconds=round(slowest.wall_seconds, 3),
        suggested_wall_seconds=_rounded(FACTOR * slowest.wall_seconds, ROUND_SECONDS),
        memory_mib=limits.memory_mib,
        largest_memory_mib=memory_mib,
        suggested_memory_mib=int(_rounded(FACTOR * memory_mib, ROUND_MEBIBYTES)),
        cases=costs.cases,
        shapes=costs.shapes,
        timed=timed,
    )


def list_timed(trial: Trial, material: Material) -> tuple[TimedSolution, ...]:
    """List the known submissions whose times were compared. Raises JudgeFailed, BoxLost, Aborted.

    An accepted one without room is measured once more, alone and on a quieter machine.
    """
    timed = []
    for each in material.judged:
        times = each.attempt.times
        if times is not None and times.is_met and not times.has_room:
            trial.wait_until_quieter()
            times = trial.attempt(each.submission.source, material.cases).times or times
        if times is not None:
            timed.append(TimedSolution(name=f"submissions/{each.name}.py", times=times))
    return tuple(timed)


def _rounded(value: float, steps: Sequence[int]) -> float:
    return next((step for step in steps if step >= value), math.ceil(value))


def findings_of(section: LimitsSection, cases: int, *, is_compiled: bool) -> Iterator[Finding]:
    """`cases` is how many were to be measured. `is_compiled`: JAX compiles its solutions for each shape."""
    found = (_time_finding(section), _memory_finding(section), find_dear_shapes(section) if is_compiled else None)
    yield from (finding for finding in found if finding)
    missing = cases - len(section.cases)
    if missing and section.cases:
        message = f"{section.slowest} fails when it runs each case twice in one process: {missing} have no second time"
        yield Finding(
            check="limits",
            severity="note",
            message=message,
            remedy="check that it keeps no state between calls",
            file=section.slowest,
        )


def _time_finding(section: LimitsSection) -> Finding | None:
    slow = f"{section.slowest} takes {section.slowest_seconds:.2f} s in case {section.slowest_case}"
    remedy = f"set wall_seconds: {section.suggested_wall_seconds:g}"
    if section.wall_seconds < LEAST_FACTOR * section.slowest_seconds:
        message = f"wall_seconds {section.wall_seconds:g} is too tight: {slow}"
        return Finding(check="limits", severity="error", message=message, remedy=remedy, file="problem.yaml")
    if section.wall_seconds < FACTOR * section.slowest_seconds:
        message = f"wall_seconds {section.wall_seconds:g} is less than {FACTOR} times the slowest run: {slow}"
        return Finding(check="limits", severity="warning", message=message, remedy=remedy, file="problem.yaml")
    if section.wall_seconds > TOO_LOOSE * section.suggested_wall_seconds:
        message = f"wall_seconds {section.wall_seconds:g} is loose: {slow}"
        return Finding(check="limits", severity="warning", message=message, remedy=remedy, file="problem.yaml")
    return None


def _timing_findings(trial: Trial, material: Material, section: LimitsSection) -> Iterator[Finding]:
    """Yield what makes the limits in `efficiency` unreliable."""
    if trial.package.manifest.efficiency is None:
        return
    for each in section.timed:
        if each.times.is_met and not each.times.has_room:
            message = f"it is close to the limit, so noise may refuse it: {each.times.sentence}"
            remedy = "raise the limit in `efficiency`: right solutions should use at most half of max_time_ratio, and "
            remedy += f"stay {ROOM_GROWTH:g} below max_growth"
            yield Finding(check="limits", severity="warning", message=message, remedy=remedy, file=each.name)
    for message, remedy in _weak_measure(trial, material, section):
        yield Finding(check="limits", severity="warning", message=message, remedy=remedy, file="problem.yaml")


def _weak_measure(trial: Trial, material: Material, section: LimitsSection) -> Iterator[tuple[str, str]]:
    """Yield the message and the remedy of what is wrong with the sizes, or with the known solutions."""
    inputs, sizes = {case.name: case.inputs for case in material.cases}, trial.package.manifest.timed_cases
    for one, other in combinations(sizes, 2):
        if inputs[one] == inputs[other]:
            yield f"cases {one} and {other} have the same inputs", "draw them, so that keeping an answer is no help"
    if len(set(sizes.values())) > 1 and max(sizes.values()) < LEAST_SPREAD * min(sizes.values()):
        message = f"the sizes {min(sizes.values()):,} to {max(sizes.values()):,} are too close to tell a growth"
        yield message, f"make the largest at least {LEAST_SPREAD} times the smallest"
    least = min((each.times.times[-1].reference_seconds for each in section.timed), default=LEAST_TIMED_SECONDS)
    if least < LEAST_TIMED_SECONDS:
        message = (
            f"the reference takes {1000 * least:g} ms at n = {max(sizes.values()):,}, which is too short to measure"
        )
        yield message, f"raise the largest size until it takes {1000 * LEAST_TIMED_SECONDS:g} ms or more"
    if not any(not each.times.is_met for each in section.timed):
        message = "no known solution is refused by `efficiency`, so nothing shows that slow ones are"
        yield message, "add the slow solution that students are likely to write to submissions/requirement_not_met/"


def _memory_finding(section: LimitsSection) -> Finding | None:
    remedy = f"set memory_mib: {section.suggested_memory_mib}"
    used = f"accepted solutions take {section.largest_memory_mib} MiB"
    if section.memory_mib < LEAST_FACTOR * section.largest_memory_mib:
        message = f"memory_mib {section.memory_mib} is too tight: {used}"
        return Finding(check="limits", severity="warning", message=message, remedy=remedy, file="problem.yaml")
    return None


def find_dear_shapes(section: LimitsSection) -> Finding | None:
    total = sum(shape.cost_seconds for shape in section.shapes)
    if total <= DEAR_SECONDS:
        return None
    if len(section.shapes) == 1:
        message = f"compiling for the only shape of the cases costs {section.slowest} {total:.1f} s of CPU time"
        remedy = "compile less code, for example with lax.scan in place of a Python loop"
    else:
        dear = sorted(section.shapes, key=lambda shape: shape.cost_seconds, reverse=True)[:MAX_NAMED]
        named = ", ".join(f"{shape.cost_seconds:.1f} s for that of {shape.cases[0]}" for shape in dear)
        message = (
            f"compiling for the {len(section.shapes)} shapes of the cases costs {section.slowest} {total:.1f} s of CPU "
            f"time, most of it {named}"
        )
        remedy = "let cases share shapes: three or four shapes find as many mistakes, if one has awkward sizes"
    return Finding(check="limits", severity="warning", message=message, remedy=remedy, file="problem.yaml")


def measure_costs(trial: Trial, source: str, cases: Sequence[PreparedCase]) -> Costs:
    """Measure an accepted solution. Raises JudgeFailed, BoxLost, Aborted.

    The first case of each shape runs in two processes, after the other shapes in order and in reverse. The smaller
    figure counts.
    """
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
    """Return what the call with each case took. The way `cpu_seconds` gives this as the answer."""
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
