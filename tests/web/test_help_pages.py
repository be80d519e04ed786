"""The pages of help, about and privacy, which everyone can read."""

import html
import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, expect

import app.web
from app.accounts.permission import RULES, Permission
from app.courses.role import COURSE_RULES
from app.database.engine import Database
from app.judging.verdicts import Verdict
from app.web.pages.lti import LAUNCH
from app.web.pages.single_sign_on import ATTEMPT
from app.web.visit import BROWSER, SESSION
from app.web.wording import WORDS
from tests.factories import make_worker
from tests.help_pages import open_help_pages
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


@pytest.mark.whole
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


@pytest.mark.whole
def test_the_guides_are_on_the_site_and_their_links_lead_to_each_other(anyone: TestClient) -> None:
    pages = {address: page.text for address, page in open_help_pages(anyone).items()}

    assert '<h2 id="preview-it-while-you-write">' in pages["/help/authors"]
    assert 'href="/help/problem-format#requirements"' in pages["/help/authors"]
    for address, page in pages.items():
        for other, anchor in re.findall(r'href="(/help/[\w-]+)?#([^"]+)"', page):
            assert f'id="{anchor}"' in pages[other or address], (address, other, anchor)
        assert not re.search(r'href="[^"]*\.md', page)
    assert (
        '<a href="/help/problem-format" rel="nofollow noopener">All keys and files of a problem</a>'
        in pages["/help/authors"]
    )
    assert anyone.get("/help/nothing").status_code == 404


def test_help_shows_who_has_each_permission(anyone: TestClient) -> None:
    page, _, of_courses = anyone.get("/help/rights").text.partition('id="courses"')

    rows = [re.findall(r"<td>(.*?)</td>", row) for row in re.findall(r"<tr><td>.*</tr>", page)]
    assert {row[0].removeprefix("<code>").removesuffix("</code>") for row in rows} == set(Permission)
    assert ["<code>problems:write</code>", RULES[Permission.WRITE_PROBLEMS].allows, "", "yes", "yes"] in rows
    in_courses = [re.findall(r"<td>(.*?)</td>", row) for row in re.findall(r"<tr><td>.*</tr>", of_courses)]
    assert [row[0] for row in in_courses] == [rule.allows for rule in COURSE_RULES.values()]
    assert in_courses[0][1:] == ["yes", "yes", "yes"]


def test_the_privacy_page_names_every_cookie(anyone: TestClient) -> None:
    page = anyone.get("/privacy").text

    made = sum(file.read_text().count("= Cookie(") for file in Path(app.web.__file__).parent.rglob("*.py"))
    cookies = (SESSION, BROWSER, ATTEMPT, LAUNCH)
    assert len(cookies) == made
    for cookie in cookies:
        assert f"<code>{cookie.name}</code>" in page
    assert "for at most 30 days" in page
