"""The deployment of docker-compose.yml with a project and a port of its own."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.lacking import do_without

ROOT = Path(__file__).parents[2]
SOLUTION = ROOT / "problems/microbatched_grads/submissions/accepted/scan_with_jit.py"
PROJECT = f"allclose-test-{os.getpid()}"
PORT = 18_000 + os.getpid() % 10_000
PATIENCE_SECONDS = 600
ACCOUNT = {"username": "ada", "password": "correct horse battery"}


def _program() -> list[str]:
    program = next(filter(_answers, (["docker", "compose"], ["docker-compose"])), None)
    if program is None:
        do_without(
            "there is no Docker Engine with Compose (Debian, Ubuntu: sudo apt-get install docker.io docker-compose)"
        )
    return program


def _answers(program: list[str]) -> bool:
    is_here = shutil.which(program[0]) and shutil.which("docker")
    return bool(is_here) and _succeeds(*program, "version") and _succeeds("docker", "version")


def _succeeds(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


class Deployment:
    """`docker compose` in the repository, with a project and a port of its own."""

    def __init__(self) -> None:
        self._program = _program()
        own = {
            "COMPOSE_PROJECT_NAME": PROJECT,
            "LISTEN": f"127.0.0.1:{PORT}",
            "ALLCLOSE_IMAGE": "allclose-compose-test",
            "ALLCLOSE_IMAGE_CPU": "allclose-cpu-compose-test",
            "SITE": ":8080",
        }
        self._environment = {**os.environ, **own}
        self.site = httpx.Client(base_url=f"http://127.0.0.1:{PORT}", timeout=90)
        self.api = httpx.Client(base_url=f"http://127.0.0.1:{PORT}/api/v1", timeout=90)

    def compose(self, *words: str) -> str:
        done = subprocess.run([*self._program, *words], cwd=ROOT, env=self._environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(words)}:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
        return done.stdout

    def up(self, *words: str) -> None:
        """Compose waits for what others need, and nothing needs the proxy."""
        self.compose("up", "--detach", *words)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not self._answers():
            assert time.monotonic() < deadline, self.compose("logs", "--tail=50", "proxy", "web")
            time.sleep(0.5)

    def _answers(self) -> bool:
        try:
            return self.api.get("/problems").is_success
        except httpx.TransportError:
            return False

    def token(self, account: Mapping[str, str]) -> dict[str, str]:
        answer = self.api.post("/tokens", json=account).raise_for_status()
        return {"Authorization": f"Bearer {answer.json()['token']}"}

    def admin(self) -> dict[str, str]:
        """Return the headers of the first admin, whose password the log has once."""
        password = re.search(r"password (\S+)", self.compose("logs", "--no-color", "migrate"))
        assert password
        return self.token({"username": "admin", "password": password[1]})

    def containers(self, service: str) -> list[str]:
        return self.compose("ps", "--quiet", service).split()

    def judge(self, headers: Mapping[str, str]) -> str:
        """The verdict of a known solution."""
        sent = self.api.post(
            "/problems/microbatched_grads/submissions",
            json={"source": SOLUTION.read_text(), "mode": "submit"},
            headers=headers,
        ).raise_for_status()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            view = self.api.get(f"/submissions/{sent.json()['id']}?wait=30", headers=headers).raise_for_status().json()
            if view["state"] == "done":
                return str(view["verdict"])
        raise AssertionError(f"not judged in {PATIENCE_SECONDS} s: {self.compose('logs', '--tail=50')}")

    def wait_for_workers(self, count: int, headers: Mapping[str, str]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (workers := self._alive(headers)) != count:
            assert time.monotonic() < deadline, f"{workers} workers: {self.compose('logs', '--tail=50', 'worker')}"
            time.sleep(1)

    def _alive(self, headers: Mapping[str, str]) -> int:
        listed = self.api.get("/workers", headers=headers).raise_for_status().json()
        return sum(worker["state"] == "alive" for worker in listed["items"])


@contextmanager
def deployed() -> Iterator[Deployment]:
    """Build and start the deployment from nothing, with two web processes and a student. Remove it at the end."""
    deployment = Deployment()
    try:
        deployment.up("--build", "--scale", "web=2")
        deployment.api.post("/users", json=ACCOUNT).raise_for_status()
        yield deployment
    finally:
        deployment.compose("down", "--volumes", "--remove-orphans", "--rmi", "all")
        deployment.site.close()
        deployment.api.close()
