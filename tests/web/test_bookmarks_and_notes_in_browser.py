"""Bookmarks, notes, combined filters, corrected searches and going on, in a real browser."""

import pytest
from playwright.sync_api import Locator, expect

from app.catalog.publish import publish
from app.database.engine import Database
from tests.catalog.packages import make_listed
from tests.web.browser import PATIENCE_MS, Visitor

expect.set_options(timeout=PATIENCE_MS)
pytestmark = pytest.mark.browser

PROBLEM = "/problems/scaled_sum"


def note(visitor: Visitor) -> Locator:
    return visitor.page.get_by_role("textbox", name="My note")


def write(visitor: Visitor, text: str) -> None:
    panel = visitor.page.locator("details.note")
    if panel.get_attribute("open") is None:
        panel.locator("summary").click()
    note(visitor).fill(text)


def said(visitor: Visitor) -> Locator:
    return visitor.page.locator(".note [data-status]")


@pytest.mark.whole
def test_a_bookmark_toggles_in_place_and_the_list_shows_only_bookmarked_ones(
    laptop: Visitor, database: Database
) -> None:
    with database.transaction() as session:
        publish(session, make_listed("scan", "track: basics\nposition: 2\n"))
    laptop.sign_up("ada")
    laptop.open("/problems")
    button = laptop.page.get_by_role("button", name="Bookmark Scaled sum")
    expect(button).to_have_attribute("aria-pressed", "false")

    button.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    laptop.page.reload()
    expect(button).to_have_attribute("aria-pressed", "true")
    laptop.page.get_by_role("link", name="Bookmarked 1").click()
    expect(laptop.page.locator(".problem-list > li")).to_have_count(1)
    laptop.open(PROBLEM)
    own = laptop.page.get_by_role("button", name="Bookmark")
    own.click()
    expect(own).to_have_attribute("aria-pressed", "false")

    assert laptop.complaints == []


def test_a_bookmark_after_the_session_has_ended_asks_to_sign_in(laptop: Visitor) -> None:
    laptop.sign_up("ada")
    laptop.open("/problems")
    laptop.page.context.clear_cookies()

    laptop.page.get_by_role("button", name="Bookmark Scaled sum").click()

    laptop.page.get_by_role("button", name="Sign in").wait_for()


def test_a_note_is_saved_while_typing_and_is_there_on_another_device(laptop: Visitor, phone: Visitor) -> None:
    laptop.sign_up("ada")
    laptop.open(PROBLEM)
    write(laptop, "Subtract the maximum.")
    expect(said(laptop)).to_have_text("Note saved")
    laptop.page.reload()
    expect(note(laptop)).to_have_value("Subtract the maximum.")

    phone.sign_in("ada")
    phone.open(PROBLEM)
    expect(note(phone)).to_have_value("Subtract the maximum.")
    assert laptop.complaints == phone.complaints == []


@pytest.mark.parametrize(
    ("choice", "kept"),
    [
        pytest.param("Keep both", "of the laptop\n\nof the phone", marks=pytest.mark.whole),
        pytest.param("Keep mine", "of the laptop", marks=pytest.mark.whole),
        pytest.param("Take the other", "of the phone", marks=pytest.mark.whole),
    ],
)
def test_a_note_changed_on_two_devices_is_not_overwritten(
    laptop: Visitor, phone: Visitor, choice: str, kept: str
) -> None:
    laptop.sign_up("ada")
    phone.sign_in("ada")
    for visitor in (laptop, phone):
        visitor.open(PROBLEM)
    write(phone, "of the phone")
    expect(said(phone)).to_have_text("Note saved")

    write(laptop, "of the laptop")
    conflict = laptop.page.get_by_role("alert").filter(has_text="You changed this note elsewhere")
    expect(conflict).to_contain_text("of the phone")
    expect(note(laptop)).to_have_value("of the laptop")
    laptop.page.get_by_role("button", name=choice).click()
    expect(conflict).to_be_hidden()
    expect(said(laptop)).to_have_text("Note saved")
    phone.page.reload()

    expect(note(phone)).to_have_value(kept)


@pytest.mark.whole
def test_a_note_that_the_server_did_not_get_is_sent_when_the_page_opens_again(laptop: Visitor) -> None:
    laptop.sign_up("ada")
    laptop.open(PROBLEM)
    laptop.page.route("**/note", lambda route: route.abort())
    write(laptop, "typed in a tunnel")
    expect(said(laptop)).to_contain_text("not yet on the server")

    laptop.page.unroute("**/note")
    laptop.page.reload()

    expect(note(laptop)).to_have_value("typed in a tunnel")
    expect(said(laptop)).to_have_text("Note saved")
