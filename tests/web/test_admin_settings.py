"""The page of settings, and what they do to other pages."""

import re
from datetime import UTC, datetime

from fastapi.testclient import TestClient
from playwright.sync_api import expect
from sqlalchemy import func, select, update

from app.audit import AuditEvent
from app.database.engine import Database
from app.policy import Policy, PolicyRow, read_policy
from app.submissions.model import Submission
from tests.factories import make_judging, set_policy
from tests.transaction import commit, fetch_all
from tests.web.browser import PATIENCE_MS

expect.set_options(timeout=PATIENCE_MS)
HOME = "/admin/settings"


def read(database: Database) -> Policy:
    return commit(database, read_policy)


def value_of(page: str, name: str) -> str:
    found = re.search(rf'name="{re.escape(name)}" value="([^"]*)"', page)
    assert found is not None, name
    return found[1]


def test_each_setting_has_words_a_group_and_its_default(admin: TestClient) -> None:
    page = admin.get(HOME).text

    assert "Other settings" not in page
    for name in Policy.model_fields:
        assert f'<div class="setting" id="{name}">' in page
    assert '<label for="max_pending-value">Unfinished submissions</label>' in page
    labels = re.findall(r'<label for="\w+-value">(.+?)</label>', page)
    assert len(set(labels)) == len(Policy.model_fields)
    assert "default: 20" in page
    assert "seconds per hour" in page
    assert page.count('<button class="primary">Save</button>') == 1


def test_several_settings_are_saved_at_once(admin: TestClient, database: Database) -> None:
    answer = admin.post(HOME, data={"max_pending": "7", "announcement": "Exam today", "max_queue_minutes": "10"})

    assert answer.headers["location"] == f"{HOME}?saved=max_pending,announcement,max_queue_minutes"
    page = admin.get(answer.headers["location"]).text
    assert "Unfinished submissions, Announcement" in page
    assert "by grace" in page
    assert (read(database).max_pending, read(database).announcement) == (7, "Exam today")


def test_a_number_is_accepted_in_the_form_in_which_it_is_shown(admin: TestClient, database: Database) -> None:
    name = "judging_seconds_per_hour"
    page = admin.get(HOME).text

    same = admin.post(HOME, data={name: "3600", f"seen.{name}": "3,600"})
    answer = admin.post(HOME, data={name: "7,200", f"seen.{name}": "3,600"})
    wrong = [admin.post(HOME, data={name: text, f"seen.{name}": "7,200"}) for text in ("7,5", "0,500", "7,20")]

    assert value_of(page, name) == "3,600"
    assert "1 to 1,000,000 · default: 3,600 (1 hour)" in re.sub(r"\s+", " ", page)
    assert same.headers["location"].endswith("?saved=nothing")
    assert answer.headers["location"].endswith(f"?saved={name}")
    assert read(database).judging_seconds_per_hour == 7200
    assert [each.status_code for each in wrong] == [422] * 3


def test_only_changed_settings_are_saved(admin: TestClient, database: Database) -> None:
    shown = {"max_pending": "20", "seen.max_pending": "20", "max_queue_minutes": "5", "seen.max_queue_minutes": "10"}

    answer = admin.post(HOME, data=shown)
    again = admin.post(HOME, data={"max_pending": "20", "seen.max_pending": "20"})

    assert answer.headers["location"].endswith("?saved=max_queue_minutes")
    assert again.headers["location"].endswith("?saved=nothing")
    with database.transaction() as session:
        assert session.scalars(select(PolicyRow.name)).all() == ["max_queue_minutes"]
        assert session.scalars(select(func.count()).select_from(AuditEvent)).one() == 1


def test_wrong_values_are_explained_at_their_fields_and_all_typed_values_stay(
    admin: TestClient, database: Database
) -> None:
    answer = admin.post(HOME, data={"max_pending": "0", "max_queue_minutes": "many", "announcement": "Exam"})

    assert answer.status_code == 422
    assert "max_pending is &#39;0&#39;: it should be a whole number from 1 to 10,000." in answer.text
    assert "it should be a whole number from 1 to 10,000" in answer.text
    assert "Nothing was saved: 2 fields have errors." in answer.text
    names = ("max_pending", "max_queue_minutes", "announcement")
    assert [value_of(answer.text, name) for name in names] == ["0", "many", "Exam"]
    assert read(database) == Policy()


def test_a_value_that_another_admin_changed_meanwhile_is_not_overwritten(admin: TestClient, database: Database) -> None:
    commit(database, set_policy, max_pending=30)

    stale = admin.post(HOME, data={"max_pending": "7", "seen.max_pending": "20"})
    again = admin.post(HOME, data={"max_pending": "7", "seen.max_pending": value_of(stale.text, "seen.max_pending")})

    assert stale.status_code == 409
    assert "It was 20 when you looked, and a command has made it 30 since." in stale.text
    assert (again.status_code, read(database).max_pending) == (303, 7)


def make_old(database: Database) -> None:
    with database.transaction() as session:
        judging = make_judging(session, verdict="wrong_answer")
        at = datetime(2020, 1, 1, tzinfo=UTC)
        session.execute(update(Submission).where(Submission.id == judging.submission_id).values(created_at=at))


def test_a_setting_that_deletes_submissions_is_saved_after_a_warning(admin: TestClient, database: Database) -> None:
    make_old(database)
    form = {"keep_submissions_days": "30", "announcement": "Exam"}

    unsure = admin.post(HOME, data=form)
    sure = admin.post(HOME, data=form | {"sure": "yes"})
    longer = admin.post(HOME, data={"keep_submissions_days": "40"})

    assert (unsure.status_code, sure.status_code, longer.status_code) == (409, 303, 303)
    assert "With 30 days, 1 submissions will be permanently deleted within the hour." in unsure.text
    assert '<input type="checkbox" name="sure" value="yes" required autofocus>' in unsure.text
    assert (value_of(unsure.text, "keep_submissions_days"), value_of(unsure.text, "announcement")) == ("30", "Exam")


def test_a_default_is_entered_first_and_saved_with_the_rest(admin: TestClient, database: Database) -> None:
    admin.post(HOME, data={"max_pending": "7"})

    entered = admin.post(HOME, data={"max_pending": "7", "seen.max_pending": "7", "reset": "max_pending"})
    assert "The default of “Unfinished submissions” is entered. Save to apply it." in entered.text
    assert (value_of(entered.text, "max_pending"), read(database).max_pending) == ("20", 7)

    admin.post(HOME, data={"max_pending": "20", "seen.max_pending": value_of(entered.text, "seen.max_pending")})
    assert fetch_all(database, select(PolicyRow)) == []


def test_an_announcement_is_shown_as_text_on_every_page(admin: TestClient) -> None:
    admin.post(HOME, data={"announcement": "<b>Exam</b> at nine"})

    for path in ("/", "/problems", "/sign-in", HOME, "/nowhere"):
        assert "&lt;b&gt;Exam&lt;/b&gt; at nine" in admin.get(path).text, path


def test_an_empty_number_of_days_keeps_submissions_for_ever(admin: TestClient, database: Database) -> None:
    admin.post(HOME, data={"keep_submissions_days": "30"})

    answer = admin.post(HOME, data={"keep_submissions_days": "", "seen.keep_submissions_days": "30"})

    assert (answer.status_code, read(database).keep_submissions_days) == (303, None)
