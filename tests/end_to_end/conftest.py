from collections.abc import Iterator

import pytest

from tests.serving import Served, serve

LIMITS = {
    "max_pending": 1000,
    "requests_per_minute": 100_000,
    "judging_seconds_per_hour": 1_000_000,
    "submissions_per_hour": 1_000_000,
    "max_queue_minutes": 10_000,
}


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with the default sandbox of this machine."""
    with serve(tmp_path_factory.mktemp("served"), policy=LIMITS) as served:
        yield served
