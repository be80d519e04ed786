"""A running `allclose serve`, as its users meet it: a process, an address, a data folder."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx

READY = re.compile(r"ready at (http://\S+)")
ADMIN = re.compile(r"password (\S+)")
NO_WORKER = ("--no-worker",)
START_SECONDS = 120
STOP_SECONDS = 40
PATIENCE_SECONDS = 30
# Its package alone: SLUG, a problem of NumPy, which a worker prepares in no time.
ONE_PROBLEM = Path(__file__).parent / "one_problem"
SLUG = "standardise"
RIGHT = """\
import numpy as np


def standardise(x, eps):
    return (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))
"""
WRONG = "def standardise(x, eps):\n    return x\n"


@dataclass
class Served:
    """`lines` is what it printed; `url` where it listens."""

    process: subprocess.Popen[str]
    data: Path
    lines: list[str] = field(default_factory=list)
    url: str = ""
    reader: threading.Thread | None = None

    @property
    def text(self) -> str:
        return "".join(self.lines)

    def sign_up(self, name: str | None = None) -> "Student":
        name = name or f"student-{uuid4().hex[:8]}"
        account = {"username": name, "password": "correct horse battery"}
        with httpx.Client(base_url=f"{self.url}/api/v1", timeout=90) as client:
            client.post("/users", json=account).raise_for_status()
            token = client.post("/tokens", json=account).raise_for_status().json()["token"]
        return Student(self, token)

    def admin(self) -> httpx.Client:
        """Return a client of the admin whose password the server has printed."""
        shown = ADMIN.search(self.text)
        assert shown, "the password is printed at the first start only"
        account = {"username": "admin", "password": shown[1]}
        made = httpx.post(f"{self.url}/api/v1/tokens", json=account, timeout=90).raise_for_status()
        headers = {"Authorization": f"Bearer {made.json()['token']}"}
        return httpx.Client(base_url=f"{self.url}/api/v1", headers=headers, timeout=90)

    def set(self, policy: Mapping[str, object]) -> None:
        """Change settings as the admin."""
        with self.admin() as client:
            client.patch("/settings", json=policy).raise_for_status()

    def worker_pids(self) -> list[int]:
        """The worker processes that this server started."""
        said = subprocess.run(
            ["ps", "-o", "pid=,args=", "--ppid", str(self.process.pid)], capture_output=True, text=True
        )
        return [int(line.split()[0]) for line in said.stdout.splitlines() if " worker " in line]

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        status = self.process.wait(STOP_SECONDS)
        if self.reader is not None:
            self.reader.join(PATIENCE_SECONDS)  # its last words are in `lines` then
        return status


class Student:
    """A student with a token."""

    def __init__(self, served: Served, token: str) -> None:
        self.token = token
        headers = {"Authorization": f"Bearer {token}"}
        self.client = httpx.Client(base_url=f"{served.url}/api/v1", headers=headers, timeout=90)

    def send(self, slug: str, source: str, mode: str = "submit") -> str:
        answer = self.client.post(f"/problems/{slug}/submissions", json={"source": source, "mode": mode})
        return str(answer.raise_for_status().json()["id"])

    def result(self, submission: str) -> dict[str, Any]:
        while True:
            view: dict[str, Any] = self.client.get(f"/submissions/{submission}?wait=30").raise_for_status().json()
            if view["state"] == "done":
                return view

    def submit(self, slug: str, source: str, mode: str = "submit") -> dict[str, Any]:
        return self.result(self.send(slug, source, mode))


@contextmanager
def serve(
    data: Path,
    settings: Mapping[str, str] | None = None,
    port: int = 0,
    policy: Mapping[str, object] | None = None,
    options: Sequence[str] = (),
    checkout: Path | None = None,
) -> Iterator[Served]:
    """Publishes ONE_PROBLEM where the settings name no folder: a worker prepares all that there are.

    `policy` is what the admin sets, at the first start with this data folder. `checkout`: another one to run.
    """
    python = sys.executable if checkout is None else str(checkout / ".venv" / "bin" / "python")
    command = [python, "-u", "-m", "app.cli", "serve", "--port", str(port), "--data", str(data), *options]
    environment = {**os.environ, "ALLCLOSE_PROBLEMS": str(ONE_PROBLEM), "COLUMNS": "200", **(settings or {})}
    process = subprocess.Popen(
        command,
        env=environment,
        cwd=checkout,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    served = Served(process, data)
    ready = threading.Event()
    served.reader = threading.Thread(target=_read, args=(served, ready), daemon=True)
    served.reader.start()
    try:
        assert ready.wait(START_SECONDS), served.text
        assert served.url, served.text
        if policy:
            served.set(policy)
        yield served
    finally:
        try:
            served.stop()
        finally:
            if process.poll() is None:  # it was asked to, and takes too long
                os.killpg(process.pid, signal.SIGKILL)


def wait_for(has_come: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not has_come():
        assert time.monotonic() < until
        time.sleep(0.1)


def _read(served: Served, ready: threading.Event) -> None:
    assert served.process.stdout is not None
    for line in served.process.stdout:
        served.lines.append(line)
        if found := READY.search(line):
            served.url = found[1]
        if "Ctrl-C stops it" in line:
            ready.set()
    ready.set()
