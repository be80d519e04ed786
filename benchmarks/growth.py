"""Costs that grow with a deployment: with the queue, the stored submissions and the problems."""

import shutil
import statistics
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import httpx
import psutil
from sqlalchemy import text

from app.cli.deployment import open_database, postgres_options, upgraded
from app.database.embedded_server import own
from app.database.engine import Database
from app.queue.lease import Wanted, claim
from app.settings import Settings, read_settings
from app.submissions.judging_record import JudgingClaim
from app.web_process import create_app
from benchmarks.machine import Run, say, saying, seconds_of
from benchmarks.results import Figure, key_of, reduce
from benchmarks.service import PROBLEMS, SLUGS
from tests.factories import make_assignment, make_course, make_member, make_problem, make_user
from tests.large.address import Address, list_addresses
from tests.large.asking import Asker, asking
from tests.large.fill import analyze, fill, sign_in_as
from tests.serving import NO_WORKER, Served, serve

CLAIMS = 20
REQUESTS = 15
# The number of requests to each address.
TRIES = 3
STARTS = 3
# The student with the most submissions, and an admin that the benchmark creates.
STUDENT, ADMIN = "user-1", "measuring-admin"
LISTS = (
    (STUDENT, "/submissions"),
    (STUDENT, "/me"),
    (ADMIN, "/admin/submissions"),
    (ADMIN, "/api/v1/submissions?everyone=true"),
)
LEASE = timedelta(seconds=15)
# The course of 500 students and 12 assignments with 4 problems each, and its pages.
STUDENTS, ASSIGNMENTS, PROBLEMS_EACH = 500, 12, 4
BOOK = "/courses/measured/grades"
HANDED_IN = """
    WITH place AS (
        SELECT row_number() OVER (ORDER BY a.id, p.position, m.user_id) - 1 AS n, a.id AS assignment_id, a.due_at,
            p.problem_id, r.id AS revision_id, m.user_id
        FROM assignments a JOIN assignment_problems p ON p.assignment_id = a.id
        JOIN revisions r ON r.problem_id = p.problem_id
        JOIN members m ON m.course_id = a.course_id AND m.role = 'student'
    ), sent AS (
        INSERT INTO submissions
            (id, user_id, problem_id, revision_id, source, mode, variant, assignment_id, created_at)
        SELECT gen_random_uuid(), user_id, problem_id, revision_id, 'def solve(): ...', 'submit', 0, assignment_id,
            due_at - number * interval '1 second'
        FROM generate_series(1, :count) AS number JOIN place ON place.n = number % (SELECT count(*) FROM place)
        RETURNING id, revision_id, created_at
    )
    INSERT INTO judgings (submission_id, revision_id, queue, finished_at, verdict, score)
    SELECT id, revision_id, 'cpu', created_at, 'wrong_answer', get_byte(uuid_send(id), 0) % 100 FROM sent
"""
QUEUED = """
    WITH sent AS (
        INSERT INTO submissions (id, user_id, problem_id, revision_id, source, mode, variant)
        SELECT gen_random_uuid(), users.id, :problem, :revision, 'def solve(): ...', 'submit', 0
        FROM generate_series(1, :count) AS number JOIN (SELECT id, row_number() OVER () - 1 AS n FROM users) AS users
            ON users.n = number % 10
        RETURNING id, revision_id
    )
    , judged AS (
        INSERT INTO judgings (submission_id, revision_id, queue) SELECT id, revision_id, 'cpu' FROM sent
        RETURNING id, submission_id
    )
    INSERT INTO jobs (judging_id, watched, queue, priority)
    SELECT id, submission_id, 'cpu', -row_number() OVER () / 10 FROM judged
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    queued: Sequence[int]
    stored: Sequence[int]
    problems: Sequence[int]
    handed_in: Sequence[int]


WHOLE = Sizes(
    queued=(10, 100, 1_000),
    stored=(10, 100, 1_000, 10_000, 100_000),
    problems=(7, 50, 200, 500),
    handed_in=(24_000, 300_000),
)
QUICK = Sizes(queued=(10, 100), stored=(10, 1_000), problems=(7, 14), handed_in=(24_000,))


def measure(run: Run) -> tuple[list[Figure], list[str]]:
    """Measure all costs. The constants above say how often; `run.repeat` is ignored."""
    sizes = QUICK if run.is_quick else WHOLE
    figures = _queue(run.folder / "queue", sizes.queued)
    for size in sizes.stored:
        figures += _stored(run.folder / f"stored-{size}", size, sizes.stored[0], is_largest=size == sizes.stored[-1])
    for size in sizes.problems:
        figures += _problems(run.folder / f"problems-{size}", size, sizes.problems[0])
    for size in sizes.handed_in:
        figures += _grades(run.folder / f"handed-in-{size}", size, sizes.handed_in[0])
    return figures, []


def _queue(folder: Path, sizes: Sequence[int]) -> list[Figure]:
    """Measure how long a worker takes to claim a judging, with this many judgings in the queue."""
    figures = []
    with own(folder, postgres_options(Settings())) as server, upgraded(server.url) as database:
        with database.transaction() as session:
            revision = make_problem(session)
            place = {"problem": revision.problem_id, "revision": revision.id}
            for _ in range(10):
                make_user(session)
        left = 0
        for size in sizes:
            with database.transaction() as session:
                session.execute(text(QUEUED), {**place, "count": size + CLAIMS - left})
            analyze(database)
            samples = [1000 * seconds_of(lambda: _claim(database)) for _ in range(CLAIMS)]
            figures.append(_figure(samples, "claim", "one judging", size, sizes[0], "ms"))
            left = size
    return figures


def _claim(database: Database) -> None:
    with database.transaction() as session:
        [_] = claim(session, Wanted(queues=("cpu",), slots=1, worker="measuring", lease=LEASE), JudgingClaim)


def _stored(data: Path, size: int, least: int, *, is_largest: bool) -> list[Figure]:
    """Measure the lists of submissions, as a student and as an admin. With the largest size, measure every address."""
    figures = []
    with open_database(read_settings(data=data)) as database:
        with saying(f"storing {size} submissions"):
            fill(database, size)
        with database.transaction() as session:
            make_user(session, ADMIN, role="admin")
            people = {name: sign_in_as(session, name) for name in (STUDENT, ADMIN)}
            every = list_addresses(create_app(Settings(), database), session, ADMIN) if is_largest else []
    with serve(data, options=NO_WORKER) as server, ExitStack() as stack:
        askers = {name: stack.enter_context(asking(server.url, who)) for name, who in people.items()}
        for name, url in LISTS:
            series = f"{url} ({'a student' if name == STUDENT else 'an admin'})"
            samples = _ask(askers[name], Address(path=url, url=url), REQUESTS)
            figures.append(_figure(samples, "list", series, size, least, "ms"))
        if every:
            medians = [statistics.median(samples) for url in every if (samples := _ask(askers[ADMIN], url, TRIES))]
            figures.append(_figure(medians, "every address", "median of each, as an admin", size, size, "ms"))
    shutil.rmtree(data)
    return figures


def _ask(asker: Asker, address: Address, times: int) -> list[float]:
    """Return milliseconds, without a first request to warm up. Empty for requests that fail and for full exports."""
    if address.is_export or not asker.ask(address).is_success:
        return []
    return [1000 * seconds_of(lambda: asker.ask(address)) for _ in range(times)]


def _grades(data: Path, size: int, least: int) -> list[Figure]:
    """Measure the grade book's page and its export, with this many hand-ins."""
    with open_database(read_settings(data=data)) as database:
        with saying(f"handing in {size} times"):
            _hand_in(database, size)
        with database.transaction() as session:
            teacher = sign_in_as(session, ADMIN)
    with serve(data, options=NO_WORKER) as server, asking(server.url, teacher) as asker:
        figures = []
        for url in (BOOK, f"{BOOK}.csv?problems=true"):
            samples = _ask(asker, Address(path=url, url=url), REQUESTS)
            figures.append(_figure(samples, "grades", url.removeprefix(BOOK) or "the page", size, least, "ms"))
    shutil.rmtree(data)
    return figures


def _hand_in(database: Database, size: int) -> None:
    with database.transaction() as session:
        course = make_course(session, "measured")
        make_member(session, course, make_user(session, ADMIN, role="admin"), "instructor")
        for number in range(STUDENTS):
            make_member(session, course, make_user(session), name=f"Student {number}", section=f"{number % 10}")
        for _ in range(ASSIGNMENTS):
            make_assignment(session, course, *(make_problem(session) for _ in range(PROBLEMS_EACH)))
        session.execute(text(HANDED_IN), {"count": size})
    analyze(database)


def _problems(folder: Path, size: int, least: int) -> list[Figure]:
    """Measure starts, the catalogue's page and memory with this many problems, without a worker."""
    problems, data = folder / "problems", folder / "data"
    for number in range(size):
        slug = SLUGS[number % len(SLUGS)]
        shutil.copytree(PROBLEMS / slug, problems / (slug if number < len(SLUGS) else f"{slug}_{number}"))
    settings = {"ALLCLOSE_PROBLEMS": str(problems)}
    with saying(f"starting with {size} problems, {1 + STARTS} times"):
        first, *later = [_start(data, settings) for _ in range(1 + STARTS)]
    with serve(data, settings, options=NO_WORKER) as server, httpx.Client(base_url=server.url, timeout=90) as client:
        pages = [1000 * seconds_of(lambda: client.get("/problems").raise_for_status()) for _ in range(1 + REQUESTS)]
        memory = _memory_mib(server)
    shutil.rmtree(folder)
    return [
        _figure([first], "start", "first start", size, least),
        _figure(later, "start", "later start", size, least),
        _figure(pages[1:], "catalogue", "/problems", size, least, "ms"),
        _figure([memory], "memory", "web process and database", size, least, "MiB"),
    ]


def _start(data: Path, settings: Mapping[str, str]) -> float:
    begun = time.perf_counter()
    with serve(data, settings, options=NO_WORKER):
        return time.perf_counter() - begun


def _memory_mib(server: Served) -> float:
    """Return the memory of the process and its children. Shared pages count once."""
    process = psutil.Process(server.process.pid)
    return sum(each.memory_full_info().pss for each in (process, *process.children(recursive=True))) / 2**20


def _figure(samples: Sequence[float], what: str, series: str, size: int, least: int, unit: str = "s") -> Figure:
    """Return a figure that is compared with the one of the smallest size."""
    say(f"  {what}, {series}, {size}: {statistics.median(samples):.4g} {unit}")
    return reduce(samples, what=what, series=series, at=size, unit=unit, versus=key_of(what, series, least))
