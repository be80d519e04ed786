"""Every test that asks for `bench` or `launcher` runs with each launcher, in each way it can isolate.

The quick run has two of the four kinds: both launchers, and both ways to isolate.
"""

import os
from collections.abc import Callable, Iterator

import pytest

from sandbox.bubblewrap.launcher import BubblewrapLauncher
from sandbox.docker.launcher import DockerLauncher, DockerOptions, open_docker
from sandbox.interface import BoxSpec, IsolationDemand, Launcher, SandboxUnavailable
from sandbox.pool import Pool
from sandbox.runtime import find_runtime
from tests.sandbox.bench import RUNTIME, Bench


def docker_launcher(isolation: IsolationDemand) -> DockerLauncher:
    """Skips without an engine that has the image, except in continuous integration."""
    options = DockerOptions(
        cpu_image=os.environ.get("ALLCLOSE_IMAGE_CPU", "allclose-cpu"),
        runtime=os.environ.get("ALLCLOSE_DOCKER_RUNTIME"),
        apparmor=os.environ.get("ALLCLOSE_DOCKER_APPARMOR"),
    )
    try:
        return open_docker(options, isolation=isolation)
    except SandboxUnavailable as error:
        if os.environ.get("CI"):
            pytest.fail(f"the Docker tests can't run: {error}")
        pytest.skip(f"no Docker tests: {error}")


LAUNCHERS: dict[str, Callable[[], Launcher]] = {
    "bubblewrap-namespaces": lambda: BubblewrapLauncher(runtime=find_runtime(RUNTIME), isolation="namespaces"),
    "bubblewrap-shared": lambda: BubblewrapLauncher(runtime=find_runtime(RUNTIME), isolation="shared"),
    "docker-namespaces": lambda: docker_launcher("namespaces"),
    "docker-shared": lambda: docker_launcher("shared"),
}
QUICK = {"bubblewrap-namespaces", "docker-shared"}
KINDS = [pytest.param(name, marks=[] if name in QUICK else pytest.mark.whole) for name in LAUNCHERS]


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
