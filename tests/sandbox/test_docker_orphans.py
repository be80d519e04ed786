"""Leftovers of killed workers: most containers end by themselves, and the next worker removes the rest."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from docker.errors import APIError, NotFound
from docker.models.containers import Container

from sandbox.docker.launcher import DockerLauncher, DockerOptions, open_docker
from sandbox.docker.orphans import LABEL, start_time, this_process
from sandbox.interface import BoxSpec
from tests.sandbox.bench import make_request, run_in, value_of
from tests.sandbox.conftest import docker_launcher


@pytest.fixture(scope="module")
def launcher() -> DockerLauncher:
    return docker_launcher("any")


def open_another(launcher: DockerLauncher) -> None:
    """Open the launcher as the next worker does when it starts."""
    open_docker(DockerOptions(cpu_image=launcher.image.removeprefix("docker:")))


def is_gone(launcher: DockerLauncher, container: Container, seconds: float = 60) -> bool:
    """Soon: a guest hears that its stdin has closed when it has imported all, and the engine removes it after that."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            launcher.engine.containers.get(str(container.id))
        except NotFound:
            return True
        time.sleep(0.05)
    return False


# A worker, to be killed where it prints.
WORKER = """
import sys, threading
from docker.models.containers import Container
from sandbox.interface import BoxSpec
from tests.sandbox.conftest import docker_launcher
from tests.sandbox.test_lost_box import ENDLESS

def say(container):
    print(container.id, flush=True)
    sys.stdin.read()

def start_and_say(container, start=Container.start):
    start(container)
    say(container)

if sys.argv[1] != "running":
    Container.start = {"created": say, "starting": start_and_say}[sys.argv[1]]
box = docker_launcher("any").launch(BoxSpec(()))
box.run(ENDLESS, lambda _: say(box.vessel._container), threading.Event())
"""


def kill_a_worker(launcher: DockerLauncher, stage: str) -> Container:
    """Return its container, as it was before the kill: another test's launcher may remove it right after."""
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER, stage], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with worker:
        assert worker.stdout is not None
        container = launcher.engine.containers.get(worker.stdout.readline().strip())
        worker.kill()
    return container


def test_a_box_that_was_made_and_not_started_is_removed_by_the_next_worker(launcher: DockerLauncher) -> None:
    container = kill_a_worker(launcher, "created")
    assert container.status == "created"

    open_another(launcher)

    assert is_gone(launcher, container)


@pytest.mark.parametrize("stage", ["starting", "running"])
def test_a_box_that_was_started_ends_by_itself_and_leaves_nothing(launcher: DockerLauncher, stage: str) -> None:
    assert is_gone(launcher, kill_a_worker(launcher, stage))


def test_the_boxes_of_a_living_worker_are_left_alone(launcher: DockerLauncher) -> None:
    box = launcher.launch(BoxSpec(()))

    open_another(launcher)
    run = run_in(box, make_request("def solve():\n    return 1\n"))
    box.close()

    assert value_of(run.cases[0]) == 1


@pytest.fixture
def owner() -> Iterator[subprocess.Popen[bytes]]:
    """A process that only lives. Other tests' launchers leave its boxes alone until it is killed."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


@pytest.fixture
def make(launcher: DockerLauncher) -> Iterator[Callable[..., Container]]:
    """Start a container that only waits, with a box's label. `differences`: from this process's label."""
    made: list[Container] = []

    def make(**differences: Any) -> Container:
        label = json.dumps({**json.loads(this_process()), **differences})
        program = ["/allclose/runtime/bin/python", "-c", "import sys; sys.stdin.read()"]
        image = launcher.image.removeprefix("docker:")
        create = launcher.engine.containers.create
        made.append(create(image, program, labels={LABEL: label}, stdin_open=True, network_mode="none"))
        made[-1].start()
        return made[-1]

    yield make
    for container in made:
        if not is_gone(launcher, container, seconds=0.1):
            with suppress(NotFound):  # another test's launcher may have removed it by now
                container.remove(force=True)


@pytest.mark.parametrize("is_paused", [False, True])
def test_a_box_of_a_dead_worker_is_removed(
    launcher: DockerLauncher, make: Callable[..., Container], owner: subprocess.Popen[bytes], is_paused: bool
) -> None:
    container = make(pid=owner.pid, started=start_time(owner.pid))
    try:
        if is_paused:
            container.pause()
    except APIError as error:
        pytest.skip(f"this engine can't pause a container: {error.explanation}")
    owner.kill()
    owner.wait()

    open_another(launcher)

    assert is_gone(launcher, container)


def test_an_ended_box_that_was_not_removed_is_removed(launcher: DockerLauncher, make: Callable[..., Container]) -> None:
    container = make(host="another")
    container.stop(timeout=0)

    open_another(launcher)

    assert is_gone(launcher, container)
