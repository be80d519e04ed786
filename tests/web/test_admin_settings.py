"""The page of settings, and what they do to other pages."""

import pytest
from fastapi.testclient import TestClient


def test_a_setting_is_saved_from_its_own_form(admin: TestClient) -> None:
    answer = admin.post("/admin/settings/max_pending", data={"value": "7"})

    assert (answer.status_code, answer.headers["location"]) == (303, "/admin/settings?saved=max_pending#max_pending")
    page = admin.get("/admin/settings?saved=max_pending").text
    assert "max_pending is saved, and holds from now on." in page
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
