"""The deployment of docker-compose.yml, from nothing: `make test-compose`.

Everything is as a newcomer's `docker compose up --build` makes it, but for the port and, where no registry of images
is reached, the base image.
"""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[2]
SOLUTION = ROOT / "problems/microbatched_grads/submissions/accepted/scan_with_jit.py"
PROJECT = f"allclose-test-{os.getpid()}"
PORT = 18_000 + os.getpid() % 10_000
PATIENCE_SECONDS = 600
ACCOUNT = {"username": "ada", "password": "correct horse battery"}

pytestmark = [
    pytest.mark.timeout(1800),
    pytest.mark.skipif("TEST_COMPOSE" not in os.environ, reason="`make test-compose` runs it"),
]


def _program() -> list[str]:
    for program in (["docker", "compose"], ["docker-compose"]):
        is_here = shutil.which(program[0]) and shutil.which("docker")
        if is_here and _succeeds(*program, "version") and _succeeds("docker", "version"):
            return program
    lacking = (
        "there is no Docker Engine with Compose here (Debian, Ubuntu: sudo apt-get install docker.io docker-compose)"
    )
    if os.environ.get("CI"):
        pytest.fail(lacking)
    pytest.skip(lacking)


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


@pytest.fixture(scope="module")
def deployment() -> Iterator[Deployment]:
    deployment = Deployment()
    try:
        deployment.up("--build", "--scale", "web=2")
        deployment.api.post("/users", json=ACCOUNT).raise_for_status()
        yield deployment
    finally:
        deployment.compose("down", "--volumes", "--remove-orphans", "--rmi", "all")
        deployment.api.close()


def test_a_submission_is_accepted_and_again_with_two_workers(deployment: Deployment) -> None:
    password = re.search(r"password (\S+)", deployment.compose("logs", "--no-color", "migrate"))
    assert password
    admin = deployment.token({"username": "admin", "password": password[1]})
    student = deployment.token(ACCOUNT)

    assert deployment.judge(student) == "accepted"

    deployment.up("--no-build", "--scale", "web=2", "--scale", "worker=2")
    deployment.wait_for_workers(2, admin)

    assert deployment.judge(student) == "accepted"
    assert "Traceback" not in deployment.compose("logs", "--no-color", "worker", "web", "engine")


def test_a_stopped_deployment_ends_by_its_signals_and_comes_back_with_its_data(deployment: Deployment) -> None:
    deployment.compose("stop")

    containers = deployment.compose("ps", "--quiet", "--all").split()
    question = ["docker", "inspect", "--format", "{{.Name}} {{.State.ExitCode}}", *containers]
    codes = subprocess.run(question, capture_output=True, text=True, check=True).stdout
    assert not re.search(r" 137$", codes, re.MULTILINE), f"not all ended by themselves:\n{codes}"

    deployment.up("--no-build")
    assert deployment.token(ACCOUNT)
