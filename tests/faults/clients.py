"""Students as HTTP clients: each submits, follows the events until the verdict, and keeps a log of what it saw.

A student sends most requests with an idempotency key, and sends them again until an answer arrives. Without a key, a
student sends a request once and can't know whether a request without an answer was accepted.
"""

import json
import random
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx

from tests.faults.deployment import Deployment
from tests.serving import RIGHT, SLUG

SILENCE_SECONDS = 25
PAUSE_SECONDS = 0.2
# Statuses that a client of REST tries again: the server is away, or told it to come later.
TRY_AGAIN = {429, 500, 502, 503, 504}
# Each has another verdict, so that a result which reaches the wrong submission shows.
SOURCES = {
    "accepted": RIGHT,
    "wrong_answer": RIGHT.replace("- x.mean()", "+ 1"),
    "runtime_error": "def standardise(x, eps):\n    return 1 // 0\n",
    "invalid_submission": "def standardise(x, eps:\n",
}
ENDLESS = "def standardise(x, eps):\n    while True:\n        pass\n"


def slow(seconds: float) -> str:
    """A right source whose cases take so long each, so that a fault meets it."""
    return "import time\n" + RIGHT.replace("    return", f"    time.sleep({seconds})\n    return")


@dataclass
class Sent:
    """A submission as its sender knows it. `number` is in its source too, and so in the database.

    `expected`: the verdict that it must get; `also`: another one that is right too. Times are of the monotonic clock.
    `cases`: the names in the events. `is_gone`: the server does not know it any more.
    """

    number: int
    expected: str
    kind: str
    has_key: bool
    sent_at: float
    also: str = ""
    id: str | None = None
    accepted_at: float | None = None
    cases: list[str] = field(default_factory=list)
    event_ids: list[int] = field(default_factory=list)
    done: Mapping[str, Any] | None = None
    done_at: float | None = None
    connections: int = 0
    statuses: list[int] = field(default_factory=list)
    is_gone: bool = False
    is_given_up: bool = False


class Log:
    """What all clients sent and saw; each change is also a line of the file."""

    def __init__(self, path: Path) -> None:
        self._numbers, self._lock = count(1), threading.Lock()
        self._file = path.open("w")
        self.entries: list[Sent] = []
        self.unexpected: list[str] = []

    def add(self, expected: str, kind: str, has_key: bool) -> Sent:
        with self._lock:
            entry = Sent(next(self._numbers), expected, kind, has_key, time.monotonic())
            self.entries.append(entry)
        return entry

    def write(self, event: str, entry: Sent) -> None:
        with self._lock:
            self._file.write(json.dumps({"event": event, **{**asdict(entry), "done": None}}) + "\n")
            self._file.flush()

    def note_unexpected(self, what: str) -> None:
        with self._lock:
            self.unexpected.append(what)

    def snapshot(self) -> list[Sent]:
        with self._lock:
            return list(self.entries)


class Student:
    """Sends one submission after another until `stopping`, then waits for what it sent."""

    def __init__(
        self, deployment: Deployment, log: Log, name: str, chance: random.Random, stopping: threading.Event
    ) -> None:
        self._log, self._name, self._chance = log, name, chance
        self._stopping = stopping
        self.giving_up = threading.Event()
        self.token = deployment.sign_up(name)
        self._client = deployment.client(self.token)

    def run(self) -> None:
        while not self._stopping.is_set():
            verdict = self._chance.choice(list(SOURCES))
            self.submit(SOURCES[verdict], verdict, "quick", has_key=self._chance.random() < 0.9)

    def run_endless(self) -> None:
        """One at a time: on a busy machine, the second run of a late case may wait for a minute."""
        while not self._stopping.is_set():
            self.submit(ENDLESS, "time_limit_exceeded", "endless", mode="sample")
            self._stopping.wait(5)

    def submit(self, source: str, expected: str, kind: str, *, mode: str = "submit", has_key: bool = True) -> Sent:
        entry = self._log.add(expected, kind, has_key)
        self.send(entry, source, mode)
        if entry.id is not None:
            self.follow(entry)
        return entry

    def send(self, entry: Sent, source: str, mode: str = "submit") -> None:
        """Send it. With a key, send it until there is an answer."""
        request = {"source": f"# number {entry.number}\n{source}", "mode": mode}
        key = {"Idempotency-Key": f"{self._name}-{entry.number}"} if entry.has_key else {}
        while not self.giving_up.is_set():
            try:
                answer = self._client.post(f"/problems/{SLUG}/submissions", json=request, headers=key)
            except httpx.HTTPError:
                if not entry.has_key:
                    return
                time.sleep(PAUSE_SECONDS)
                continue
            entry.statuses.append(answer.status_code)
            if answer.is_success:
                entry.id, entry.accepted_at = answer.json()["id"], time.monotonic()
                self._log.write("accepted", entry)
                return
            if answer.status_code not in TRY_AGAIN:
                self._log.note_unexpected(f"POST answered {answer.status_code}: {answer.text[:300]}")
            if not entry.has_key:  # a 500 does not say whether it was stored
                return
            time.sleep(PAUSE_SECONDS)
        entry.is_given_up = True

    def follow(self, entry: Sent) -> None:
        """Read the events until `done`, with a new connection whenever one ends before that."""
        while entry.done is None and not entry.is_gone:
            if self.giving_up.is_set():
                entry.is_given_up = True
                break
            entry.connections += 1
            try:
                self._read_events(entry)
            except (httpx.HTTPError, json.JSONDecodeError):
                time.sleep(PAUSE_SECONDS)
        self._log.write("done", entry)

    def _read_events(self, entry: Sent) -> None:
        known = {"Last-Event-ID": str(entry.event_ids[-1])} if entry.event_ids else {}
        timeout = httpx.Timeout(20, read=SILENCE_SECONDS)
        address = f"/submissions/{entry.id}/events"
        with self._client.stream("GET", address, headers=known, timeout=timeout) as answer:
            entry.statuses.append(answer.status_code)
            if answer.status_code == 404:
                entry.is_gone = True
                return
            if not answer.is_success:
                if answer.status_code not in TRY_AGAIN:
                    self._log.note_unexpected(f"events answered {answer.status_code}")
                time.sleep(PAUSE_SECONDS)
                return
            for event in read_events(answer.iter_lines()):
                if event["event"] == "done":
                    entry.done, entry.done_at = json.loads(event["data"]), time.monotonic()
                    return
                entry.event_ids.append(int(event["id"]))
                entry.cases.append(json.loads(event["data"])["name"])


def read_events(lines: Iterator[str]) -> Iterator[dict[str, str]]:
    """Parse server-sent events. Only a blank line ends an event, so a torn one is dropped, as a browser does."""
    fields: dict[str, str] = {}
    for line in lines:
        if not line:
            if "event" in fields:
                yield fields
            fields = {}
        elif not line.startswith(":"):
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")


class Load:
    """All students together, from the start to the last verdict."""

    def __init__(
        self, deployment: Deployment, log: Log, seed: int, students: int, *, with_endless: bool = False
    ) -> None:
        self.log = log
        self._stopping = threading.Event()
        self.students = [
            Student(deployment, log, f"student-{number}", random.Random(f"{seed} {number}"), self._stopping)
            for number in range(students)
        ]
        self.other = Student(deployment, log, "student-of-faults", random.Random(seed), self._stopping)
        self._threads = [threading.Thread(target=each.run, daemon=True) for each in self.students]
        self._everyone = [*self.students, self.other]
        if with_endless:
            patient = Student(deployment, log, "student-endless", random.Random(seed), self._stopping)
            self._threads.append(threading.Thread(target=patient.run_endless, daemon=True))
            self._everyone.append(patient)

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def drain(self, seconds: float) -> None:
        """Send no more, and wait until each student has its last verdict, for at most this long."""
        self._stopping.set()
        deadline = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        for student in self._everyone:
            student.giving_up.set()
        for thread in self._threads:
            thread.join(2 * SILENCE_SECONDS)
