import pytest

from app.catalog.model import Revision
from app.database.engine import Database
from tests.learning.lessons import publish_lesson


@pytest.fixture
def revision(database: Database) -> Revision:
    """The published lesson."""
    with database.transaction() as session:
        return publish_lesson(session)
