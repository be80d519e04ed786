from collections.abc import Iterator

import pytest

from tests.serving import Served, serve


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    limits = {"ALLCLOSE_MAX_PENDING": "1000", "ALLCLOSE_REQUESTS_PER_MINUTE": "100000"}
    with serve(tmp_path_factory.mktemp("served"), limits) as served:
        yield served
