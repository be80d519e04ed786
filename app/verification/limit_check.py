"""Check that the limits leave accepted solutions enough room.

The limits in `efficiency` must leave room too, and must refuse a known slow solution.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

from app.catalog.verification_report import Finding
from app.catalog.verification_section import LimitsSection, TimedSolution
from app.engine.request import MEBIBYTE
from app.judging.efficiency import ROOM_GROWTH
from app.judging.verdicts import Verdict
from app.verification.trial import CheckResult, Material, SourceJudging, Trial
from sandbox.interface import CaseOutcome

STEP = "limits"
FACTOR = 3
ROUND_SECONDS = (2, 3, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300)
ROUND_MEBIBYTES = (256, 512, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12_288, 16_384, 24_576, 32_768, 65_536)
# A limit below this factor is refused: on a busy machine, a right solution could exceed it.
LEAST_FACTOR = 1.5
TOO_LOOSE = 6
# Shorter times are mostly those of passing on the inputs and the answer.
LEAST_TIMED_SECONDS = 0.005
# Sizes that are closer together tell little of how the time grows.
LEAST_SPREAD = 2


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
    slow = _slowest(attempt)
    if FACTOR * slow.wall_seconds > trial.package.manifest.limits.wall_seconds:
        slow = _calmer(trial, source, material, slow)
    trial.watch(STEP, 1, 1)
    memory = max(outcome.memory_bytes for _, each in solutions.values() for outcome in each.outcomes.values())
    section = _section(trial, slowest, slow, -(-memory // MEBIBYTE), list_timed(trial, material))
    summary = f"slowest accepted case {section.slowest_seconds:.2f} s of {section.wall_seconds:g} s"
    findings = [*findings_of(section), *_timing_findings(trial, material, section), *_interpreter_findings(trial)]
    return CheckResult(section, summary, tuple(findings))


def _slowest(attempt: SourceJudging) -> CaseOutcome:
    return max(attempt.outcomes.values(), key=lambda outcome: outcome.wall_seconds)


def _calmer(trial: Trial, source: str, material: Material, slowest: CaseOutcome) -> CaseOutcome:
    """Return the shorter of two runs. The second runs alone, so a busy machine does not raise the figure."""
    trial.wait_until_quieter()
    again = trial.attempt(source, material.cases).outcomes.get(slowest.name, slowest)
    return min(slowest, again, key=lambda outcome: outcome.wall_seconds)


def _section(
    trial: Trial, name: str, slowest: CaseOutcome, memory_mib: int, timed: tuple[TimedSolution, ...]
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


def _interpreter_findings(trial: Trial) -> Iterator[Finding]:
    """Yield a note if a problem for GPUs was verified without one."""
    manifest = trial.package.manifest
    if manifest.limits.interpreter and manifest.is_interpreted:
        message = (
            "no GPU was here, so an interpreter ran the kernels: how a GPU compiles and times them was not checked"
        )
        remedy = "verify it again on a machine with a GPU"
        yield Finding(check="limits", severity="note", message=message, remedy=remedy, file="problem.yaml")


def _rounded(value: float, steps: Sequence[int]) -> float:
    return next((step for step in steps if step >= value), math.ceil(value))


def findings_of(section: LimitsSection) -> Iterator[Finding]:
    yield from (finding for finding in (_time_finding(section), _memory_finding(section)) if finding)


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
