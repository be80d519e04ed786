"""Overload: ten times more submissions than the workers can judge, with many open event streams, on one machine.

`python -m benchmarks.overload --write docs/reliability.md` measures and writes the section "Overload" of that page.
"""

import argparse
import asyncio
import json
import multiprocessing
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Self

import aiohttp
import httpx
import psutil
from sqlalchemy import select

from app.admin.queue import count_queues
from app.cli.deployment import open_database
from app.database.engine import Database
from app.settings import read_settings
from app.submissions.model import Judging
from benchmarks.machine import say
from benchmarks.report import show_table
from tests.serving import RIGHT, SLUG, Served, Student, serve

if TYPE_CHECKING:
    from multiprocessing.queues import SimpleQueue
    from multiprocessing.synchronize import Event

STUDENTS = 100
FACTOR = 10
# Streams of each accepted submission, as if its page were open in two tabs. A user may have 20 open.
FOLLOWERS = 2
# A bystander without an account, a process of its own, opens each of these once per second.
PAGES = ("/", "/problems", f"/problems/{SLUG}")
QUEUE_MINUTES = 2
LIMITS = {"max_queue_minutes": QUEUE_MINUTES, "max_pending": 200, "requests_per_minute": 100_000}
QUOTAS = {"submissions_per_hour": 1_000_000, "submitted_mib_per_hour": 1_000_000, "judging_seconds_per_hour": 1_000_000}
HEADERS = ("retry-after", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")
DRAIN_SECONDS = 900


@dataclass
class Log:
    """What the clients saw. `accepted`: the time of each accepted submission by its ID; `verdicts`: by stream."""

    accepted: dict[str, float] = field(default_factory=dict)
    refusals: int = 0
    bare_refusals: int = 0
    other: Counter[int] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)
    opened: Counter[int] = field(default_factory=Counter)
    streams: int = 0
    most_streams: int = 0
    memory_mib: list[float] = field(default_factory=list)
    queue_ages: list[float] = field(default_factory=list)


class Bystander:
    """Reads PAGES in a process of its own, so that the clients' work delays no measurement."""

    def __init__(self, url: str) -> None:
        context = multiprocessing.get_context("spawn")
        self._ended, self._found = context.Event(), context.SimpleQueue()
        self._process = context.Process(target=_read_pages, args=(url, self._ended, self._found))

    def __enter__(self) -> Self:
        self._process.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self.latencies: dict[str, list[float]] = self._found.get()
        self._process.join()


def _read_pages(url: str, ended: "Event", found: "SimpleQueue[dict[str, list[float]]]") -> None:
    """Open each page once per second until `ended` is set, then hand over the seconds that each took."""
    latencies: dict[str, list[float]] = {page: [] for page in PAGES}

    def read(page: str) -> None:
        with httpx.Client(base_url=url, timeout=None) as client:
            while not ended.wait(1):
                begun = time.monotonic()
                client.get(page).raise_for_status()
                latencies[page].append(time.monotonic() - begun)

    with ThreadPoolExecutor(len(PAGES)) as pool:
        list(pool.map(read, PAGES))
    found.put(latencies)


class Crowd:
    """Students who submit at a fixed rate, and follow their submissions."""

    def __init__(self, served: Served, database: Database, tokens: list[str], streams: int) -> None:
        self.log = Log()
        self._served, self._database, self._tokens, self._streams = served, database, cycle(tokens), streams
        self._url = f"{served.url}/api/v1"
        self._followers: set[asyncio.Task[None]] = set()
        self._ended = asyncio.Event()

    async def run(self, rate: float, seconds: float) -> None:
        # At this rate httpx needs a whole core, which would be missing on the server's side.
        connector, timeout = aiohttp.TCPConnector(limit=0, keepalive_timeout=2), aiohttp.ClientTimeout(total=None)
        async with aiohttp.ClientSession(connector=connector, timeout=timeout) as self._client:
            await self._send_at(rate, seconds)

    async def _send_at(self, rate: float, seconds: float) -> None:
        watcher = asyncio.create_task(self._watch())
        senders: set[asyncio.Task[None]] = set()
        begun = time.monotonic()
        while (now := time.monotonic()) < begun + seconds:
            due = int((now - begun) * rate) - sum(self._counted())
            for _ in range(min(due - len(senders), 50)):
                sender = asyncio.create_task(self._send())
                senders.add(sender)
                sender.add_done_callback(senders.discard)
            await asyncio.sleep(0.05)
        await asyncio.gather(*senders)
        say(f"sent {sum(self._counted())}, {len(self.log.accepted)} accepted; waiting for the queue")
        await asyncio.wait_for(self._drain(), DRAIN_SECONDS)
        self._ended.set()
        await watcher

    def _counted(self) -> tuple[int, int, int]:
        return len(self.log.accepted), self.log.refusals, sum(self.log.other.values())

    async def _send(self) -> None:
        headers = {"Authorization": f"Bearer {next(self._tokens)}"}
        body = {"source": RIGHT, "mode": "submit"}
        url = f"{self._url}/problems/{SLUG}/submissions"
        async with self._client.post(url, json=body, headers=headers) as answer:
            if answer.status == httpx.codes.ACCEPTED:
                submission = (await answer.json())["id"]
                self.log.accepted[submission] = time.monotonic()
                for _ in range(min(FOLLOWERS, self._streams - self.log.streams)):
                    self._follow(submission, headers)
            elif answer.status == httpx.codes.TOO_MANY_REQUESTS:
                self.log.refusals += 1
                self.log.bare_refusals += not all(name in answer.headers for name in HEADERS)
            else:
                self.log.other[answer.status] += 1

    def _follow(self, submission: str, headers: dict[str, str]) -> None:
        follower = asyncio.create_task(self._stream(submission, headers))
        self._followers.add(follower)
        follower.add_done_callback(self._followers.discard)

    async def _stream(self, submission: str, headers: dict[str, str]) -> None:
        self.log.streams += 1
        self.log.most_streams = max(self.log.most_streams, self.log.streams)
        try:
            url = f"{self._url}/submissions/{submission}/events"
            async with self._client.get(url, headers=headers) as answer:
                self.log.opened[answer.status] += 1
                event = ""
                async for raw in answer.content:
                    line = raw.decode().rstrip("\r\n")
                    if line.startswith("event: "):
                        event = line[len("event: ") :]
                    elif line.startswith("data: ") and event == "done":
                        self.log.verdicts[json.loads(line[len("data: ") :])["verdict"]] += 1
                        self.log.waits.append(time.monotonic() - self.log.accepted[submission])
        finally:
            self.log.streams -= 1

    async def _watch(self) -> None:
        server = psutil.Process(self._served.process.pid)
        while not self._ended.is_set():
            self.log.memory_mib.append(server.memory_info().rss / 2**20)
            self.log.queue_ages.append(await asyncio.to_thread(self._oldest))
            await asyncio.sleep(1)

    def _oldest(self) -> float:
        with self._database.transaction() as session:
            return max((queue.oldest_seconds for queue in count_queues(session)), default=0.0)

    async def _drain(self) -> None:
        """Wait until the queue is empty and every stream has ended."""
        while True:
            oldest = await asyncio.to_thread(self._oldest)
            if not self._followers and not oldest:
                return
            await asyncio.sleep(1)


def measure(seconds: float, streams: int) -> list[tuple[str, str]]:
    """Return the rows of the table."""
    with (
        tempfile.TemporaryDirectory(prefix="allclose-overload-") as folder,
        serve(Path(folder) / "data", policy={**LIMITS, **QUOTAS}) as served,
        open_database(read_settings(data=served.data)) as database,
    ):
        students = [served.sign_up() for _ in range(STUDENTS)]
        rate = _capacity(students[:8])
        say(f"the worker judges {rate:.1f} submissions a second; sending {FACTOR * rate:.0f} a second")
        crowd = Crowd(served, database, [student.token for student in students], streams)
        with Bystander(served.url) as bystander:
            asyncio.run(crowd.run(FACTOR * rate, seconds))
        verdicts = _count_verdicts(database, crowd.log.accepted)
    return [*_rows(crowd.log, rate, seconds, verdicts), *_latency_rows(bystander.latencies)]


def _capacity(students: Sequence[Student]) -> float:
    """Return the submissions per second that the worker judges, with a verdict each."""
    each = 10
    students[0].submit(SLUG, RIGHT)
    begun = time.monotonic()
    with ThreadPoolExecutor(len(students)) as pool:
        list(pool.map(lambda student: [student.submit(SLUG, RIGHT) for _ in range(each)], students))
    return len(students) * each / (time.monotonic() - begun)


def _count_verdicts(database: Database, accepted: Iterable[str]) -> Counter[str | None]:
    with database.transaction() as session:
        rows = session.execute(select(Judging.submission_id, Judging.verdict).where(Judging.is_current)).all()
    found = {str(submission): verdict for submission, verdict in rows}
    return Counter(found.get(submission) for submission in accepted)


def _rows(log: Log, rate: float, seconds: float, verdicts: Counter[str | None]) -> Iterator[tuple[str, str]]:
    yield "judged a second, without overload", f"{rate:.1f}"
    sent = len(log.accepted) + log.refusals + sum(log.other.values())
    yield f"sent in {seconds:.0f} s", f"{sent:,} ({sent / seconds / rate:.1f} times as many)"
    yield "accepted", f"{len(log.accepted):,}"
    yield "refused with 429", f"{log.refusals:,}"
    yield "refusals without `Retry-After` and rate-limit headers", f"{log.bare_refusals:,}"
    yield "other answers", ", ".join(f"{count} × {status}" for status, count in sorted(log.other.items())) or "0"
    yield "verdicts of the accepted ones", ", ".join(f"{count:,} × {verdict}" for verdict, count in verdicts.items())
    yield "open event streams, at most", f"{log.most_streams:,}"
    opened = log.opened[httpx.codes.OK]
    yield "streams that ended with the verdict", f"{sum(log.verdicts.values()):,} of {opened:,}"
    refused = {status: count for status, count in log.opened.items() if status != httpx.codes.OK}
    yield "streams that were not opened", ", ".join(f"{count} × {status}" for status, count in refused.items()) or "0"
    yield (
        "age of the queue, at most",
        f"{max(log.queue_ages):.0f} s (new ones are refused at a forecast of {QUEUE_MINUTES} min)",
    )
    settled = log.memory_mib[len(log.memory_mib) // 4 :]
    yield "memory of the web process", f"{log.memory_mib[0]:.0f} MiB before, {settled[0]:.0f} to {max(settled):.0f} MiB"


def _latency_rows(latencies: Mapping[str, Sequence[float]]) -> Iterator[tuple[str, str]]:
    for page, taken in latencies.items():
        yield f"`GET {page}`, p50 and p95", f"{1000 * median(taken):.0f} and {1000 * quantiles(taken, n=20)[-1]:.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.overload", description=__doc__)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--write", type=Path, help="the page whose section is replaced")
    options = parser.parse_args()
    rows = measure(options.seconds, options.streams)
    show_table(rows, "Overload", "benchmarks.overload", options.write)


if __name__ == "__main__":
    main()
