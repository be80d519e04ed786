"""The day at a glance, storage, and the state of problems."""

import pytest
from fastapi.testclient import TestClient

from app.database.engine import Database
from tests.factories import make_judging, make_worker, set_policy


def test_the_overview_leads_to_what_it_counts(admin: TestClient, database: Database) -> None:
    with database.transaction() as session:
        make_judging(session, state="done", verdict="wrong_answer")
        make_worker(session, "cpu")

    page = admin.get("/admin").text

    for place in ("queue", "judge-errors", "submissions", "users", "invitations", "rejudgings", "problems", "storage"):
        assert f'href="/admin/{place}"' in page
    assert 'href="/admin/submissions?verdict=wrong_answer"' in page


def test_an_empty_day_says_so(admin: TestClient) -> None:
    page = admin.get("/admin").text

    assert "No submissions in the last 24 hours." in page
    assert "nothing is being judged" in page


def test_each_problem_leads_to_its_revisions_and_to_a_rejudging(admin: TestClient) -> None:
    page = admin.get("/admin/problems").text

    assert 'href="/author/problems/scaled_sum"' in page
    assert 'href="/admin/rejudgings/new?problem=scaled_sum"' in page
    assert 'href="/admin/submissions?problem=scaled_sum&amp;revision=1"' in page
    assert "0 of " in page


def test_storage_says_what_would_be_removed_and_by_which_setting(admin: TestClient, database: Database) -> None:
    with database.transaction() as session:
        set_policy(session, keep_submissions_days=30)

    page = admin.get("/admin/storage").text

    assert 'href="/admin/settings#keep_submissions_days"' in page
    assert "30 days" in page
    assert "Not run yet." in page


@pytest.mark.parametrize("path", ["/admin", "/admin/problems", "/admin/storage"])
def test_students_are_refused(ada: TestClient, path: str) -> None:
    assert ada.get(path).status_code == 403
