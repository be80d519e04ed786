"""Workers as admins see them, with many that have ended."""

from datetime import timedelta

from sqlalchemy import func

from app.admin.worker import MOST_ENDED, list_workers
from app.database.engine import Database
from tests.factories import make_worker


def test_of_many_dead_workers_only_the_last_are_listed(database: Database) -> None:
    with database.transaction() as session:
        make_worker(session, "cpu", name="alive")
        make_worker(session, "cpu", name="away", is_draining=True, seen_at=func.now() - timedelta(days=30))
        for minutes in range(1, 2 * MOST_ENDED):
            make_worker(session, "cpu", name=f"dead-{minutes}", seen_at=func.now() - timedelta(minutes=minutes))

    with database.transaction() as session:
        names = {worker.name for worker in list_workers(session)}

    assert len(names) == MOST_ENDED + 1
    assert {"alive", "away", "dead-1"} < names
    assert f"dead-{MOST_ENDED}" not in names
