"""Faults and overload in the deployment of docker-compose.yml, with two workers.

Students send more than the workers can judge, while containers are killed. The engine starts a killed container
again, because the services say `restart: unless-stopped`. At the end, every accepted submission has one verdict, the
right one.
"""

import json
import os
import random
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.compose.deployment import SOLUTION, Deployment

STUDENTS = 6
# How often each service is killed, in shares.
SHARES = {"worker": 5, "web": 3, "database": 1, "engine": 1, "proxy": 1}
FAULT_SECONDS = 8.0
PATIENCE_SECONDS = 600
PAUSE_SECONDS = 0.3
SLUG = "microbatched_grads"
SOURCES = {
    "accepted": SOLUTION.read_text(),
    "runtime_error": f"def {SLUG}(w, b, x_full, y_full, n_microbatches):\n    return 1 // 0\n",
    "invalid_submission": f"def {SLUG}(w, b, x_full:\n",
}
# One student may send much. The queue takes about a minute of work, so that overload shows as refusals.
POLICY = {
    "max_pending": 200,
    "max_queue_minutes": 1,
    "requests_per_minute": 1_000_000,
    "submissions_per_hour": 1_000_000,
    "judging_seconds_per_hour": 1_000_000,
    "submitted_mib_per_hour": 1_000_000,
}
LIMIT_HEADERS = ("retry-after", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")


@dataclass
class Report:
    """`kills`: by service. `refused`: answers with 429; `bare_refusals`: those without the headers that say when.

    `given_up`: submissions whose every attempt met a fault. They end as `judge_error`, and an admin judges them again.
    """

    kills: Counter[str] = field(default_factory=Counter)
    accepted: dict[str, str] = field(default_factory=dict)
    refused: int = 0
    bare_refusals: int = 0
    given_up: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)


def run(deployment: Deployment, *, faults: int, seed: int) -> Report:
    """Kill so many containers while students submit, then wait for all verdicts and check them."""
    report = Report()
    admin = deployment.admin()
    deployment.api.patch("/settings", json=POLICY, headers=admin).raise_for_status()
    students = [_sign_up(deployment, number) for number in range(STUDENTS)]
    stopping = threading.Event()
    threads = [
        threading.Thread(
            target=_submit_until, args=(deployment, student, random.Random(seed + number), stopping, report)
        )
        for number, student in enumerate(students)
    ]
    for thread in threads:
        thread.start()
    try:
        _kill(deployment, faults, random.Random(seed), report)
    finally:
        stopping.set()
        for thread in threads:
            thread.join()
    _check(deployment, students, report)
    return report


def _sign_up(deployment: Deployment, number: int) -> Mapping[str, str]:
    account = {"username": f"student-{number}", "password": "correct horse battery"}
    deployment.api.post("/users", json=account).raise_for_status()
    return deployment.token(account)


def _submit_until(
    deployment: Deployment,
    student: Mapping[str, str],
    chance: random.Random,
    stopping: threading.Event,
    report: Report,
) -> None:
    number = 0
    while not stopping.is_set():
        verdict, number = chance.choice(list(SOURCES)), number + 1
        body = {"source": f"# number {number}\n{SOURCES[verdict]}", "mode": "submit"}
        _insist(deployment, body, {**student, "Idempotency-Key": f"key-{number}"}, verdict, stopping, report)


def _insist(
    deployment: Deployment,
    body: Mapping[str, str],
    headers: Mapping[str, str],
    verdict: str,
    stopping: threading.Event,
    report: Report,
) -> None:
    """Send it again until there is an answer: after a broken connection, it may have been stored or not."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        if time.monotonic() > deadline:
            report.broken.append(f"no answer to {headers['Idempotency-Key']} in {PATIENCE_SECONDS} s")
            return
        try:
            answer = deployment.api.post(f"/problems/{SLUG}/submissions", json=body, headers=headers)
        except httpx.TransportError:
            time.sleep(PAUSE_SECONDS)
            continue
        if answer.is_success:
            report.accepted[answer.json()["id"]] = verdict
            return
        if answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
            report.refused += 1
            report.bare_refusals += not all(name in answer.headers for name in LIMIT_HEADERS)
            if stopping.is_set():
                return
        elif not answer.is_server_error:
            report.broken.append(f"an answer of {answer.status_code}: {answer.text[:200]}")
            return
        time.sleep(PAUSE_SECONDS)


def _kill(deployment: Deployment, faults: int, chance: random.Random, report: Report) -> None:
    """Each service at least once if there are enough faults, then by shares."""
    services = [*SHARES, *chance.choices(list(SHARES), weights=list(SHARES.values()), k=faults)][:faults]
    for service in services:
        time.sleep(chance.uniform(0.5, 1.5) * FAULT_SECONDS)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (pids := _pids(deployment.containers(service))):
            assert time.monotonic() < deadline, f"{service} did not start again"
            time.sleep(PAUSE_SECONDS)
        os.kill(chance.choice(pids), signal.SIGKILL)
        report.kills[service] += 1


def _pids(containers: list[str]) -> list[int]:
    """Return the processes on the host that the containers run. `docker kill` would also forbid the restart."""
    found = subprocess.run(["docker", "inspect", *containers], capture_output=True, text=True, check=False)
    states = [container["State"] for container in json.loads(found.stdout or "[]")]
    return [state["Pid"] for state in states if state["Running"] and state["Pid"]]


def _check(deployment: Deployment, students: list[Mapping[str, str]], report: Report) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    rows: dict[str, dict[str, Any]] = {}
    while True:
        try:
            rows = {row["id"]: row for student in students for row in _list(deployment, student)}
            if all(row["state"] == "done" for row in rows.values()):
                break
        except (httpx.TransportError, httpx.HTTPStatusError):
            pass  # a service is still starting again
        if time.monotonic() > deadline:
            break
        time.sleep(1)
    for identifier, verdict in report.accepted.items():
        row = rows.pop(identifier, None)
        if row is None or row["state"] != "done":
            report.broken.append(f"{identifier} has no verdict: {row}")
        elif row["verdict"] == "judge_error":
            report.given_up.append(identifier)
        elif row["verdict"] != verdict:
            report.broken.append(f"{identifier} got {row['verdict']} instead of {verdict}")
    report.broken += [f"{identifier} was stored and not told, or stored twice" for identifier in rows]


def _list(deployment: Deployment, student: Mapping[str, str]) -> list[dict[str, Any]]:
    found, cursor = [], None
    while True:
        query = {"limit": 100} | ({"cursor": cursor} if cursor else {})
        page = deployment.api.get("/submissions", params=query, headers=student).raise_for_status().json()
        found += page["items"]
        cursor = page.get("next")
        if not cursor:
            return found
