"""Measures each step of the queue and of the pages around it, a NOTIFY, commits, and storage.

CPU times are those of the processes of PostgreSQL and of the web server, so other work on the machine changes them
little.
"""

import asyncio
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from uuid import UUID

import httpx
import psutil
import psycopg
from sqlalchemy import event, select, text
from sqlalchemy.engine import make_url

from app.catalog.model import Revision
from app.cli.deployment import open_database
from app.database.engine import Database
from app.database.listener import Listener
from app.judging.verdicts import CaseResult, Finish, Phase, Verdict
from app.policy import PolicyRow
from app.queue.heartbeat import Capacity, appear
from app.queue.lease import Wanted, beat, claim
from app.settings import Settings, read_settings
from app.submissions.judging_record import JudgingClaim, finish, record_cases, record_phases
from app.web.visit import COOKIE
from app.web_process import create_app
from benchmarks.cpu import cpu_of, find_postgres
from benchmarks.growth import LEASE, QUEUED
from benchmarks.machine import say, saying
from benchmarks.results import Figure, reduce
from tests.large.fill import SignedInUser, analyze, fill, sign_in_as
from tests.serving import NO_WORKER, serve

CPU, STEP_SECONDS, STATEMENTS = "CPU of a step", "seconds of a step", "statements of a step"
NOTIFY, BYTES = "CPU of one NOTIFY", "bytes on disk"
COMMITS, WITHOUT_NOTIFY, WITH_NOTIFY = "commits of 8 connections", "without NOTIFY", "with NOTIFY"
# The numbers of connections that listen while a NOTIFY is measured.
LISTENERS = (1, 8, 32)
STORED, QUICK_STORED = 10_000, 2_000
TIMES, QUICK_TIMES = 300, 40
CASES = 6
# The judgings that a worker holds while its heartbeat is measured, one for each slot.
HELD = 8
# So long that no claim takes a judging twice. A lease of more than a minute counts as over.
CLAIMED = timedelta(seconds=50)
SENDERS = 20
COMMITTERS, COMMIT_SECONDS = 8, 3.0
SEEN = Finish(verdict=Verdict.ACCEPTED, score=100, cases=(), image="image", versions={"numpy": "2"})


def one_figure(what: str, series: str, at: str | int, value: float, unit: str) -> Figure:
    return reduce([value], what=what, series=series, at=at, unit=unit)


@dataclass(slots=True)
class Meter:
    """Counts what steps cost. `web`: the process that serves the requests, if there is one."""

    postgres: psutil.Process
    times: int
    web: psutil.Process | None = None

    def measure(self, step: str, action: Callable[[int], object]) -> list[Figure]:
        """Do the action `times` times and return the CPU and the seconds of each."""
        action(0)
        seconds: list[float] = []
        begun, web_begun = cpu_of(self.postgres), self._web_cpu()
        for number in range(1, self.times + 1):
            start = time.perf_counter()
            action(number)
            seconds.append(1000 * (time.perf_counter() - start))
        database, web = cpu_of(self.postgres) - begun, self._web_cpu() - web_begun
        say(f"  {step}: {1000 * database / self.times:.2f} ms of the database, {statistics.median(seconds):.2f} ms")
        figures = [one_figure(CPU, "database", step, 1000 * database / self.times, "ms")]
        figures += [one_figure(CPU, "web process", step, 1000 * web / self.times, "ms")] if self.web else []
        return [*figures, reduce(seconds, what=STEP_SECONDS, series="alone", at=step, unit="ms")]

    def _web_cpu(self) -> float:
        return sum(self.web.cpu_times()[:2]) if self.web else 0.0


def measure_steps(folder: Path, *, is_quick: bool) -> list[Figure]:
    """Measure the steps of a judging and of the pages around it, in a database with many submissions."""
    times, size = (QUICK_TIMES, QUICK_STORED) if is_quick else (TIMES, STORED)
    with open_database(read_settings(data=folder)) as database:
        with saying(f"storing {size} submissions"):
            fill(database, size)
        with database.transaction() as session:
            session.add(PolicyRow(name="max_pending", value=10_000))
            session.add(PolicyRow(name="judging_seconds_per_hour", value=1_000_000))
            people = [sign_in_as(session, f"user-{number + 1}") for number in range(SENDERS)]
        meter = Meter(find_postgres(folder), times)
        figures = [_bytes_of_one(database), *_queue_steps(database, meter)]
        figures += [*_listeners(database, meter), *_commits(database)]
        addresses = _addresses(people, _owned(database, people))
        figures += _count_statements(database, addresses)
    with serve(folder, options=NO_WORKER) as server, ExitStack() as stack:
        meter = Meter(find_postgres(folder), times, web=psutil.Process(server.process.pid))
        client = stack.enter_context(httpx.Client(base_url=server.url, timeout=90))
        for step, request in addresses.items():
            figures += meter.measure(step, lambda number, request=request: _ask(client, request(number)))  # type: ignore[misc]
    return figures


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    method: str
    url: str
    headers: Mapping[str, str]
    json: Mapping[str, str] | None = None


def _owned(database: Database, people: Sequence[SignedInUser]) -> list[tuple[SignedInUser, UUID]]:
    """Return a submission of each of these users."""
    by_name = """SELECT DISTINCT ON (username) username, submissions.id FROM submissions
        JOIN users ON users.id = user_id WHERE mode = 'submit' ORDER BY username, submissions.created_at"""
    with database.transaction() as session:
        found = {row.username: row.id for row in session.execute(text(by_name))}
    return [(each, found[each.username]) for each in people if each.username in found]


def _addresses(
    people: Sequence[SignedInUser], owned: Sequence[tuple[SignedInUser, UUID]]
) -> dict[str, Callable[[int], Request]]:
    def cookie(who: SignedInUser) -> dict[str, str]:
        return {"Cookie": f"{COOKIE}={who.cookie}"}

    def page(number: int) -> Request:
        who = people[number % len(people)]
        return Request(method="GET", url="/problems/adamw_step_jax", headers=cookie(who))

    def send(number: int) -> Request:
        headers = {"Authorization": f"Bearer {people[number % len(people)].token}"}
        body = {"source": f"def solve(x):\n    return x * {number}\n" * 20, "mode": "submit"}
        return Request(method="POST", url="/api/v1/problems/made_1/submissions", headers=headers, json=body)

    def result(number: int) -> Request:
        who, submission = owned[number % len(owned)]
        return Request(method="GET", url=f"/submissions/{submission}", headers=cookie(who))

    def look(number: int) -> Request:
        return replace(result(number), url=f"{result(number).url}/result")

    return {"problem's page": page, "submit": send, "submission's page": result, "look of an event stream": look}


def _ask(client: httpx.Client, request: Request) -> None:
    client.request(request.method, request.url, headers=request.headers, json=request.json).raise_for_status()


def _count_statements(database: Database, addresses: Mapping[str, Callable[[int], Request]]) -> list[Figure]:
    """Count the statements of a request in an application of this process. BEGIN and COMMIT count too."""
    transport = httpx.ASGITransport(create_app(Settings(), database))

    async def count() -> list[Figure]:
        figures = []
        async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
            for step, request in addresses.items():
                for number in range(2):  # the first fills caches
                    each = request(number)
                    with _counting(database) as counted:
                        answer = await client.request(each.method, each.url, headers=each.headers, json=each.json)
                    answer.raise_for_status()
                figures.append(one_figure(STATEMENTS, "database", step, len(counted), "statements"))
        return figures

    return asyncio.run(count())


@contextmanager
def _counting(database: Database) -> Iterator[list[str]]:
    counted: list[str] = []

    def on_execute(*_: object) -> None:
        counted.append("statement")

    def on_transaction(*_: object) -> None:
        counted.append("transaction")

    names = {"before_cursor_execute": on_execute, "begin": on_transaction, "commit": on_transaction}
    for name, heard in names.items():
        event.listen(database.engine, name, heard)
    try:
        yield counted
    finally:
        for name, heard in names.items():
            event.remove(database.engine, name, heard)


def _queue_steps(database: Database, meter: Meter) -> list[Figure]:
    with database.transaction() as session:
        session.execute(text("UPDATE jobs SET queue = 'gpu'"))
        revision = session.scalars(select(Revision).limit(1)).one()
        place = {"problem": revision.problem_id, "revision": revision.id, "count": 5 * meter.times}
        session.execute(text(QUEUED), place)
    analyze(database)
    capacity = Capacity(queues=("cpu",), slots=HELD)
    claims: list[JudgingClaim] = []

    def take(_: int, queue: str = "cpu") -> None:
        with database.transaction() as session:
            wanted = Wanted(queues=(queue,), slots=1, worker=capacity.worker, lease=CLAIMED)
            claims.extend(claim(session, wanted, JudgingClaim))

    def keep(_: int) -> None:
        with database.transaction() as session:
            beat(session, claims[:HELD], LEASE)
            appear(session, capacity)

    def show_phases(number: int) -> None:
        with database.transaction() as session:
            record_phases(session, claims[number], [Phase(name="running", seconds=0.5)])

    def show_cases(number: int) -> None:
        with database.transaction() as session:
            record_cases(session, claims[number], cases)

    def end(number: int) -> None:
        assert finish(database, claims[number], replace(SEEN, cases=cases))

    cases = [_case(position) for position in range(CASES)]
    steps = {
        "claim": take,
        "claim of nothing": lambda number: take(number, "none"),
        "heartbeat": keep,
        "phase": show_phases,
        "cases": show_cases,
        "finish": end,
    }
    figures = []
    for step, action in steps.items():
        figures += meter.measure(step, action)
    claims.clear()
    with database.transaction() as session:
        session.execute(text("UPDATE jobs SET attempt = 0, lease_until = NULL"))
        session.execute(text(QUEUED), place | {"count": 2})
    take(0)
    for step, action in steps.items():
        with _counting(database) as counted:
            action(0)
        figures.append(one_figure(STATEMENTS, "database", step, len(counted), "statements"))
    with database.transaction() as session:  # so that the requests below meet no long queue
        session.execute(text("DELETE FROM submissions USING jobs WHERE watched = submissions.id AND queue = 'cpu'"))
    analyze(database)
    return figures


def _case(position: int) -> CaseResult:
    return CaseResult(
        position=position,
        name=f"case-{position}",
        visibility="hidden",
        verdict=Verdict.ACCEPTED,
        wall_seconds=0.1,
        memory_bytes=2**28,
        report={"text": "within the tolerance", "error": 1e-7},
    )


def _bytes_of_one(database: Database) -> Figure:
    """Measure what one submission takes on disk, with its judging, its cases and all indexes."""
    sizes = (
        "SELECT sum(pg_total_relation_size(name)) FROM unnest(ARRAY['submissions', 'judgings', 'case_results']) name"
    )
    with database.transaction() as session:
        total = float(session.execute(text(sizes)).scalar_one())
        number = session.execute(text("SELECT count(*) FROM submissions")).scalar_one()
    return one_figure(BYTES, "submission, judging and cases", "one submission", total / number, "bytes")


def _listeners(database: Database, meter: Meter) -> list[Figure]:
    """Measure what one NOTIFY costs the database, by the number of connections that listen."""
    figures = []
    for number in LISTENERS:
        heard = threading.Semaphore(0)
        listeners = [Listener(database.url, "capacity", partial(_release, heard)) for _ in range(number)]
        for listener in listeners:
            listener.start()
        for _ in range(number):
            heard.acquire()  # each has connected
        begun = cpu_of(meter.postgres)
        with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            for count in range(meter.times):
                connection.execute(text("SELECT pg_notify('capacity', :id)"), {"id": str(count)})
                for _ in range(number):
                    heard.acquire()
        spent = 1000 * (cpu_of(meter.postgres) - begun) / meter.times
        for listener in listeners:
            listener.stop()
        figures.append(one_figure(NOTIFY, "database", number, spent, "ms"))
    return figures


def _release(heard: threading.Semaphore, _: str | None) -> None:
    heard.release()


def _commits(database: Database) -> list[Figure]:
    """Measure commits per second of connections at once: PostgreSQL commits transactions with NOTIFY one by one."""
    address = make_url(database.url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS capacity_commits (id bigint GENERATED ALWAYS AS IDENTITY)")
    plain = "INSERT INTO capacity_commits DEFAULT VALUES"
    notifying = f"WITH row AS ({plain} RETURNING id) SELECT pg_notify('capacity', id::text) FROM row"
    figures = []
    for series, statement in ((WITHOUT_NOTIFY, plain), (WITH_NOTIFY, notifying)):
        done = [0] * COMMITTERS

        def commit(place: int, statement: str = statement, done: list[int] = done) -> None:
            with psycopg.connect(address, autocommit=True) as connection:
                until = time.monotonic() + COMMIT_SECONDS
                while time.monotonic() < until:
                    connection.execute(statement)
                    done[place] += 1

        threads = [threading.Thread(target=commit, args=(place,)) for place in range(COMMITTERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        figures.append(one_figure(COMMITS, series, "one row", sum(done) / COMMIT_SECONDS, "commits/s"))
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP TABLE capacity_commits")
    return figures
