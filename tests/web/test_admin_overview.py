"""The day at a glance, storage, and the state of problems."""

import html
import re
import shutil
from datetime import UTC, datetime

import pytest
from fastapi.testclient import TestClient

from app.database.engine import Database
from tests.factories import make_judging, make_worker, set_policy


def test_the_overview_leads_to_what_it_counts(admin: TestClient, database: Database) -> None:
    with database.transaction() as session:
        make_judging(session, state="done", verdict="wrong_answer")
        make_judging(session)
        make_worker(session, "cpu")

    page = admin.get("/admin").text

    for place in ("queue", "judge-errors", "submissions", "users", "invitations", "rejudgings", "problems", "storage"):
        assert f'href="/admin/{place}"' in page
    assert 'href="/admin/submissions?verdict=wrong_answer"' in page
    assert '<a href="/admin/queue">Not judged yet</a>' in page


def test_numbers_that_need_attention_come_first_with_a_word(admin: TestClient, database: Database) -> None:
    with database.transaction() as session:
        make_judging(session, state="done", verdict="judge_error", finished_at=datetime.now(UTC))

    page = admin.get("/admin").text

    assert "2 numbers need attention" in page
    urgent, rest = page.split('class="urgent"')[1].split("</section>")[0], page.split("</section>")[1]
    assert urgent.count("Needs attention") == 2
    assert "Judge errors" in urgent
    assert "Workers" in urgent
    assert "Submissions" in rest
    assert "Needs attention" not in rest


@pytest.mark.parametrize("path", ["/admin", "/admin/storage"])
def test_a_disk_that_is_nearly_full_needs_attention(
    admin: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    with database.transaction() as session:
        make_worker(session, "cpu")
    usage = shutil.disk_usage(__file__)

    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage._replace(free=usage.total * 6 // 100))
    calm = admin.get(path).text
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage._replace(free=usage.total * 4 // 100))
    full = admin.get(path).text

    assert "Needs attention" not in calm
    assert full.count("Needs attention") == 1


def test_a_quiet_day_says_that_nothing_needs_attention(admin: TestClient, database: Database) -> None:
    with database.transaction() as session:
        make_worker(session, "cpu")

    assert "Nothing needs attention." in admin.get("/admin").text


@pytest.mark.parametrize(
    ("path", "empty"),
    [
        ("/admin/problems?q=nothing&state=ready", "No matching problems."),
        ("/admin/invitations?state=used", "No matching invitations."),
        ("/admin/rejudgings?decision=applied", "No matching rejudgings."),
        ("/admin/users?q=nothing&role=author", "No matching users."),
        ("/admin/submissions?verdict=accepted&mode=sample", "No matching submissions."),
        ("/admin/audit?action=user.suspended", "No matching entries."),
    ],
)
def test_a_filter_is_in_the_address_and_in_its_field(admin: TestClient, path: str, empty: str) -> None:
    page = admin.get(path).text

    assert empty in page
    for value in (part.partition("=")[2] for part in path.partition("?")[2].split("&")):
        assert f'value="{value}"' in page


def test_the_next_page_of_a_list_keeps_its_filters(admin: TestClient) -> None:
    for number in range(51):
        admin.post("/admin/invitations", data={"note": f"guest {number}"})

    first = admin.get("/admin/invitations?state=open").text
    following = re.search(r'href="(/admin/invitations\?state=open&amp;cursor=[^"]+)"', first)

    assert following is not None
    second = admin.get(html.unescape(following[1])).text
    assert "guest 0<" in second
    assert '<option value="open" selected>' in second
    assert 'href="/admin/invitations?state=open"' in second


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
