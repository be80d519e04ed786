from collections.abc import Iterator
from pathlib import Path

import pytest

from app.database.engine import Database
from tests.queue.fleet import Fleet, keep_record


@pytest.fixture
def fleet(database: Database, tmp_path: Path) -> Iterator[Fleet]:
    keep_record(database)
    fleet = Fleet(database, tmp_path)
    yield fleet
    fleet.end()
