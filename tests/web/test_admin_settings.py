"""The page of settings, and what they do to other pages."""

from datetime import UTC, datetime

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from app.accounts.model import ApiToken
from app.accounts.token import create_token
from app.database.engine import Database
from app.submissions.model import Submission
from tests.factories import make_judging, make_user


def test_a_setting_is_saved_from_its_own_form(admin: TestClient) -> None:
    answer = admin.post("/admin/settings/max_pending", data={"value": "7"})

    assert (answer.status_code, answer.headers["location"]) == (303, "/admin/settings?saved=max_pending#max_pending")
    page = admin.get("/admin/settings?saved=max_pending").text
    assert "max_pending saved." in page
    assert 'value="7"' in page
    assert "by grace" in page


def test_a_wrong_value_stays_in_the_field_with_its_limit(admin: TestClient) -> None:
    answer = admin.post("/admin/settings/max_pending", data={"value": "0"})

    assert answer.status_code == 422
    assert "max_pending is 0: it should be greater than or equal to 1" in answer.text
    assert 'value="0"' in answer.text


def test_words_are_no_number(admin: TestClient) -> None:
    answer = admin.post("/admin/settings/max_pending", data={"value": "many"})

    assert answer.status_code == 422
    assert "it should be a whole number from 1 to 10000" in answer.text


def test_an_empty_field_is_for_ever_where_it_may_be(admin: TestClient) -> None:
    admin.post("/admin/settings/keep_submissions_days", data={"value": "30"})

    answer = admin.post("/admin/settings/keep_submissions_days", data={"value": ""})

    assert answer.status_code == 303


def make_old(database: Database) -> None:
    with database.transaction() as session:
        judging = make_judging(session, state="done", verdict="wrong_answer")
        at = datetime(2020, 1, 1, tzinfo=UTC)
        session.execute(update(Submission).where(Submission.id == judging.submission_id).values(created_at=at))


def test_what_would_be_removed_is_said_before_it_is_saved(admin: TestClient, database: Database) -> None:
    make_old(database)

    unsure = admin.post("/admin/settings/keep_submissions_days", data={"value": "30"})
    sure = admin.post("/admin/settings/keep_submissions_days", data={"value": "30", "sure": "yes"})
    longer = admin.post("/admin/settings/keep_submissions_days", data={"value": "40"})

    assert (unsure.status_code, sure.status_code, longer.status_code) == (409, 303, 303)
    assert "With 30 days, 1 submissions will be permanently deleted within the hour." in unsure.text
    assert '<input type="checkbox" name="sure" value="yes" required>' in unsure.text
    assert 'value="30"' in unsure.text


def test_a_default_that_removes_is_asked_for_too(admin: TestClient, database: Database) -> None:
    admin.post("/admin/settings/keep_ended_days", data={"value": ""})
    with database.transaction() as session:
        create_token(session, make_user(session).id, "old")
        session.execute(update(ApiToken).values(revoked_at=datetime(2020, 1, 1, tzinfo=UTC)))

    unsure = admin.post("/admin/settings/keep_ended_days", data={"value": "", "act": "reset"})
    sure = admin.post("/admin/settings/keep_ended_days", data={"value": "", "act": "reset", "sure": "yes"})

    assert (unsure.status_code, sure.status_code) == (409, 303)
    assert '<input type="hidden" name="act" value="reset">' in unsure.text


def test_a_setting_goes_back_to_its_default(admin: TestClient) -> None:
    admin.post("/admin/settings/announcement", data={"value": "Exam today"})

    admin.post("/admin/settings/announcement", data={"value": "Exam today", "act": "reset"})

    assert "Exam today" not in admin.get("/admin/settings").text


def test_an_announcement_stands_on_every_page_and_its_markup_is_text(admin: TestClient) -> None:
    admin.post("/admin/settings/announcement", data={"value": "<b>Exam</b> at nine"})

    for path in ("/", "/problems", "/sign-in", "/admin/settings", "/nowhere"):
        assert "&lt;b&gt;Exam&lt;/b&gt; at nine" in admin.get(path).text, path


@pytest.mark.parametrize("policy", [{"announcement": "Closed on Friday"}], indirect=True)
def test_strangers_read_the_announcement(anyone: TestClient) -> None:
    assert "Closed on Friday" in anyone.get("/").text


def test_a_setting_that_there_is_not_is_not_found(admin: TestClient) -> None:
    assert admin.post("/admin/settings/nothing", data={"value": "7"}).status_code == 404


def test_students_are_refused(ada: TestClient) -> None:
    assert ada.get("/admin/settings").status_code == 403
    assert ada.post("/admin/settings/max_pending", data={"value": "7"}).status_code == 403


def test_another_site_can_not_change_a_setting(admin: TestClient) -> None:
    answer = admin.post(
        "/admin/settings/max_pending", data={"value": "7"}, headers={"Origin": "https://elsewhere.invalid"}
    )

    assert answer.status_code == 403
