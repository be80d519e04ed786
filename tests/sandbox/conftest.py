"""Every test that asks for `bench` or `launcher` runs with each launcher, in each way it can isolate.

The quick run has two of the four kinds: both launchers, and both ways to isolate.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from typing import Any

import pytest

from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.docker.launcher import DockerLauncher, DockerOptions, open_docker
from sandbox.interface import BoxSpec, IsolationDemand, Launcher, SandboxUnavailable
from sandbox.pool import Pool
from sandbox.runtime import find_runtime
from tests.lacking import do_without
from tests.sandbox.bench import RUNTIME, Bench


def docker_launcher(isolation: IsolationDemand) -> DockerLauncher:
    """Skip without an engine that has the image, except in continuous integration."""
    options = DockerOptions(
        cpu_image=os.environ.get("ALLCLOSE_IMAGE_CPU", "allclose-cpu"),
        runtime=os.environ.get("ALLCLOSE_DOCKER_RUNTIME"),
        apparmor=os.environ.get("ALLCLOSE_DOCKER_APPARMOR"),
    )
    try:
        return open_docker(options, isolation=isolation)
    except SandboxUnavailable as error:
        do_without(f"the Docker tests can't run: {error}")


LAUNCHERS: dict[str, Callable[[], Launcher]] = {
    "bubblewrap-namespaces": lambda: BubblewrapLauncher(runtime=find_runtime(RUNTIME), isolation="namespaces"),
    "bubblewrap-shared": lambda: BubblewrapLauncher(runtime=find_runtime(RUNTIME), isolation="shared"),
    "docker-namespaces": lambda: docker_launcher("namespaces"),
    "docker-shared": lambda: docker_launcher("shared"),
}
QUICK = ("bubblewrap-namespaces", "docker-shared")
KINDS = [pytest.param(name, marks=[] if name in QUICK else pytest.mark.whole) for name in LAUNCHERS]
# For what the same code does in every kind of box: the quick run has one.
ONE_QUICKLY = pytest.mark.parametrize(
    "launcher",
    [pytest.param(name, marks=[] if name == QUICK[0] else pytest.mark.whole) for name in LAUNCHERS],
    indirect=True,
)


def in_turn(
    name: str, things: Sequence[Any], name_of: Callable[[Any], str] = str, quick: int | None = None, every: int = 1
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Try every thing in every kind of box, for tests that have hundreds of things to try in boxes.

    `name`: the test's parameter. The quick run tries each thing in one kind: the first in `QUICK[0]`, the second in
    `QUICK[1]`, and so on in turn. `quick`: it tries so many of them only. `every`: and of these one in so many.

    The kind is a parameter of the fixture `launcher` and not of this mark: pytest sets up a fixture of a wider scope
    again for each row of a mark that names it.
    """
    turns = list(zip(things, cycle(kind for kind in QUICK for _ in range(every))))
    rows = pytest.mark.parametrize(name, things, ids=map(name_of, things))
    in_quick_run = pytest.mark.in_turn(name, frozenset(turns[:quick:every]))
    return lambda test: in_quick_run(rows(test))


@pytest.fixture(scope="session", params=KINDS)
def launcher(request: pytest.FixtureRequest) -> Launcher:
    found = LAUNCHERS[request.param]()
    try:
        found.launch(BoxSpec(())).close()
    except SandboxUnavailable as error:
        if "refuses namespaces" in str(error):
            pytest.skip("this host refuses namespaces")
        raise
    return found


@pytest.fixture(scope="session")
def bench(launcher: Launcher) -> Iterator[Bench]:
    pool = Pool(launcher, capacity=2, max_runs=1000)
    yield Bench(pool)
    pool.close()
