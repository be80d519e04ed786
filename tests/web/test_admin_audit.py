"""The page of the audit log."""

from fastapi.testclient import TestClient

from app.audit import COMMAND, Act, record
from app.database.cursor import PAGE
from app.database.engine import Database


def write(database: Database, act: Act, number: int = 1) -> None:
    with database.transaction() as session:
        for _ in range(number):
            record(session, COMMAND, act)


def test_the_page_shows_what_a_field_was_and_is(admin: TestClient) -> None:
    admin.post("/admin/settings", data={"max_pending": "7"})

    page = admin.get("/admin/audit").text

    assert "setting.changed" in page
    assert '<a href="/admin/audit?actor=grace">grace</a>' in page
    assert '<del><span class="hidden-visually">was </span>20</del>' in page
    assert '<ins><span class="hidden-visually">is </span>7</ins>' in page


def test_filters_stay_in_the_form_in_the_pages_and_in_the_file(admin: TestClient, database: Database) -> None:
    write(database, Act(action="user.suspended", target="ada"), PAGE + 1)
    write(database, Act(action="user.reactivated", target="bob"))

    page = admin.get("/admin/audit?action=user.suspended&kind=&target=").text

    assert "bob" not in page
    assert '<option value="user.suspended" selected>' in page
    assert 'href="/admin/audit/export?action=user.suspended&amp;format=csv"' in page
    assert 'href="/admin/audit?action=user.suspended&amp;cursor=' in page


def test_the_file_has_what_the_filters_let_through(admin: TestClient, database: Database) -> None:
    write(database, Act(action="user.suspended", target="ada"))
    write(database, Act(action="user.reactivated", target="bob"))

    answer = admin.get("/admin/audit/export?action=user.reactivated&format=csv")

    assert "bob" in answer.text
    assert "ada" not in answer.text


def test_markup_in_a_value_is_text(admin: TestClient, database: Database) -> None:
    write(database, Act(action="user.suspended", target="<script>", before={"<b>": "<i>"}))

    page = admin.get("/admin/audit").text

    assert "<script>" not in page.partition("What was done")[2].partition("</table>")[0]
    assert "&lt;b&gt;" in page


def test_an_empty_log_says_so(admin: TestClient) -> None:
    assert "No entries yet." in admin.get("/admin/audit").text
    assert "No matching entries." in admin.get("/admin/audit?actor=grace&action=user.erased").text


def test_a_user_who_is_not_there_is_said_to_be_unknown_and_the_form_stays(admin: TestClient) -> None:
    page = admin.get("/admin/audit?actor=nobody")

    assert page.status_code == 200
    assert "There is no user" in page.text
    assert 'value="nobody"' in page.text


def test_an_action_that_is_never_done_is_named(admin: TestClient) -> None:
    wrong = admin.get("/admin/audit?action=nonsense")

    assert wrong.status_code == 422
    assert "ction is &#39;nonsense&#39;" in wrong.text
    assert "user.suspended" in wrong.text


def test_a_time_that_is_none_is_named(admin: TestClient) -> None:
    answer = admin.get("/admin/audit?since=yesterday")

    assert answer.status_code == 422
    assert "write it as 2026-01-31T09:00, in UTC" in answer.text


def test_students_are_refused(ada: TestClient) -> None:
    assert ada.get("/admin/audit").status_code == 403
    assert ada.get("/admin/audit/export").status_code == 403
