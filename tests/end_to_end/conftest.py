from collections.abc import Iterator

import pytest

from tests.sandbox.conftest import docker_launcher
from tests.serving import Served, serve

LIMITS = {"ALLCLOSE_MAX_PENDING": "1000", "ALLCLOSE_REQUESTS_PER_MINUTE": "100000"}


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """With the sandbox that this machine gets by itself."""
    with serve(tmp_path_factory.mktemp("served"), LIMITS) as served:
        yield served


@pytest.fixture(scope="module", params=["bubblewrap", "docker"])
def sandbox(request: pytest.FixtureRequest) -> str:
    if request.param == "docker":
        docker_launcher("namespaces")  # skips where there is none
    return str(request.param)


@pytest.fixture(scope="module")
def served_with(sandbox: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("served"), {**LIMITS, "ALLCLOSE_SANDBOX": sandbox}) as served:
        yield served
