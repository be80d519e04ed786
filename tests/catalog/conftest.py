from collections.abc import Iterator

import pytest
from sqlalchemy.orm import Session

from app.database.engine import Database


@pytest.fixture
def session(database: Database) -> Iterator[Session]:
    with database.transaction() as session:
        yield session
