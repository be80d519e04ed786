"""The pages of help, about and privacy, which everyone can read."""

import html

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, expect

from app.database.engine import Database
from app.judging.verdicts import Verdict
from app.web.verdict_words import WORDS
from tests.factories import make_worker
from tests.web.browser import visit


@pytest.mark.parametrize("address", ["/help", "/about", "/privacy"])
def test_every_footer_leads_to_the_pages(anyone: TestClient, address: str) -> None:
    front, page = anyone.get("/").text, anyone.get(address)

    assert f'<a href="{address}">' in front
    assert page.status_code == 200


def test_help_explains_each_verdict_that_a_submission_gets_by_itself(anyone: TestClient) -> None:
    page = anyone.get("/help").text

    for verdict in set(Verdict) - {Verdict.JUDGE_ERROR, Verdict.CANCELLED}:
        assert WORDS[verdict].advice in html.unescape(page)


def test_help_tells_the_limits_and_the_versions_of_this_deployment(anyone: TestClient, database: Database) -> None:
    without = anyone.get("/help").text
    with database.transaction() as session:
        make_worker(session, "cpu", versions={"numpy": "2.3.4", "jax": "0.10.2"})

    page = anyone.get("/help").text

    assert "their versions are not known" in without
    assert "You can have 20 unfinished submissions" in page
    assert "<code>numpy</code> 2.3.4" in page
    assert "<code>jax</code> 0.10.2" in page


def test_privacy_tells_how_long_this_deployment_keeps_submissions(anyone: TestClient) -> None:
    assert "kept until you erase your account" in anyone.get("/privacy").text


@pytest.mark.browser
def test_the_picture_of_the_tolerance_can_be_moved(browser: Browser, address: str) -> None:
    with browser.new_context() as context:
        visitor = visit(context, address)
        visitor.open("/help")
        verdict, words = visitor.page.locator("[data-verdict]"), visitor.page.locator("[data-words]")
        expect(verdict).to_have_text("within the tolerance")

        visitor.page.get_by_label("yours − expected").fill("0.02")

        expect(verdict).to_have_text("outside the tolerance")
        expect(words).to_have_text("|1.02 − 1| = 0.02 > 0 + 0.01 · 1 = 0.01")
        assert visitor.complaints == []
