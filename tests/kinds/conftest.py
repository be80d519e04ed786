"""One set of pools for all packages, so that their boxes stay warm."""

from collections.abc import Iterator

import pytest

from app.verification.trial import VerificationPools
from tests.verification.bench import opened_pools


@pytest.fixture(scope="package")
def pools() -> Iterator[VerificationPools]:
    with opened_pools() as opened:
        yield opened
