"""A discrete-event simulation of Allclose: students, web processes, the database, the queue, workers and their boxes.

- A session is one student with one problem: read, send, wait for the verdict, think, send again.
- The queue follows `app.submissions.priority`. A NOTIFY wakes every worker that has a free slot; one of them gets the
  job, and the claims of the others return nothing.
- Runs on one worker share its cores equally. Box choice and spares follow `sandbox.pool` and `app.worker.spares`.
- The database and the web processes are stations: first come, first served, with a known time per step.
"""

import heapq
import math
import random
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import simpy

from app.queue.lease_loop import Rhythm
from app.submissions.priority import SECONDS_PER_STEP
from app.submissions.usage import PRIORITY_WINDOW
from app.worker.boxes import WAITING
from app.worker.spares import PROBLEMS
from benchmarks.capacity.resources import Boxes, Cores, Station
from benchmarks.capacity.workload import Distribution, Problem, Rate

MINUTE_SECONDS = 60
RHYTHM = Rhythm()
# A submission runs in two boxes side by side.
BOXES_PER_RUN = 2

Process = Generator[simpy.Event, Any, None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one step costs. `seconds`: of the transaction or request alone. `statements`: sent to the database."""

    seconds: float = 0.0
    database_cpu: float = 0.0
    web_cpu: float = 0.0
    statements: float = 0.0


FREE = Step()


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """The steps of a judging, and those of the student who waits for it.

    `progress`: one look of an open event stream at the submission. `notifications`: of progress, for each judging.
    `hear`: what one notification costs the database for each web process that listens.
    """

    page: Step = FREE
    send: Step = FREE
    result: Step = FREE
    claim: Step = FREE
    empty_claim: Step = FREE
    beat: Step = FREE
    record: Step = FREE
    finish: Step = FREE
    progress: Step = FREE
    notifications: int = 0
    hear: Step = FREE


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """`shared_cores`: all workers and everything else share the cores of one machine, as in the check."""

    workers: int
    slots: int
    cores: float = math.inf
    web_processes: int = 1
    database_cores: float = 1.0
    shared_cores: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """How students behave: seconds to read and to think, the chance that an attempt is the last, and faults."""

    reading: Distribution
    thinking: Distribution
    last_attempt: float = 1.0
    fault: float = 0.0
    max_attempts: int = 3


@dataclass(slots=True)
class Job:
    problem: Problem
    student: "Student"
    queued_at: float
    done: simpy.Event
    attempt: int = 0


@dataclass(slots=True)
class Student:
    """`used`: the moment of each submission of the last minutes, and how long it was judged."""

    unfinished: int = 0
    used: deque[tuple[float, float]] = field(default_factory=deque)

    def priority(self, now: float) -> int:
        while self.used and self.used[0][0] < now - PRIORITY_WINDOW.total_seconds():
            self.used.popleft()
        return -self.unfinished - int(sum(seconds for _, seconds in self.used) // SECONDS_PER_STEP)


@dataclass(slots=True)
class Log:
    """What happened. The counters have one entry for each minute.

    `ages`: (second of the claim, seconds in the queue). `verdicts`: (second of the verdict, seconds since the student
    sent it). `streams`: open now.
    """

    ages: list[tuple[float, float]] = field(default_factory=list)
    verdicts: list[tuple[float, float]] = field(default_factory=list)
    boxes: Counter[str] = field(default_factory=Counter)
    sent: Counter[int] = field(default_factory=Counter)
    statements: defaultdict[int, float] = field(default_factory=lambda: defaultdict(float))
    empty_claims: Counter[int] = field(default_factory=Counter)
    database_cpu: defaultdict[int, float] = field(default_factory=lambda: defaultdict(float))
    web_cpu: defaultdict[int, float] = field(default_factory=lambda: defaultdict(float))
    slot_seconds: defaultdict[int, float] = field(default_factory=lambda: defaultdict(float))
    streams: int = 0
    most_streams: int = 0
    faults: int = 0


class Worker:
    """A worker with slots. Its loop claims while slots are free; a thread of its own makes spares while it is calm."""

    def __init__(self, simulation: "Simulation", cores: Cores) -> None:
        self._simulation, self._cores = simulation, cores
        self.slots = simulation.fleet.slots
        self.busy = 0
        self.boxes = Boxes(max(self.slots, (self.slots + WAITING) // BOXES_PER_RUN))
        self.is_claiming = False
        self._wanted: OrderedDict[str, Problem] = OrderedDict()
        self._is_refilling = False

    @property
    def free(self) -> int:
        return self.slots - self.busy

    def claim(self) -> Process:
        """Claim as often as the queue has jobs and slots are free."""
        simulation = self._simulation
        self.is_claiming = True
        while self.free and simulation.queue:
            yield simulation.query(simulation.costs.claim)
            for job in simulation.take_jobs(self.free):
                self.busy += 1
                simulation.environment.process(self._judge(job))
        self.is_claiming = False
        simulation.mark(self)

    def want(self, problem: Problem) -> None:
        """Note that a student works on this problem, and make spares for the last ones."""
        self._wanted[problem.slug] = problem
        self._wanted.move_to_end(problem.slug)
        while len(self._wanted) > PROBLEMS:
            self._wanted.popitem(last=False)
        if not self._is_refilling and self._lacks(problem):
            self._simulation.environment.process(self._refill())

    def _judge(self, job: Job) -> Process:
        simulation, problem = self._simulation, job.problem
        environment, log, chance = simulation.environment, simulation.log, simulation.chance
        started_at = environment.now
        job.attempt += 1
        if job.attempt == 1:
            log.ages.append((started_at, started_at - job.queued_at))
        state = self.boxes.take(problem)
        log.boxes[state] += 1
        if state == "cold box":
            yield self._cores.run(problem.launch.draw(chance))
        service = problem.with_spare if state == "spare" else problem.in_warm_box
        yield self._cores.run(service.draw(chance), problem.cores)
        yield simulation.query(simulation.costs.record)
        yield simulation.query(simulation.costs.finish)
        simulation.tell()
        log.slot_seconds[int(environment.now) // MINUTE_SECONDS] += environment.now - started_at
        job.student.used.append((job.queued_at, environment.now - started_at))
        self.boxes.give_back(problem)
        self.busy -= 1
        if job.attempt < simulation.habits.max_attempts and chance.random() < simulation.habits.fault:
            log.faults += 1
            simulation.enqueue(job)
        else:
            job.student.unfinished -= 1
            job.done.succeed()
        simulation.mark(self)
        if simulation.queue and not self.is_claiming:
            environment.process(self.claim())
        self.want(problem)

    def _refill(self) -> Process:
        self._is_refilling = True
        while lacking := next((each for each in reversed(self._wanted.values()) if self._lacks(each)), None):
            yield self._cores.run(lacking.refill_seconds)
            if not self.boxes.add_spare(lacking):
                break
        self._is_refilling = False

    def _lacks(self, problem: Problem) -> bool:
        """Whether a spare is missing, while students hold fewer than half of the slots."""
        return problem.refill_seconds > 0 and 2 * self.busy < self.slots and not self.boxes.has_spare(problem)


class Simulation:
    """One run. `log` has what happened, after `run`."""

    def __init__(
        self, fleet: Fleet, problems: Sequence[Problem], habits: Habits, costs: Costs | None = None, seed: int = 0
    ) -> None:
        self.environment = simpy.Environment()
        self.fleet, self.problems, self.habits, self.costs = fleet, problems, habits, costs or Costs()
        self.chance = random.Random(seed)
        self.log = Log()
        self.queue: list[tuple[int, int, Job]] = []
        self._numbers = 0
        self._weights = [problem.weight for problem in problems]
        self._database = Station(self.environment, fleet.database_cores)
        self._web = Station(self.environment, fleet.web_processes)
        self._shared_cores = Cores(self.environment, fleet.cores) if fleet.shared_cores else None
        self._workers = [
            Worker(self, self._shared_cores or Cores(self.environment, fleet.cores)) for _ in range(fleet.workers)
        ]
        self._ready = list(self._workers)
        self._places = {worker: place for place, worker in enumerate(self._workers)}
        for worker in self._workers:
            for box in dict.fromkeys(problem.box for problem in problems):
                worker.boxes.warm(box)
            if self.costs.beat is not FREE:
                self.environment.process(self._beat())

    def run(self, rate: Rate, until: float | None = None) -> Log:
        """Let sessions begin at this rate. Returns when the last has ended, or at `until`."""
        self.environment.process(self._arrive(rate))
        return self._run(rate.end if until is None else until)

    def replay(self, sent: Sequence[tuple[float, str]], users: Sequence[int] | None = None) -> Log:
        """Send these submissions: (second, problem). `users`: the sender of each; without it, all are different."""
        by_slug = {problem.slug: problem for problem in self.problems}
        students: defaultdict[int, Student] = defaultdict(Student)
        for (second, slug), user in zip(sent, users or range(len(sent)), strict=True):
            self.environment.process(self._send_at(second, by_slug[slug], students[user]))
        return self._run(max(second for second, _ in sent) + 10 * MINUTE_SECONDS)

    def _run(self, until: float) -> Log:
        self.environment.run(until)
        return self.log

    def mark(self, worker: Worker) -> None:
        """Keep the list of workers that a NOTIFY would make claim."""
        place, is_ready = self._places.get(worker), worker.free > 0 and not worker.is_claiming
        if is_ready and place is None:
            self._places[worker] = len(self._ready)
            self._ready.append(worker)
        elif not is_ready and place is not None:
            last = self._ready.pop()
            if last is not worker:
                self._ready[place], self._places[last] = last, place
            del self._places[worker]

    def enqueue(self, job: Job) -> None:
        """Put the job into the queue and wake the workers."""
        self._numbers += 1
        front = self.queue[0][0] if self.queue else 0
        heapq.heappush(self.queue, (front - job.student.priority(self.environment.now), self._numbers, job))
        if self._ready:
            worker = self.chance.choice(self._ready)
            self._charge(self.costs.empty_claim, len(self._ready) - 1)
            self.log.empty_claims[self._minute] += len(self._ready) - 1
            worker.is_claiming = True
            self.mark(worker)
            self.environment.process(worker.claim())

    def take_jobs(self, most: int) -> list[Job]:
        return [heapq.heappop(self.queue)[2] for _ in range(min(most, len(self.queue)))]

    def query(self, step: Step) -> simpy.Event:
        """Return the end of a step that a worker does in the database."""
        return self._spend(step, self._charge(step))

    def request(self, step: Step) -> simpy.Event:
        """Return the end of an HTTP request."""
        return self._spend(step, self._web.take(step.web_cpu) + self._charge(step))

    def tell(self) -> None:
        """Notify every web process of a judging's progress, and let its student's event stream look each time."""
        number, look = self.costs.notifications, self.costs.progress
        self._charge(self.costs.hear, number * self.fleet.web_processes)
        self._charge(look, number)
        self._web.take(number * look.web_cpu)
        if self._shared_cores is not None:
            self._shared_cores.run(number * look.seconds)

    def _spend(self, step: Step, wait: float) -> simpy.Event:
        if self._shared_cores is not None:
            return self._shared_cores.run(step.seconds)
        return self.environment.timeout(wait + step.seconds)

    @property
    def _minute(self) -> int:
        return int(self.environment.now) // MINUTE_SECONDS

    def _charge(self, step: Step, times: int = 1) -> float:
        minute = self._minute
        self.log.statements[minute] += times * step.statements
        self.log.database_cpu[minute] += times * step.database_cpu
        self.log.web_cpu[minute] += times * step.web_cpu
        return self._database.take(times * step.database_cpu) if times else 0.0

    def _beat(self) -> Process:
        yield self.environment.timeout(self.chance.random() * RHYTHM.beat.total_seconds())
        polls = round(RHYTHM.beat / RHYTHM.poll)
        while True:
            self._charge(self.costs.beat)
            self._charge(self.costs.empty_claim, polls)
            yield self.environment.timeout(RHYTHM.beat.total_seconds())

    def _arrive(self, rate: Rate) -> Process:
        for moment in rate.arrivals(self.chance):
            yield self.environment.timeout(moment - self.environment.now)
            [problem] = self.chance.choices(self.problems, self._weights)
            self.environment.process(self._session(problem))

    def _session(self, problem: Problem) -> Process:
        environment, chance, student = self.environment, self.chance, Student()
        yield self.request(self.costs.page)
        # Every worker hears it. Those that have spares do nothing.
        for worker in self._workers if problem.refill_seconds else ():
            worker.want(problem)
        yield environment.timeout(self.habits.reading.draw(chance))
        while True:
            yield from self._submit(problem, student)
            if chance.random() < self.habits.last_attempt:
                return
            yield environment.timeout(self.habits.thinking.draw(chance))

    def _send_at(self, second: float, problem: Problem, student: Student) -> Process:
        yield self.environment.timeout(second)
        yield from self._submit(problem, student)

    def _submit(self, problem: Problem, student: Student) -> Process:
        """Send, and wait for the verdict with an open event stream."""
        environment, log = self.environment, self.log
        sent_at = environment.now
        log.sent[self._minute] += 1
        yield self.request(self.costs.send)
        job = Job(problem, student, environment.now, environment.event())
        self.enqueue(job)
        student.unfinished += 1
        log.streams += 1
        log.most_streams = max(log.most_streams, log.streams)
        yield job.done
        yield self.request(self.costs.result)
        log.streams -= 1
        log.verdicts.append((environment.now, environment.now - sent_at))
