"""The generated section of docs/operations/capacity.md, and its plots."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from app.settings import ROOT
from benchmarks.capacity.costs import (
    MEASURED_RUN,
    RUN,
    RUN_CORES,
    SIMULATED_RUN,
    read_bytes,
    read_costs,
    read_problems,
)
from benchmarks.capacity.limits import list_limits
from benchmarks.capacity.scenarios import (
    BUSY_MINUTES,
    GOAL_SECONDS,
    GOAL_SHARE,
    PRICES,
    SCENARIOS,
    WORKER_CORES,
    Outcome,
    Scenario,
    plan,
)
from benchmarks.machine import saying
from benchmarks.report import describe, fill_section, short
from benchmarks.results import Part, Results

PART = "capacity"
PAGE = ROOT / "docs" / "operations" / "capacity.md"
PLOTS = ("capacity-busy", "capacity-check")
NOT_MEASURED = """
Nothing has been measured yet, so this page has no figures. To measure and to write them here, run this on a machine
that does nothing else. It takes about 15 minutes:

```
make bench ARGS="--only capacity"
```
"""


def write_capacity(results: Results, page: Path, plots: Path) -> None:
    """Simulate the scenarios and write the page and its plots. Without figures, the page says how to measure."""
    part = results.get(PART)
    outcomes = simulate(part) if part else []
    page.write_text(write_page(PAGE.read_text(), part, outcomes))
    if part is None:
        return
    from benchmarks.capacity.plots import write_plots  # matplotlib is installed for `make bench` only

    write_plots(plots, outcomes, part)


def simulate(part: Part, scenarios: Sequence[Scenario] = SCENARIOS) -> list[Outcome]:
    problems, costs = read_problems(part.figures), read_costs(part.figures)
    outcomes = []
    for scenario in scenarios:
        with saying(f"simulating a {scenario.name}"):
            outcomes.append(plan(scenario, problems, costs, read_bytes(part.figures)))
    return outcomes


def write_page(page: str, part: Part | None, outcomes: Sequence[Outcome]) -> str:
    """Return the page with a new section between its markers. `part`: None if nothing was measured."""
    return fill_section(page, "\n".join(_section(part, outcomes)) if part else NOT_MEASURED)


def _section(part: Part, outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield f"\nSimulated with the [measured costs](../performance.md#capacity) of {describe(part)}\n"
    yield from _answers(outcomes)
    yield "\n![Submissions and busy slots over time](../plots/capacity-busy.svg)\n"
    yield "## When to change what\n"
    yield "| part | must change at | into | why |\n|---|---|---|---|"
    for limit in list_limits(part.figures):
        yield f"| {limit.part} | {limit.size} | {limit.into} | {limit.why} |"
    yield "\n## The check\n"
    yield from _check(part)
    yield "\n![Measured and simulated](../plots/capacity-check.svg)\n"
    yield "## Assumptions\n"
    yield from _assumptions()


ROWS: Mapping[str, Callable[[Outcome], str]] = {
    "users": lambda each: f"{each.scenario.users:,}",
    "submissions a second, busiest minute": lambda each: short(each.peak_per_second),
    f"workers with {WORKER_CORES} cores and slots": lambda each: f"{each.workers:,}",
    f"slots in use, busiest {BUSY_MINUTES} minutes": lambda each: _percent(each.slot_utilisation),
    "seconds in the queue: p50, p95, p99": lambda each: _list(each.queue_age),
    "seconds to the verdict: p50, p95, p99": lambda each: _list(each.verdict),
    "judgings that met a spare": lambda each: _percent(each.spare_share),
    "database servers": lambda each: f"{each.databases:,}",
    "busy cores of each database server": lambda each: short(each.database_cores),
    "of these, NOTIFY and claims that return nothing": lambda each: _percent(each.squared_share),
    "statements a second, all servers": lambda each: short(each.statements_per_second),
    "web processes": lambda each: f"{each.web_processes:,}",
    "event streams open at once": lambda each: f"{each.streams:,}",
    "submissions a year": lambda each: f"{each.scenario.submissions_per_year:,}",
    "storage for a year, GiB": lambda each: short(each.storage_gib_per_year),
    "cost a month, US dollars": lambda each: short(each.dollars_per_month),
}


def _answers(outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield "| | " + " | ".join(each.scenario.name for each in outcomes) + " |"
    yield "|---" * (1 + len(outcomes)) + "|"
    for name, cell in ROWS.items():
        yield f"| {name} | " + " | ".join(map(cell, outcomes)) + " |"


def _check(part: Part) -> Iterator[str]:
    found = {(each.what, each.series, each.at): each for each in part.figures if each.what.startswith(RUN)}
    yield "| | measured | simulated | simulated / measured |\n|---|---|---|---|"
    for (what, series, at), measured in found.items():
        simulated = found.get((what, SIMULATED_RUN, at))
        if series == MEASURED_RUN and simulated is not None:
            ratio = simulated.median / measured.median if measured.median else float("nan")
            name = f"{what.removeprefix(RUN)}, {at}"
            yield f"| {name} | {short(measured.median)} | {short(simulated.median)} | {ratio:.2f} |"
    busy = next(each for each in part.figures if each.what == RUN_CORES)
    yield f"\nThe real run kept {short(busy.median)} of {part.machine['cores']} cores busy."


def _assumptions() -> Iterator[str]:
    yield "| price, a month | US dollars |\n|---|---|"
    names = {
        "worker": f"a worker's machine with {WORKER_CORES} cores",
        "web_core": "a core for web processes",
        "database_core": "a core of a database server, with memory and disk speed to match",
        "storage_gib": "a GiB of database storage, with its backup",
    }
    for field in fields(PRICES):
        yield f"| {names[field.name]} | {getattr(PRICES, field.name):g} |"
    yield ""
    yield "| | " + " | ".join(each.name for each in SCENARIOS) + " |"
    yield "|---" * (1 + len(SCENARIOS)) + "|"
    yield "| problems in use | " + " | ".join(str(each.problems) for each in SCENARIOS) + " |"
    attempts = (f"{1 / each.habits.last_attempt:.1f}" for each in SCENARIOS)
    yield "| submissions for each problem and user | " + " | ".join(attempts) + " |"
    yield "| simulated hours | " + " | ".join(f"{each.rate.end / 3600:g}" for each in SCENARIOS) + " |"
    yield "| simulated share of the users | " + " | ".join(f"1/{each.sample}" for each in SCENARIOS) + " |"
    yield "| busy hours a month | " + " | ".join(f"{each.busy_hours:g}" for each in SCENARIOS) + " |"
    yield "| machines that run all month | " + " | ".join(_percent(each.quiet_share) for each in SCENARIOS) + " |"
    goal = f"{100 * GOAL_SHARE:.0f} % of the submissions wait at most {GOAL_SECONDS:g} s in the queue"
    yield f"\nWorkers are as few as possible so that {goal}, in the busiest {BUSY_MINUTES} minutes."


def _list(shares: Mapping[float, float]) -> str:
    return ", ".join(f"{value:.2f}" for value in shares.values())


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
