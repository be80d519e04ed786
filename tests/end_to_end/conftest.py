from collections.abc import Iterator

import pytest

from tests.serving import Served, serve

LIMITS = {"ALLCLOSE_MAX_PENDING": "1000", "ALLCLOSE_REQUESTS_PER_MINUTE": "100000"}


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """With the sandbox that this machine gets by itself."""
    with serve(tmp_path_factory.mktemp("served"), LIMITS) as served:
        yield served
