"""Drafts in a real browser, and what the server takes of them."""

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Locator, expect

from tests.web.browser import PATIENCE_MS, Visitor

expect.set_options(timeout=PATIENCE_MS)

PROBLEM = "/problems/scaled_sum"
DRAFT = f"{PROBLEM}/draft"


def write(visitor: Visitor, source: str) -> None:
    visitor.page.get_by_label("Your solution").fill(source)


def posted(visitor: Visitor) -> Locator:
    return visitor.page.locator("textarea[name=source]")


def said(visitor: Visitor) -> Locator:
    return visitor.page.locator("#draft-status")


@pytest.mark.browser
def test_a_draft_survives_a_reload_and_is_on_another_device(laptop: Visitor, phone: Visitor) -> None:
    laptop.sign_up("ada")
    laptop.open(PROBLEM)
    starter = posted(laptop).input_value()
    write(laptop, "draft = 1")
    expect(said(laptop)).to_have_text("Draft saved")
    laptop.page.reload()
    expect(posted(laptop)).to_have_value("draft = 1")

    phone.sign_in("ada")
    phone.open(PROBLEM)
    expect(posted(phone)).to_have_value("draft = 1")

    laptop.page.get_by_role("button", name="Reset to starter code").click()
    expect(posted(laptop)).to_have_value("draft = 1")
    laptop.page.get_by_role("button", name="Reset", exact=True).click()
    expect(posted(laptop)).to_have_value(starter)
    laptop.page.get_by_role("button", name="Undo").click()
    expect(posted(laptop)).to_have_value("draft = 1")
    assert laptop.complaints == phone.complaints == []


@pytest.mark.whole
@pytest.mark.browser
def test_the_newer_of_two_drafts_wins_and_the_other_can_be_restored(laptop: Visitor, phone: Visitor) -> None:
    laptop.sign_up("ada")
    laptop.open(PROBLEM)
    phone.sign_in("ada")
    phone.open(PROBLEM)
    write(phone, "on the phone")
    expect(said(phone)).to_have_text("Draft saved")

    write(laptop, "on the laptop")
    expect(laptop.page.get_by_text("You also edited this elsewhere")).to_be_visible()
    laptop.page.reload()
    laptop.page.get_by_role("button", name="Open the other one").click()
    expect(posted(laptop)).to_have_value("on the phone")
    expect(said(laptop)).to_have_text("Draft saved")

    laptop.page.get_by_role("button", name="Discard the other one").click()
    expect(laptop.page.get_by_role("button", name="Open the other one")).to_be_hidden()
    laptop.page.reload()
    expect(laptop.page.get_by_role("button", name="Open the other one")).to_be_hidden()
    expect(posted(laptop)).to_have_value("on the phone")


@pytest.mark.whole
@pytest.mark.browser
def test_a_draft_survives_signing_up(laptop: Visitor) -> None:
    laptop.open(PROBLEM)
    write(laptop, "typed = 'before'")
    expect(said(laptop)).to_have_text("Draft saved in this browser")

    laptop.page.get_by_role("link", name="or sign up").click()
    laptop.page.get_by_label("User name").fill("ada")
    laptop.page.get_by_label("Password").fill("correct horse battery")
    laptop.page.get_by_role("button", name="Sign up").click()

    expect(posted(laptop)).to_have_value("typed = 'before'")
    expect(said(laptop)).to_have_text("Draft saved")


@pytest.mark.whole
@pytest.mark.browser
def test_an_unsaved_draft_is_sent_when_the_page_opens_again(laptop: Visitor) -> None:
    laptop.sign_up("ada")
    laptop.open(PROBLEM)
    laptop.page.route("**/draft", lambda route: route.abort())
    write(laptop, "while = 'away'")
    expect(said(laptop)).to_contain_text("not yet on the server")

    laptop.page.unroute("**/draft")
    laptop.page.reload()

    expect(posted(laptop)).to_have_value("while = 'away'")
    expect(said(laptop)).to_have_text("Draft saved")


@pytest.mark.whole
def test_the_page_without_scripts_opens_with_the_draft(ada: TestClient) -> None:
    saved = ada.put(DRAFT, json={"source": "draft = 1\n", "base": None})

    assert saved.json().keys() == {"version", "has_other"}
    assert "\ndraft = 1\n</textarea>" in ada.get(PROBLEM).text
