"""The page of settings, and what they do to other pages."""

import re
from datetime import UTC, datetime

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, Locator, expect
from sqlalchemy import func, select, update

from app.accounts.model import ApiToken, User
from app.accounts.token import create_token
from app.audit import AuditEvent
from app.database.engine import Database
from app.policy import Policy, PolicyRow, read_policy
from app.submissions.model import Submission
from tests.factories import make_judging, make_user, set_policy
from tests.web.browser import PATIENCE_MS, visit

expect.set_options(timeout=PATIENCE_MS)
HOME = "/admin/settings"


def read(database: Database) -> Policy:
    with database.transaction() as session:
        return read_policy(session)


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


def test_numbers_are_written_and_read_in_one_way(admin: TestClient, database: Database) -> None:
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


def test_only_what_was_changed_is_saved(admin: TestClient, database: Database) -> None:
    shown = {"max_pending": "20", "seen.max_pending": "20", "max_queue_minutes": "5", "seen.max_queue_minutes": "10"}

    answer = admin.post(HOME, data=shown)
    again = admin.post(HOME, data={"max_pending": "20", "seen.max_pending": "20"})

    assert answer.headers["location"].endswith("?saved=max_queue_minutes")
    assert again.headers["location"].endswith("?saved=nothing")
    with database.transaction() as session:
        assert session.scalars(select(PolicyRow.name)).all() == ["max_queue_minutes"]
        assert session.scalars(select(func.count()).select_from(AuditEvent)).one() == 1


def test_wrong_values_are_said_at_their_fields_and_all_typed_values_stay(admin: TestClient, database: Database) -> None:
    answer = admin.post(HOME, data={"max_pending": "0", "max_queue_minutes": "many", "announcement": "Exam"})

    assert answer.status_code == 422
    assert "max_pending is &#39;0&#39;: it should be a whole number from 1 to 10,000." in answer.text
    assert "it should be a whole number from 1 to 10,000" in answer.text
    assert "Nothing was saved: 2 fields have errors." in answer.text
    names = ("max_pending", "max_queue_minutes", "announcement")
    assert [value_of(answer.text, name) for name in names] == ["0", "many", "Exam"]
    assert read(database) == Policy()


def test_a_value_that_another_admin_changed_meanwhile_is_not_overwritten(admin: TestClient, database: Database) -> None:
    with database.transaction() as session:
        set_policy(session, max_pending=30)

    stale = admin.post(HOME, data={"max_pending": "7", "seen.max_pending": "20"})
    again = admin.post(HOME, data={"max_pending": "7", "seen.max_pending": value_of(stale.text, "seen.max_pending")})

    assert stale.status_code == 409
    assert "It was 20 when you looked, and a command has made it 30 since." in stale.text
    assert (again.status_code, read(database).max_pending) == (303, 7)


def test_an_empty_field_is_for_ever_where_it_may_be(admin: TestClient, database: Database) -> None:
    admin.post(HOME, data={"keep_submissions_days": "30"})

    answer = admin.post(HOME, data={"keep_submissions_days": "", "seen.keep_submissions_days": "30"})

    assert (answer.status_code, read(database).keep_submissions_days) == (303, None)


def make_old(database: Database) -> None:
    with database.transaction() as session:
        judging = make_judging(session, state="done", verdict="wrong_answer")
        at = datetime(2020, 1, 1, tzinfo=UTC)
        session.execute(update(Submission).where(Submission.id == judging.submission_id).values(created_at=at))


def test_what_would_be_removed_is_said_before_it_is_saved(admin: TestClient, database: Database) -> None:
    make_old(database)
    form = {"keep_submissions_days": "30", "announcement": "Exam"}

    unsure = admin.post(HOME, data=form)
    sure = admin.post(HOME, data=form | {"sure": "yes"})
    longer = admin.post(HOME, data={"keep_submissions_days": "40"})

    assert (unsure.status_code, sure.status_code, longer.status_code) == (409, 303, 303)
    assert "With 30 days, 1 submissions will be permanently deleted within the hour." in unsure.text
    assert '<input type="checkbox" name="sure" value="yes" required autofocus>' in unsure.text
    assert (value_of(unsure.text, "keep_submissions_days"), value_of(unsure.text, "announcement")) == ("30", "Exam")


def test_a_default_that_removes_is_asked_for_too(admin: TestClient, database: Database) -> None:
    admin.post(HOME, data={"keep_ended_days": "", "seen.keep_ended_days": "90"})
    with database.transaction() as session:
        create_token(session, make_user(session).id, "old")
        session.execute(update(ApiToken).values(revoked_at=datetime(2020, 1, 1, tzinfo=UTC)))
    assert read(database).keep_ended_days is None

    unsure = admin.post(HOME, data={"keep_ended_days": "90"})
    sure = admin.post(HOME, data={"keep_ended_days": "90", "sure": "yes"})

    assert (unsure.status_code, sure.status_code) == (409, 303)


def test_a_default_is_entered_first_and_saved_with_the_rest(admin: TestClient, database: Database) -> None:
    admin.post(HOME, data={"max_pending": "7"})

    entered = admin.post(HOME, data={"max_pending": "7", "seen.max_pending": "7", "reset": "max_pending"})
    assert "The default of “Unfinished submissions” is entered. Save to apply it." in entered.text
    assert (value_of(entered.text, "max_pending"), read(database).max_pending) == ("20", 7)

    admin.post(HOME, data={"max_pending": "20", "seen.max_pending": value_of(entered.text, "seen.max_pending")})
    with database.transaction() as session:
        assert session.scalars(select(PolicyRow)).all() == []


def test_an_announcement_stands_on_every_page_and_its_markup_is_text(admin: TestClient) -> None:
    admin.post(HOME, data={"announcement": "<b>Exam</b> at nine"})

    for path in ("/", "/problems", "/sign-in", HOME, "/nowhere"):
        assert "&lt;b&gt;Exam&lt;/b&gt; at nine" in admin.get(path).text, path


@pytest.mark.parametrize("policy", [{"announcement": "Closed on Friday"}], indirect=True)
def test_strangers_read_the_announcement(anyone: TestClient) -> None:
    assert "Closed on Friday" in anyone.get("/").text


def test_a_setting_that_there_is_not_changes_nothing(admin: TestClient, database: Database) -> None:
    assert admin.post(HOME, data={"nothing": "7"}).headers["location"].endswith("?saved=nothing")
    assert read(database) == Policy()


def test_students_are_refused(ada: TestClient) -> None:
    assert ada.get(HOME).status_code == 403
    assert ada.post(HOME, data={"max_pending": "7"}).status_code == 403


def test_another_site_can_not_change_a_setting(admin: TestClient) -> None:
    answer = admin.post(HOME, data={"max_pending": "7"}, headers={"Origin": "https://elsewhere.invalid"})

    assert answer.status_code == 403


def top(part: Locator) -> float:
    return float(part.evaluate("each => each.getBoundingClientRect().top"))


def below(part: Locator) -> float:
    return float(part.evaluate("each => each.getBoundingClientRect().bottom"))


@pytest.mark.whole
@pytest.mark.browser
def test_the_bar_that_saves_and_what_it_says_are_in_view_wherever_the_page_is_scrolled_to(
    browser: Browser, address: str, database: Database
) -> None:
    with browser.new_context(viewport={"width": 1024, "height": 700}) as context:
        grace = visit(context, address)
        grace.sign_up("grace")
        with database.transaction() as session:
            session.execute(update(User).values(role="admin"))
        grace.open(HOME)

        # The Enter key saves, and does not press the first field's own button.
        field = grace.page.get_by_label("Ended sessions, tokens and invitations")
        field.fill("40")
        field.press("Enter")
        expect(grace.page.get_by_role("status").get_by_text("Saved:")).to_be_in_viewport()
        assert read(database).keep_ended_days == 40

        grace.page.get_by_role("textbox", name="Unfinished submissions").fill("0")
        grace.page.get_by_role("textbox", name="Unfinished submissions").press("Enter")
        error, bar = grace.page.locator("#max_pending-error"), grace.page.locator("#save")
        expect(error).to_be_in_viewport()
        assert below(error) <= top(bar)

        grace.page.get_by_role("textbox", name="Unfinished submissions").fill("20")
        grace.page.get_by_role("textbox", name="Longest wait for new submissions").fill("0")
        grace.page.get_by_role("button", name="Save").click()
        expect(grace.page.get_by_role("alert")).to_be_in_viewport()
        grace.page.get_by_role("alert").get_by_role("link", name="Longest wait").click()
        expect(grace.page.get_by_role("textbox", name="Longest wait for new submissions")).to_be_in_viewport()
        assert [said for said in grace.complaints if "422" not in said] == []
