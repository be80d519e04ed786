"""The measured costs, as the simulation takes them: the names of the figures, and how they are read."""

import statistics
from collections.abc import Sequence

from benchmarks.capacity.simulation import Costs, Step
from benchmarks.capacity.workload import Problem, Spread
from benchmarks.results import Figure
from tests.serving import SLUG

# One problem for each framework.
MEASURED = {"numpy": SLUG, "torch": "train_with_accumulation", "jax": "multisteps_schedule"}

CPU, STEP_SECONDS, STATEMENTS = "CPU of a step", "seconds of a step", "statements of a step"
SLOT, SLOT_CORES, REFILL, LAUNCH = "seconds in a slot", "cores in a slot", "CPU of the next spares", "launch of a box"
SPARE, WARM = "with a spare", "in a warm box"
NOTIFY, NOTIFICATIONS = "CPU of one NOTIFY", "notifications of a judging"
COMMITS, WITHOUT_NOTIFY, WITH_NOTIFY = "commits of 8 connections", "without NOTIFY", "with NOTIFY"
BYTES = "bytes on disk"
RUN = "run: "
RUN_VERDICT, RUN_AGE = "run: seconds to the verdict", "run: seconds in the queue"
RUN_RATE, RUN_CORES = "run: verdicts per second", "run: busy cores"
MEASURED_RUN, SIMULATED_RUN = "measured", "simulated"
# The numbers of connections that listen while a NOTIFY is measured.
LISTENERS = (1, 8, 32)


def read_problems(measured: Sequence[Figure]) -> dict[str, Problem]:
    """Return the measured problem of each framework."""
    found = {}
    for framework in MEASURED:
        cores = find(measured, SLOT_CORES, framework, WARM).median
        found[framework] = Problem(
            slug=MEASURED[framework],
            box=framework,
            weight=1,
            launch=_spread(find(measured, LAUNCH, framework)),
            with_spare=_spread(find(measured, SLOT, framework, SPARE)),
            in_warm_box=_spread(find(measured, SLOT, framework, WARM)),
            cores=max(1.0, cores),
            refill_seconds=find(measured, REFILL, framework).median,
        )
    return found


def read_costs(measured: Sequence[Figure]) -> Costs:
    def step(name: str) -> Step:
        cpu = {each.series: each.median / 1000 for each in measured if (each.what, each.at) == (CPU, name)}
        return Step(
            seconds=find(measured, STEP_SECONDS, name).median / 1000,
            database_cpu=cpu["database"],
            web_cpu=cpu.get("web process", 0.0),
            statements=find(measured, STATEMENTS, name).median,
        )

    notifications = round(statistics.mean(each.median for each in measured if each.what == NOTIFICATIONS))
    few, many = (find(measured, NOTIFY, number).median / 1000 for number in (LISTENERS[0], LISTENERS[-1]))
    phase, cases = step("phase"), step("cases")
    phases = max(0, notifications - 3)  # the others are the claim, the cases and the end
    return Costs(
        page=step("problem's page"),
        send=step("submit"),
        result=step("submission's page"),
        claim=step("claim"),
        empty_claim=step("claim of nothing"),
        beat=step("heartbeat"),
        record=Step(
            seconds=phases * phase.seconds + cases.seconds,
            database_cpu=phases * phase.database_cpu + cases.database_cpu,
            statements=phases * phase.statements + cases.statements,
        ),
        finish=step("finish"),
        progress=step("look of an event stream"),
        notifications=notifications,
        hear=Step(database_cpu=max(0.0, (many - few) / (LISTENERS[-1] - LISTENERS[0]))),
    )


def read_bytes(measured: Sequence[Figure]) -> float:
    return find(measured, BYTES, "one submission").median


def find(measured: Sequence[Figure], what: str, at: str | int, series: str | None = None) -> Figure:
    return next(each for each in measured if (each.what, each.at) == (what, at) and series in (None, each.series))


def _spread(figure: Figure) -> Spread:
    tail = [(0.95, figure.p95)] if figure.p95 is not None else []
    return Spread([(0, figure.least), (0.5, figure.median), *tail, (1, figure.most)])
