"""The simulation behind docs/operations/capacity.md, against queueing theory."""

import math
import random
import statistics
from dataclasses import dataclass

import pytest

from app.settings import ROOT
from benchmarks.capacity.costs import (
    BYTES,
    COMMITS,
    CPU,
    LAUNCH,
    LISTENERS,
    MEASURED,
    MEASURED_RUN,
    NOTIFICATIONS,
    NOTIFY,
    REFILL,
    RUN_AGE,
    RUN_CORES,
    RUN_VERDICT,
    SIMULATED_RUN,
    SLOT,
    SLOT_CORES,
    SPARE,
    STATEMENTS,
    STEP_SECONDS,
    WARM,
    WITH_NOTIFY,
    WITHOUT_NOTIFY,
)
from benchmarks.capacity.limits import list_limits
from benchmarks.capacity.page import PAGE, PART, simulate, write_page
from benchmarks.capacity.resources import Boxes
from benchmarks.capacity.scenarios import GOAL_SECONDS, SCENARIOS, plan
from benchmarks.capacity.simulation import Costs, Fleet, Habits, Simulation, Step
from benchmarks.capacity.workload import Problem, Rate, Spread
from benchmarks.report import BEGIN, END
from benchmarks.results import Figure, Part, read_results, reduce

AT_ONCE = Spread([(0, 0.0), (1, 0.0)])
ONCE = Habits(reading=AT_ONCE, thinking=AT_ONCE)
CHANCE_98 = 2.82  # of Student's t with 9 degrees of freedom
SEEDS = range(10)


@dataclass(frozen=True)
class Exponential:
    mean: float

    def draw(self, chance: random.Random) -> float:
        return chance.expovariate(1 / self.mean)


def always(seconds: float) -> Spread:
    return Spread([(0, seconds), (1, seconds)])


def problem(seconds: float, slug: str = "sums", weight: float = 1) -> Problem:
    service = always(seconds)
    return Problem(slug=slug, box="numpy", weight=weight, launch=AT_ONCE, with_spare=service, in_warm_box=service)


def erlang_c(servers: int, load: float) -> float:
    """Return the chance that a job waits, in a queue of type M/M/c."""
    waiting = load**servers / math.factorial(servers) * servers / (servers - load)
    return waiting / (sum(load**each / math.factorial(each) for each in range(servers)) + waiting)


@pytest.mark.parametrize(("workers", "slots"), [pytest.param(1, 4, marks=pytest.mark.whole), (3, 1)])
def test_waits_agree_with_erlang_c(workers: int, slots: int) -> None:
    servers = workers * slots
    load = 0.75 * servers
    theory = erlang_c(servers, load) / (servers - load)
    service = Exponential(1.0)
    of_theory = Problem(slug="sums", box="numpy", weight=1, launch=AT_ONCE, with_spare=service, in_warm_box=service)

    means = []
    for seed in SEEDS:
        log = Simulation(Fleet(workers=workers, slots=slots), [of_theory], ONCE, seed=seed).run(
            Rate([(0, load), (800, load)])
        )
        means.append(statistics.mean(age for at, age in log.ages if at > 50))

    half = CHANCE_98 * statistics.stdev(means) / math.sqrt(len(means))
    assert abs(statistics.mean(means) - theory) < half
    assert half < theory / 3  # a wider interval would agree with anything


def test_runs_that_share_a_core_are_slower() -> None:
    pair = [(0.0, "sums"), (0.0, "sums")]

    alone = Simulation(Fleet(workers=2, slots=1, cores=2, shared_cores=True), [problem(2)], ONCE).replay(pair)
    shared = Simulation(Fleet(workers=2, slots=1, cores=1, shared_cores=True), [problem(2)], ONCE).replay(pair)

    assert [seconds for _, seconds in alone.verdicts] == pytest.approx([2, 2])
    assert [seconds for _, seconds in shared.verdicts] == pytest.approx([4, 4])


def test_a_box_is_cold_at_first_then_warm_and_then_has_a_spare() -> None:
    boxes, sums = Boxes(2), problem(1)
    states = []
    for has_spare in (False, False, True):
        if has_spare:
            boxes.add_spare(sums)
        states.append(boxes.take(sums))
        boxes.give_back(sums)

    assert states == ["cold box", "warm box", "spare"]


def test_the_least_recently_used_box_makes_room() -> None:
    boxes, sums = Boxes(1), problem(1)
    boxes.warm("torch")

    assert boxes.take(sums) == "cold box"
    boxes.give_back(sums)
    assert boxes.take(sums) == "warm box"


def test_a_new_judging_wakes_every_worker_with_a_free_slot() -> None:
    costs = Costs(empty_claim=Step(database_cpu=0.001, statements=3))

    log = Simulation(Fleet(workers=5, slots=1), [problem(10)], ONCE, costs).replay([(0.0, "sums"), (1.0, "sums")])

    assert sum(log.empty_claims.values()) == 4 + 3
    assert sum(log.statements.values()) == 3 * 7


def test_a_user_with_a_backlog_waits_behind_another_user() -> None:
    simulation = Simulation(Fleet(workers=1, slots=1), [problem(30), problem(30, "means")], ONCE)

    log = simulation.replay([(0.0, "sums"), (0.1, "sums"), (0.2, "sums"), (0.3, "means")], users=[1, 1, 1, 2])

    assert [seconds for _, seconds in log.verdicts] == pytest.approx([30, 59.9, 89.7, 119.8])


def test_a_course_needs_more_workers_when_judging_takes_longer() -> None:
    course = SCENARIOS[0]
    measured = {framework: problem(1) for framework in ("numpy", "torch", "jax")}
    slow = {framework: problem(60) for framework in measured}

    quick_plan, slow_plan = (plan(course, each, Costs(), 5000) for each in (measured, slow))

    assert quick_plan.workers < slow_plan.workers
    assert quick_plan.queue_age[0.95] <= GOAL_SECONDS
    assert slow_plan.queue_age[0.95] <= GOAL_SECONDS
    assert slow_plan.slot_utilisation > 0.5
    assert 540 < quick_plan.submissions < 540 * 5  # the last sessions have not ended


def figure(what: str, at: str | int, value: float, series: str = "database", unit: str = "ms") -> Figure:
    return reduce([value], what=what, series=series, at=at, unit=unit)


def made_part() -> Part:
    """Return a part with every figure: each step takes 1 ms of the database, and each request 4 ms of the web."""
    requests = ("problem's page", "submit", "submission's page", "look of an event stream")
    steps = ("claim", "claim of nothing", "heartbeat", "phase", "cases", "finish", *requests)
    figures = [figure(CPU, step, 1.0) for step in steps]
    figures += [figure(CPU, step, 4.0, "web process") for step in requests]
    figures += [figure(STEP_SECONDS, step, 2.0) for step in steps]
    figures += [figure(STATEMENTS, step, 3.0, unit="statements") for step in steps]
    figures += [figure(NOTIFY, number, 0.1 * number) for number in LISTENERS]
    for framework in MEASURED:
        figures += [figure(SLOT, framework, 0.4, series, "s") for series in (SPARE, WARM)]
        figures += [figure(SLOT_CORES, framework, 1.25, series, "cores") for series in (SPARE, WARM)]
        figures += [figure(LAUNCH, framework, 1.0, unit="s"), figure(REFILL, framework, 0.5, unit="s")]
        figures.append(figure(NOTIFICATIONS, framework, 7.0, SPARE, "notifications"))
    figures += [figure(COMMITS, "one row", rate, name) for name, rate in ((WITHOUT_NOTIFY, 6000), (WITH_NOTIFY, 800))]
    figures.append(figure(BYTES, "one submission", 4096, unit="bytes"))
    for series, seconds in ((MEASURED_RUN, 2.0), (SIMULATED_RUN, 1.5)):
        figures += [figure(what, "p95", seconds, series, "s") for what in (RUN_VERDICT, RUN_AGE)]
    figures.append(figure(RUN_CORES, "of the run", 1.6, MEASURED_RUN, "cores"))
    machine: dict[str, str | int] = {"cores": 2, "processor": "a processor", "memory_gib": 24, "kernel": "Linux 6.18"}
    return Part(
        date="2026-11-24",
        machine=machine,
        versions={"jax": "0.10"},
        repeat=1,
        busy_cores=0.0,
        notes=[],
        figures=figures,
    )


def test_limits_follow_from_the_measured_costs() -> None:
    limits = {limit.part: limit for limit in list_limits(made_part().figures)}

    # A submission sends itself, shows its result, looks 7 times, and a fifth of it opens the problem's page: 9.2 times
    # 4 ms of the web process. Besides, it is claimed, recorded in 5 transactions, and finished.
    assert limits["One web process"].size == f"{0.5 / (9.2 * 0.004):.3g} submissions/s"
    assert limits["One database"].size.startswith(f"{0.5 * 32 / (16.2 * 0.001):.0f} submissions/s")
    assert limits["A NOTIFY that wakes all workers"].size.startswith("5 workers")
    assert limits["Commits with NOTIFY"].size.startswith("50 submissions/s")
    assert limits["One table of submissions"].size.startswith("26.2 million submissions")


def test_the_page_answers_for_each_scenario_and_tells_the_check_and_the_machine() -> None:
    part, course = made_part(), SCENARIOS[0]

    page = write_page(f"# Capacity\n\n{BEGIN}\nold\n{END}\n", part, simulate(part, [course]))

    assert f"{BEGIN}\nold" not in page
    assert "2026-11-24, 2 cores of a processor" in page
    assert "| | course of 300 |" in page
    assert "| users | 300 |" in page
    assert "| seconds to the verdict, p95 | 2 | 1.5 | 0.75 |" in page
    assert "| a core for web processes | 18 |" in page


def test_a_page_without_figures_says_how_to_measure() -> None:
    page = write_page(f"{BEGIN}\nold figures\n{END}\n", None, [])

    assert "Nothing has been measured yet" in page
    assert 'make bench ARGS="--only capacity"' in page
    assert "old figures" not in page


@pytest.mark.whole
def test_the_page_of_the_repository_shows_the_committed_results() -> None:
    part = read_results(ROOT / "benchmarks" / "results.json").get(PART)

    page = PAGE.read_text()

    assert page == write_page(page, part, simulate(part) if part else [])
