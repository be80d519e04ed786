"""The scenarios of docs/operations/capacity.md, and every assumption that no measurement gives: change them here."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle

from benchmarks.capacity.simulation import FREE, MINUTE_SECONDS, Costs, Fleet, Habits, Log, Simulation
from benchmarks.capacity.workload import Problem, Rate, Spread

HOUR_SECONDS = 3600
HOURS_PER_MONTH = 730
# The goal for each scenario: this share of the submissions of the busiest quarter of an hour waits no longer.
GOAL_SHARE, GOAL_SECONDS = 0.95, 2.0
BUSY_MINUTES = 15
WORKER_CORES = 8
# Stations are planned for this utilisation in their busiest minute.
UTILISATION = 0.5
# The frameworks of a course's problems, in turn.
FRAMEWORKS = ("numpy", "torch", "numpy", "jax")
# Larger database servers are hard to rent.
MOST_DATABASE_CORES = 32
# One worker, with more web processes and database cores than are needed: workers are counted first.
PLENTIFUL = Fleet(workers=1, slots=WORKER_CORES, cores=WORKER_CORES, web_processes=10_000, database_cores=10_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """US dollars a month for rented machines, without a vendor's name. A worker's machine has `WORKER_CORES` cores."""

    worker: float = 150.0
    web_core: float = 18.0
    database_core: float = 45.0
    storage_gib: float = 0.12


PRICES = Prices()

READING = Spread(((0, 60.0), (0.5, 480.0), (0.95, 2400.0), (1, 3600.0)))
THINKING = Spread(((0, 20.0), (0.5, 150.0), (0.95, 900.0), (1, 1800.0)))
# In a contest the first problem is easy, and users hurry.
CONTEST_READING = Spread(((0, 60.0), (0.5, 360.0), (0.95, 1200.0), (1, 1800.0)))
FAULTS_PER_JUDGING = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A deployment and its busiest hours. One of `sample` users is simulated, with one of `sample` workers.

    `quiet_share`: the part of the busiest hour's machines that runs all month; the others run `busy_hours` a month.
    """

    name: str
    users: int
    rate: Rate
    problems: int
    habits: Habits
    submissions_per_year: int
    busy_hours: float
    quiet_share: float
    sample: int = 1

    @property
    def simulated(self) -> Rate:
        return Rate([(second, rate / self.sample) for second, rate in self.rate.points])


def evening(sessions: int, hours: float) -> Rate:
    """Return the arrivals before a deadline: six times more per hour at the end than at the beginning."""
    end = hours * HOUR_SECONDS
    rate = sessions / (end * (0.5 + 3) / 6)
    return Rate([(0, rate / 6), (end, rate)])


def contest_start(users: int, hours: float) -> Rate:
    """Return the arrivals of a contest: each user opens a problem in the first ten minutes, and then one per hour."""
    burst, end = 10 * MINUTE_SECONDS, hours * HOUR_SECONDS
    first, later = users / burst, users / HOUR_SECONDS
    return Rate([(0, first), (burst, first), (burst + 1, later), (end, later)])


SCENARIOS = (
    Scenario(
        name="course of 300",
        users=300,
        # 60 % of the students do the week's 3 problems on the last evening.
        rate=evening(sessions=540, hours=4),
        problems=12,
        habits=Habits(reading=READING, thinking=THINKING, last_attempt=0.2, fault=FAULTS_PER_JUDGING),
        submissions_per_year=300 * 36 * 5,
        busy_hours=16,
        quiet_share=1.0,
    ),
    Scenario(
        name="MOOC of 100,000",
        users=100_000,
        # 12 % work in a week, and a quarter of their 3 problems falls on the last evening.
        rate=evening(sessions=9_000, hours=4),
        problems=24,
        habits=Habits(reading=READING, thinking=THINKING, last_attempt=0.2, fault=FAULTS_PER_JUDGING),
        submissions_per_year=12_000 * 3 * 5 * 40,
        busy_hours=32,
        quiet_share=0.2,
    ),
    Scenario(
        name="contest of 1,000,000",
        users=1_000_000,
        rate=contest_start(users=1_000_000, hours=0.7),
        problems=6,
        habits=Habits(reading=CONTEST_READING, thinking=THINKING, last_attempt=0.4, fault=FAULTS_PER_JUDGING),
        # Four contests of 3 hours.
        submissions_per_year=4 * 1_000_000 * 10,
        busy_hours=4,
        quiet_share=0.02,
        sample=50,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A scenario's result, for all users. `busy`: the minutes of the busiest quarter of an hour.

    `databases`: how many PostgreSQL servers share the users. `squared_share`: the part of their work that grows with
    the square of their users.
    """

    scenario: Scenario
    fleet: Fleet
    log: Log
    busy: range
    peak_per_second: float
    queue_age: Mapping[float, float]
    verdict: Mapping[float, float]
    workers: int
    slot_utilisation: float
    spare_share: float
    statements_per_second: float
    database_cores: float
    squared_share: float
    databases: int
    web_processes: int
    streams: int
    storage_gib_per_year: float
    dollars_per_month: float

    @property
    def submissions(self) -> int:
        return len(self.log.verdicts) * self.scenario.sample


def share_problems(measured: Mapping[str, Problem], number: int) -> list[Problem]:
    """Return so many problems with the measured frameworks in turn. The n-th is 1/n as popular as the first."""
    kinds = cycle(FRAMEWORKS)
    return [replace(measured[next(kinds)], slug=f"problem-{rank}", weight=1 / rank) for rank in range(1, number + 1)]


def quantiles(values: Sequence[float]) -> dict[float, float]:
    ordered = sorted(values) or [0.0]
    return {share: ordered[max(0, math.ceil(share * len(ordered)) - 1)] for share in (0.5, 0.95, 0.99)}


def plan(scenario: Scenario, measured: Mapping[str, Problem], costs: Costs, bytes_per_submission: float) -> Outcome:
    """Find the fewest workers that meet the goal, and what else the scenario needs with them."""
    problems = share_problems(measured, scenario.problems)

    # What web processes hear grows with the square of the users of one database: `_describe` adds it.
    without_hearing = replace(costs, hear=FREE)

    def simulate(fleet: Fleet) -> Log:
        return Simulation(fleet, problems, scenario.habits, without_hearing, seed=1).run(scenario.simulated)

    found, log = _find_fewest(simulate, PLENTIFUL)
    fleet = replace(
        found,
        web_processes=_count_servers(max(log.web_cpu.values())),
        database_cores=_count_servers(max(log.database_cpu.values())),
    )
    return _describe(scenario, fleet, simulate(fleet), costs, bytes_per_submission)


def _find_fewest(simulate: Callable[[Fleet], Log], fleet: Fleet) -> tuple[Fleet, Log]:
    """Double the workers until the goal is met, then halve the distance to the last number that did not meet it."""
    too_few, enough = 0, fleet.workers
    while not _meets_goal(log := simulate(replace(fleet, workers=enough))):
        too_few, enough = enough, 2 * enough
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        tried = simulate(replace(fleet, workers=middle))
        if _meets_goal(tried):
            enough, log = middle, tried
        else:
            too_few = middle
    return replace(fleet, workers=enough), log


def _meets_goal(log: Log) -> bool:
    ages = quantiles(_within(find_busy(log), log.ages))
    # A simulation that ends with a long queue has left out the longest waits.
    return ages[GOAL_SHARE] <= GOAL_SECONDS and log.streams <= len(log.ages) / 4


def find_busy(log: Log) -> range:
    """Return the minutes of the busiest quarter of an hour."""
    last = max(log.sent)
    starts = range(max(1, last - BUSY_MINUTES + 2))
    start = max(starts, key=lambda start: sum(log.sent[start + minute] for minute in range(BUSY_MINUTES)))
    return range(start, start + BUSY_MINUTES)


def _within(minutes: range, values: Sequence[tuple[float, float]]) -> list[float]:
    return [value for at, value in values if int(at) // MINUTE_SECONDS in minutes]


def _count_servers(cpu_seconds_of_a_minute: float) -> int:
    return max(1, math.ceil(cpu_seconds_of_a_minute / MINUTE_SECONDS / UTILISATION))


def _describe(scenario: Scenario, fleet: Fleet, log: Log, costs: Costs, bytes_per_submission: float) -> Outcome:
    busy, sample = find_busy(log), scenario.sample
    per_second = sample / MINUTE_SECONDS
    minute = max(log.database_cpu, key=log.database_cpu.__getitem__, default=0)
    sent, nothing = per_second * log.sent[minute], per_second * log.empty_claims[minute]
    workers, web = fleet.workers * sample, _count_servers(max(log.web_cpu.values()) * sample)
    # In one database all workers hear all submissions, and all web processes all progress. Both grow with the square.
    squared = nothing * sample * costs.empty_claim.database_cpu
    squared += sent * costs.notifications * web * costs.hear.database_cpu
    linear = per_second * log.database_cpu[minute] - nothing * costs.empty_claim.database_cpu
    databases = 1
    while linear / databases + squared / databases**2 > UTILISATION * MOST_DATABASE_CORES:
        databases += 1
    cores = linear / databases + squared / databases**2
    storage = scenario.submissions_per_year * bytes_per_submission / 2**30
    return Outcome(
        scenario=scenario,
        fleet=fleet,
        log=log,
        busy=busy,
        peak_per_second=per_second * max(log.sent.values()),
        queue_age=quantiles(_within(busy, log.ages)),
        verdict=quantiles(_within(busy, log.verdicts)),
        workers=workers,
        slot_utilisation=sum(log.slot_seconds[each] for each in busy)
        / (BUSY_MINUTES * MINUTE_SECONDS * fleet.workers * fleet.slots),
        spare_share=log.boxes["spare"] / max(1, sum(log.boxes.values())),
        statements_per_second=per_second * log.statements[minute]
        + nothing * (sample / databases - 1) * costs.empty_claim.statements,
        database_cores=cores,
        squared_share=squared / databases**2 / cores if cores else 0.0,
        databases=databases,
        web_processes=web,
        streams=log.most_streams * sample,
        storage_gib_per_year=storage,
        dollars_per_month=_rent(scenario, workers, PRICES.worker)
        + _rent(scenario, web, PRICES.web_core)
        + databases * _rent(scenario, max(2, math.ceil(cores / UTILISATION)), PRICES.database_core)
        + storage * PRICES.storage_gib,
    )


def _rent(scenario: Scenario, number: int, price: float) -> float:
    """Return the price of a month: a part of the machines runs all the time, at least one, the others when needed."""
    quiet = max(1, math.ceil(number * scenario.quiet_share))
    return price * (quiet + (number - quiet) * scenario.busy_hours / HOURS_PER_MONTH)
