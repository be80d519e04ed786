"""The audit log: rows are added, and never changed or removed."""

import pytest
from sqlalchemy import delete, select, text, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.base import Executable

from app.audit import COMMAND, Act, AuditEvent, record
from app.database.engine import Database

CHANGES = [
    update(AuditEvent).values(action="user.praised"),
    delete(AuditEvent),
    text("TRUNCATE audit_events"),
]


@pytest.mark.parametrize("change", CHANGES, ids=["update", "delete", "truncate"])
def test_rows_of_the_audit_log_can_not_be_changed_or_removed(database: Database, change: Executable) -> None:
    with database.transaction() as session:
        record(session, COMMAND, Act(action="user.suspended", target="ada", before={"is_active": True}))

    with pytest.raises(DBAPIError, match="never changed or removed"), database.transaction() as session:
        session.execute(change)

    with database.transaction() as session:
        assert session.scalars(select(AuditEvent.action)).all() == ["user.suspended"]
