"""`make growth`: send every route inputs that grow, and write what they cost into docs/reliability.md.

It starts a server on a temporary data folder. Each input grows by a factor of 8 to nearly its limit, then beyond it.
For each request it measures the CPU time of the web process and of PostgreSQL, the peak of the web process's memory,
the answer's bytes, and, for expensive ones, how long another visitor waits meanwhile.
"""

import argparse
import http.client
import math
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Event
from pathlib import Path
from statistics import linear_regression
from urllib.parse import urlsplit
from uuid import UUID

import psutil
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.accounts.password import hash_password
from app.cli.deployment import open_database
from app.database.engine import Database
from app.settings import ROOT, Settings, read_settings
from app.web.cookie import COOKIE
from app.web_process import create_app
from benchmarks.grown_state import add_rows, list_texts, store_text
from benchmarks.input_plan import FACTOR, PASSWORD, Probe, Route, Wire, list_probes, list_routes
from benchmarks.machine import describe_machine, say, saying
from tests.factories import make_user, set_policy
from tests.large.address import fill_in, list_addresses
from tests.large.fill import PROBLEM_SLUG, SignedInUser, analyze, fill, sign_in_as
from tests.serving import NO_WORKER, Served, serve

PAGE = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- growth: begin -->", "<!-- growth: end -->"
ADMIN = "growing-admin"
KIB = 1024
STORED = 1_000
STATE_SIZES = (250, 2_000, 16_000)
TEXT_SIZES = (4 * KIB, 32 * KIB, 256 * KIB)
POLICY = {
    "max_pending": 10_000,
    "judging_seconds_per_hour": 1_000_000,
    "submissions_per_hour": 1_000_000,
    "submitted_mib_per_hour": 1_000_000,
    "max_queue_minutes": 1_000_000,
}

# What one request may cost.
MAX_EXPONENT = 1.3
MAX_WAIT_SECONDS = 0.3
MAX_MEMORY_BYTES = 50 * 2**20
MAX_ANSWER_BYTES = 2 * 2**20
# Less CPU than this is too little to tell how it grows, and hurts no other user.
NOTICEABLE_SECONDS = 0.1
# Requests of more CPU are sent again beside another visitor.
WATCHED_SECONDS = 0.1
# A series ends when a request takes this long.
ENOUGH_SECONDS = 5.0
AGAIN = 2
PATIENCE_SECONDS = 30
STREAM_SECONDS = 0.5
REFUSED_BY_SIZE = (413, 431)
NOT_SIGNED_IN = (401, 403)
EDITOR = ("/author/edit", "/author/upload")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One request. `status` is 0 if the server closed the connection. `wait_seconds`: of another visitor, at most."""

    size: int
    sent_bytes: int
    status: int
    cpu_seconds: float
    wall_seconds: float
    answer_bytes: int
    memory_bytes: int
    wait_seconds: float = 0.0

    def least(self, other: "Sample") -> "Sample":
        """Return the lesser cost of two equal requests, since other processes of the machine only add to it."""
        names = ("cpu_seconds", "wall_seconds", "memory_bytes", "wait_seconds")
        return replace(self, **{name: min(getattr(self, name), getattr(other, name)) for name in names})


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The samples of one growing input, from small to large."""

    where: str
    what: str
    samples: tuple[Sample, ...]
    is_download: bool = False

    @property
    def exponent(self) -> float | None:
        """Return the exponent of the CPU time over the size, or None if the input costs hardly any."""
        return fit([(sample.size, sample.cpu_seconds) for sample in self.samples])

    @property
    def cpu_seconds(self) -> float:
        return max(sample.cpu_seconds for sample in self.samples)

    @property
    def flags(self) -> list[str]:
        """Return what goes beyond the limits."""
        found = []
        exponent = self.exponent
        if exponent is not None and exponent > MAX_EXPONENT:
            found.append(f"grows with exponent {exponent:.1f} to {self.cpu_seconds:.2f} s")
        if (wait := max(sample.wait_seconds for sample in self.samples)) > MAX_WAIT_SECONDS:
            found.append(f"others wait {wait:.2f} s")
        if (memory := max(sample.memory_bytes for sample in self.samples)) > MAX_MEMORY_BYTES:
            found.append(f"{memory / 2**20:.0f} MiB of memory")
        if (answer := max(sample.answer_bytes for sample in self.samples)) > MAX_ANSWER_BYTES and not self.is_download:
            found.append(f"an answer of {answer / 2**20:.1f} MiB")
        if any(sample.status >= 500 for sample in self.samples):
            found.append(f"status {max(sample.status for sample in self.samples)}")
        return found


def fit(points: Sequence[tuple[int, float]]) -> float | None:
    """Return the slope of log seconds over log size, above the cost of the cheapest input. None if nothing grows."""
    base = min((seconds for _, seconds in points), default=0.0)
    grown = [(size, seconds - base) for size, seconds in points if seconds - base > NOTICEABLE_SECONDS]
    if len(grown) == 1:  # it rose at once from nothing noticeable
        before = max((each for each in points if each[0] < grown[0][0]), default=grown[0])
        grown.append((before[0], max(before[1] - base, NOTICEABLE_SECONDS / FACTOR)))
    sizes, costs = ([math.log(number) for number in each] for each in zip(*grown, strict=True)) if grown else ([], [])
    return linear_regression(sizes, costs).slope if len(set(sizes)) > 1 else None


class Process:
    """The web process and the database's processes, as the kernel counts their work."""

    def __init__(self, served: Served) -> None:
        self._web = served.process.pid
        self._pids = [self._web]

    def find_children(self) -> None:
        """Look for the database's processes anew: connections come and go."""
        self._pids = [self._web, *(child.pid for child in psutil.Process(self._web).children(recursive=True))]

    def cpu_seconds(self) -> float:
        total = 0.0
        for pid in self._pids:
            with suppress(OSError):  # it has ended
                total += time.clock_gettime(
                    (~pid << 3) | 2
                )  # CPUCLOCK_SCHED of the process, as in linux/posix-timers.h
        return total

    def memory_bytes(self, name: str) -> int:
        lines = Path(f"/proc/{self._web}/status").read_text().splitlines()
        return next(int(line.split()[1]) * KIB for line in lines if line.startswith(name + ":"))

    def reset_peak(self) -> None:
        Path(f"/proc/{self._web}/clear_refs").write_text("5")


class Bystander:
    """Another visitor, in a process of its own, who asks for /healthz and a page again and again."""

    def __init__(self, url: str) -> None:
        context = multiprocessing.get_context("spawn")
        self._longest: Synchronized[float] = context.Value("d", 0.0)
        self._count: Synchronized[int] = context.Value("i", 0)
        self._is_watching: Event = context.Event()
        parts = (url, self._longest, self._count, self._is_watching)
        self._process = context.Process(target=_ask_again_and_again, args=parts, daemon=True)
        self._process.start()

    def watch(self, action: Callable[[], Sample]) -> Sample:
        """Return the sample of the action, with the longest wait of a request that ran beside it."""
        self._is_watching.set()
        self._wait_for_more()
        self._longest.value = 0.0
        sample = action()
        self._wait_for_more()
        self._is_watching.clear()
        return replace(sample, wait_seconds=self._longest.value)

    def _wait_for_more(self) -> None:
        begun, until = self._count.value, time.monotonic() + PATIENCE_SECONDS
        while self._count.value == begun and time.monotonic() < until:
            time.sleep(0.002)

    def stop(self) -> None:
        self._process.kill()
        self._process.join()


def _ask_again_and_again(
    url: str, longest: "Synchronized[float]", count: "Synchronized[int]", is_watching: Event
) -> None:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=PATIENCE_SECONDS)
    while True:
        is_watching.wait()
        for path in ("/healthz", "/tracks"):
            begun = time.monotonic()
            try:
                connection.request("GET", path)
                connection.getresponse().read()
            except (OSError, http.client.HTTPException):
                connection.close()
            longest.value = max(longest.value, time.monotonic() - begun)
            count.value += 1
            time.sleep(0.005)


class Prober:
    """Sends the requests as an admin, and measures them."""

    def __init__(self, served: Served, database: Database, bystander: Bystander) -> None:
        self._served, self._database, self._bystander = served, database, bystander
        self._process = Process(served)
        self._sent = 0
        self._who = self._sign_in()

    def renew(self) -> None:
        """Sign the admin in again, since requests may end the session or change the password."""
        self._who = self._sign_in()
        self._process.find_children()

    def transaction(self) -> AbstractContextManager[Session]:
        return self._database.transaction()

    def measure(self, probe: Probe, url: str) -> Series:
        sizes = probe.list_sizes()
        return self.measure_series(
            Series(where=str(probe.route), what=probe.what, samples=(), is_download=is_download(probe.route.path)),
            sizes,
            lambda size: probe.build(url, size),
        )

    def measure_series(self, series: Series, sizes: Sequence[int], build: Callable[[int], Wire]) -> Series:
        samples: list[Sample] = []
        for size in sizes:
            samples.append(self.send(size, build(size)))
            if samples[-1].status in REFUSED_BY_SIZE or samples[-1].cpu_seconds > ENOUGH_SECONDS:
                break
        found = replace(series, samples=tuple(samples))
        for _ in range(AGAIN):
            if not found.flags:
                break
            again = [
                sample.least(self.send(sample.size, build(sample.size)))
                if sample.cpu_seconds > NOTICEABLE_SECONDS
                else sample
                for sample in found.samples
            ]
            found = replace(found, samples=tuple(again))
        return found

    def send(self, size: int, wire: Wire) -> Sample:
        sample = self._send(size, wire)
        if sample.status in NOT_SIGNED_IN and not wire.is_visitor:
            self.renew()
            sample = self._send(size, wire)
        if sample.cpu_seconds > WATCHED_SECONDS:
            watched = self._bystander.watch(lambda: self._send(size, wire))
            sample = replace(sample.least(watched), wait_seconds=watched.wait_seconds)
        return sample

    def _send(self, size: int, wire: Wire) -> Sample:
        self._process.reset_peak()
        before, cpu = self._process.memory_bytes("VmRSS"), self._process.cpu_seconds()
        begun = time.monotonic()
        status, answered = self._exchange(wire)
        wall = time.monotonic() - begun
        return Sample(
            size=size,
            sent_bytes=len(wire.target) + len(wire.body) + sum(map(len, wire.headers.values())),
            status=status,
            cpu_seconds=self._process.cpu_seconds() - cpu,
            wall_seconds=wall,
            answer_bytes=answered,
            memory_bytes=max(0, self._process.memory_bytes("VmHWM") - before),
        )

    def _exchange(self, wire: Wire) -> tuple[int, int]:
        """Return the answer's status and bytes; status 0 if the server closed the connection."""
        parts = urlsplit(self._served.url)
        patience = STREAM_SECONDS if wire.target.partition("?")[0].endswith("/events") else PATIENCE_SECONDS
        # From an address of its own: sign-ups and wrong passwords count per address.
        self._sent += 1
        here = (f"127.1.{self._sent // 250 % 250}.{self._sent % 250 + 1}", 0)
        connection = http.client.HTTPConnection(str(parts.hostname), parts.port, patience, here)
        try:
            self._put(connection, wire)
            answer = connection.getresponse()
            return answer.status, _count_bytes(answer)
        except (OSError, http.client.HTTPException):
            return 0, 0
        finally:
            connection.close()

    def _put(self, connection: http.client.HTTPConnection, wire: Wire) -> None:
        own = (
            {}
            if wire.is_visitor
            else {"Cookie": f"{COOKIE}={self._who.cookie}", "Authorization": f"Bearer {self._who.token}"}
        )
        connection.putrequest(wire.method, wire.target, skip_accept_encoding=True)
        for name, value in {**own, **wire.headers}.items():
            connection.putheader(name, value.encode("utf-8"))
        connection.putheader("Content-Length", str(len(wire.body)))
        connection.endheaders()
        with suppress(BrokenPipeError, ConnectionResetError):  # the answer came before the whole body was sent
            if wire.body:
                connection.send(wire.body)

    def _sign_in(self) -> SignedInUser:
        with self._database.transaction() as session:
            who = {"name": ADMIN, "hash": _HASH}
            session.execute(text("DELETE FROM tokens USING users WHERE user_id = users.id AND username = :name"), who)
            update = "UPDATE users SET password_hash = :hash, role = 'admin', is_active = true WHERE username = :name"
            session.execute(text(update), who)
            session.execute(text("DELETE FROM policy WHERE name = 'requests_per_minute'"))
            set_policy(session, requests_per_minute=1_000_000)
            return sign_in_as(session, ADMIN)


_HASH = hash_password(PASSWORD)


def _count_bytes(answer: http.client.HTTPResponse) -> int:
    """Return the bytes of the answer. A stream that says no more counts as it is."""
    count = 0
    with suppress(OSError):
        while piece := answer.read1(64 * KIB):
            count += len(piece)
    return count


def is_download(path: str) -> bool:
    """Whether the answer is as large as what it contains: a file, an export, or the editor with the sent files."""
    return "export" in path or path.endswith(("/file", "/files", ".zip")) or path.startswith(("/static/", *EDITOR))


@contextmanager
def probing(data: Path) -> Iterator[Prober]:
    """Start a server with some rows of everything, and an admin who asks."""
    with open_database(read_settings(data=data)) as database, saying(f"storing {STORED} submissions"):
        fill(database, STORED)
        with database.transaction() as session:
            make_user(session, ADMIN, role="admin")
            set_policy(session, **POLICY)
    with serve(data, options=NO_WORKER) as served, open_database(read_settings(data=data)) as database:
        bystander = Bystander(served.url)
        try:
            yield Prober(served, database, bystander)
        finally:
            bystander.stop()


def measure_inputs(prober: Prober, routes: Sequence[Route], only: str) -> Iterator[Series]:
    """Measure every input of every route."""
    for route in routes:
        if only not in str(route):
            continue
        prober.renew()
        with prober.transaction() as session:
            url = fill_in(session, route.path, ADMIN if route.method == "GET" else "user-2")
        yield from (prober.measure(probe, url) for probe in list_probes(route))


def measure_texts(prober: Prober, only: str) -> Iterator[Series]:
    """Measure the pages that show a stored text, while the text grows."""
    prober.renew()
    with prober.transaction() as session:
        of_problem = "problem_id = (SELECT id FROM problems WHERE slug = :slug) AND mode = 'sample'"
        two = f"SELECT id FROM submissions WHERE {of_problem} LIMIT 2"
        new, old = session.scalars(text(two), {"slug": PROBLEM_SLUG}).all()
    places = {"new": str(new), "old": str(old), "slug": PROBLEM_SLUG}
    for what, make, addresses in list_texts():
        wanted = [address for address in addresses if only in f"stored {what} {address}"]
        samples: dict[str, list[Sample]] = {address: [] for address in wanted}
        for size in TEXT_SIZES if wanted else ():
            with prober.transaction() as session:
                store_text(session, what, make(size)[:size], places)
            for address in wanted:
                samples[address].append(prober.send(size, Wire(method="GET", target=_fill(address, places))))
        yield from (
            Series(where=f"GET {address}", what=f"stored {what}", samples=tuple(each))
            for address, each in samples.items()
        )


def _fill(address: str, places: dict[str, str]) -> str:
    for name, value in places.items():
        address = address.replace(f":{name}", value)
    return address


def measure_state(prober: Prober, database: Database, settings: Settings) -> Iterator[Series]:
    """Measure every page and every GET endpoint, while the rows of one user grow."""
    samples: dict[tuple[str, str], list[Sample]] = {}
    low = 1
    for size in STATE_SIZES:
        with saying(f"storing {size} rows of one user"):
            with prober.transaction() as session:
                who = UUID(
                    str(
                        session.execute(
                            text("SELECT id FROM users WHERE username = :name"), {"name": ADMIN}
                        ).scalar_one()
                    )
                )
                add_rows(session, who, low, size)
            analyze(database)
        low = size + 1
        prober.renew()
        with prober.transaction() as session:
            addresses = list_addresses(create_app(settings, database), session, ADMIN)
        for address in addresses:
            wire = Wire(method="GET", target=address.url)
            first, second = prober.send(size, wire), prober.send(size, wire)
            key = address.path, address.url.partition("?")[2]
            samples.setdefault(key, []).append(first.least(second))
    for (path, query), each in samples.items():
        where = f"GET {path}{'?' if query else ''}{query}"
        yield Series(where=where, what="stored rows", samples=tuple(each), is_download=is_download(path))


def write_section(page: str, lines: Sequence[str]) -> str:
    """Return the page with these lines between its two markers. Raises ValueError without markers."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page needs the lines {BEGIN} and {END}, where the tables belong")
    return f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}"


def describe(
    inputs: Sequence[Series], texts: Sequence[Series], state: Sequence[Series], left_out: Sequence[str]
) -> Iterator[str]:
    machine = describe_machine()
    count = sum(len(series.samples) for series in (*inputs, *texts, *state))
    yield (
        f"{datetime.now(UTC):%Y-%m-%d}, {machine['cores']} cores of {machine['processor']}, "
        f"{machine['memory_gib']} GiB, {machine['kernel']}. {count:,} requests of "
        f"{len(inputs) + len(texts) + len(state):,} growing inputs."
    )
    yield ""
    beyond = [
        f"- `{each.where}`, {each.what}: {', '.join(each.flags)}." for each in (*inputs, *texts, *state) if each.flags
    ]
    yield "Beyond the limits:\n" if beyond else "Nothing is beyond the limits."
    yield from beyond
    yield "\n### Inputs of requests\n"
    yield from _table(inputs, "route")
    yield "\n### Stored texts that are hard to show\n"
    yield from _table(texts, "address")
    yield "\n### Stored rows of one user\n"
    yield f"One admin owns {STATE_SIZES[-1]:,} submissions and as many of everything else that has no limit.\n"
    yield from _table(state, "address", is_rows=True)
    yield from (f"\nNot measured: {each}." for each in left_out)


def _table(all_series: Sequence[Series], heading: str, *, is_rows: bool = False) -> Iterator[str]:
    """Yield a row for each route, of its most expensive input."""
    largest = "rows" if is_rows else "largest input, KiB"
    yield (
        f"| {heading} | inputs | {largest} | status at the end | CPU, s | answer, KiB | memory, MiB | others wait, s "
        "| exponent | most expensive |"
    )
    yield "|---|--:|--:|---|--:|--:|--:|--:|--:|---|"
    by_route: dict[str, list[Series]] = {}
    for series in all_series:
        by_route.setdefault(series.where, []).append(series)
    for where, each in by_route.items():
        worst = max(each, key=lambda series: series.cpu_seconds)
        samples = [sample for series in each for sample in series.samples]
        size = max(sample.size if is_rows else sample.sent_bytes / KIB for sample in samples)
        ends = sorted({series.samples[-1].status for series in each})
        wait = max(sample.wait_seconds for sample in samples)
        exponents = [series.exponent for series in each if series.exponent is not None]
        yield (
            f"| `{where}` | {len(each)} | {size:,.0f} | {', '.join(map(_status, ends))} | {worst.cpu_seconds:.3f} "
            f"| {max(sample.answer_bytes for sample in samples) / KIB:,.0f} "
            f"| {max(sample.memory_bytes for sample in samples) / 2**20:.0f} | {f'{wait:.2f}' if wait else '–'} "
            f"| {f'{max(exponents):.1f}' if exponents else 'flat'} | {worst.what} |"
        )


def _status(number: int) -> str:
    return str(number) if number else "closed"


def main() -> int:
    parser = argparse.ArgumentParser(prog="make growth")
    parser.add_argument("--only", default="", help="measure only routes that contain this text, and print")
    parser.add_argument("--part", action="append", choices=["inputs", "texts", "state"], help="measure only this part")
    options = parser.parse_args()
    parts = options.part or ["inputs", "texts", "state"]
    for name in [name for name in os.environ if name.startswith("ALLCLOSE_")]:
        del os.environ[name]
    with tempfile.TemporaryDirectory(prefix="allclose-growth-") as folder:
        data = Path(folder)
        with probing(data) as prober, open_database(read_settings(data=data)) as database:
            settings = Settings()
            routes = list_routes(create_app(settings, database))
            with saying("inputs of requests"):
                inputs = [*_said(measure_inputs(prober, routes, options.only))] if "inputs" in parts else []
            with saying("stored texts"):
                texts = [*_said(measure_texts(prober, options.only))] if "texts" in parts else []
            state = [*_said(measure_state(prober, database, settings))] if "state" in parts else []
    if options.only or options.part:
        print("\n".join(describe(inputs, texts, state, [])))
    else:
        PAGE.write_text(write_section(PAGE.read_text(), [*describe(inputs, texts, state, [])]))
        say(f"wrote {PAGE.relative_to(ROOT)}")
    return 1 if any(series.flags for series in (*inputs, *texts, *state)) else 0


def _said(found: Iterator[Series]) -> Iterator[Series]:
    for series in found:
        if series.flags:
            say(f"  {series.where}, {series.what}: {', '.join(series.flags)}")
        yield series


if __name__ == "__main__":
    sys.exit(main())
