from collections.abc import Iterator
from contextlib import closing

import pytest

from sandbox.launcher_choice import choose_launcher
from sandbox.pool import Pool
from tests.sandbox.bench import RUNTIME


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool]:
    with closing(Pool(choose_launcher("bubblewrap", RUNTIME), capacity=2, max_runs=100)) as pool:
        yield pool
