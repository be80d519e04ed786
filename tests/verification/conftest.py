"""One bench for all tests: its boxes stay warm."""

from collections.abc import Iterator

import pytest

from app.verification.trial import Bench
from tests.verification.bench import a_bench


@pytest.fixture(scope="package")
def bench() -> Iterator[Bench]:
    with a_bench() as opened:
        yield opened
