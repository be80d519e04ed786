"""The page of the audit log."""

from fastapi.testclient import TestClient

from app.audit import COMMAND, Act, record
from app.database.cursor import PAGE
from app.database.engine import Database


def write(database: Database, act: Act, number: int = 1) -> None:
    with database.transaction() as session:
        for _ in range(number):
            record(session, COMMAND, act)


def test_the_audit_page_shows_the_old_and_the_new_value(admin: TestClient) -> None:
    admin.post("/admin/settings", data={"max_pending": "7"})

    page = admin.get("/admin/audit").text

    assert "setting.changed" in page
    assert '<a href="/admin/audit?actor=grace">grace</a>' in page
    assert '<del><span class="hidden-visually">was </span>20</del>' in page
    assert '<ins><span class="hidden-visually">is </span>7</ins>' in page


def test_the_filters_of_the_audit_page_also_filter_its_file(admin: TestClient, database: Database) -> None:
    write(database, Act(action="user.suspended", target="ada"), PAGE + 1)
    write(database, Act(action="user.reactivated", target="bob"))

    page = admin.get("/admin/audit?action=user.suspended&kind=&target=").text

    assert "bob" not in page
    assert '<option value="user.suspended" selected>' in page
    assert 'href="/admin/audit/export?action=user.suspended&amp;format=csv"' in page
    assert 'href="/admin/audit?action=user.suspended&amp;cursor=' in page
