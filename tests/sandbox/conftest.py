"""Every test that asks for `bench` or `launcher` runs with each launcher, in each way it can isolate."""

from collections.abc import Iterator

import pytest

from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.interface import BoxSpec, Launcher, SandboxUnavailable
from sandbox.pool import Pool
from sandbox.runtime import find_runtime
from tests.sandbox.bench import RUNTIME, Bench

LAUNCHERS = {
    "bubblewrap-namespaces": lambda: BubblewrapLauncher(runtime=find_runtime(RUNTIME), isolation="namespaces"),
    "bubblewrap-shared": lambda: BubblewrapLauncher(runtime=find_runtime(RUNTIME), isolation="shared"),
}


@pytest.fixture(scope="session", params=LAUNCHERS)
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
