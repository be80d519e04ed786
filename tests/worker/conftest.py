from collections.abc import Iterator
from contextlib import closing

import pytest

from app.database.engine import Database
from sandbox.interface import Launcher
from sandbox.launcher_choice import choose_launcher
from tests.sandbox.bench import RUNTIME
from tests.worker.bench import Bench, CountingPool


@pytest.fixture(scope="session")
def launcher() -> Launcher:
    return choose_launcher("bubblewrap", RUNTIME)


@pytest.fixture(scope="session")
def pool(launcher: Launcher) -> Iterator[CountingPool]:
    with closing(CountingPool(launcher, capacity=3, max_runs=1000)) as pool:
        yield pool


@pytest.fixture(scope="session")
def references(launcher: Launcher) -> Iterator[CountingPool]:
    """Boxes beside those of submissions."""
    with closing(CountingPool(launcher, capacity=2, max_runs=1000)) as pool:
        yield pool


@pytest.fixture
def bench(database: Database, pool: CountingPool) -> Bench:
    pool.leases = 0
    return Bench(database, pool)
