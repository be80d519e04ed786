"""A real Chromium that blocks third-party cookies, with Allclose in a frame of another site.

127.0.0.1 and localhost are different sites: the platform's pages are on the second one.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright
from sqlalchemy import select, update

from app.courses.model import Member
from app.database.engine import Database
from app.lti.model import Platform
from tests.lti.peer import Peer
from tests.web.browser import ARGUMENTS, PATIENCE_MS, find_chromium

pytestmark = pytest.mark.browser
BLOCKED = {"profile": {"block_third_party_cookies": True, "cookie_controls_mode": 1}}


@pytest.fixture
def pages(peer: Peer, platform: Platform, database: Database) -> str:
    """The address of the platform's pages."""
    address = peer.url.replace("127.0.0.1", "localhost")
    with database.transaction() as session:
        session.execute(update(Platform).where(Platform.id == platform.id).values(web_address=address))
    return address


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    profile = tmp_path / "profile" / "Default"
    profile.mkdir(parents=True)
    (profile / "Preferences").write_text(json.dumps(BLOCKED))
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile.parent, executable_path=find_chromium(), args=ARGUMENTS
        )
        context.set_default_timeout(PATIENCE_MS)
        yield context.new_page()
        context.close()


@pytest.mark.usefixtures("course")
def test_a_student_signs_in_through_the_button_of_a_frame(
    pages: str, page: Page, tool: str, database: Database
) -> None:
    page.goto(f"{pages}/frame")
    frame = page.frame_locator("iframe")

    with page.expect_popup() as opened:
        frame.get_by_role("link", name="Open Allclose").click()
    window = opened.value

    expect(window.get_by_role("heading", name="Machine learning")).to_be_visible()
    assert window.url == f"{tool}/courses/ml"
    window.reload()
    expect(window.get_by_role("button", name="Sign out")).to_be_visible()
    with database.transaction() as session:
        assert len(session.scalars(select(Member)).all()) == 1


def test_this_browser_keeps_no_cookie_in_a_frame(pages: str, page: Page) -> None:
    for _ in range(2):
        page.goto(f"{pages}/frame_of_own")
        expect(page.frame_locator("iframe").get_by_text("forgotten")).to_be_visible()


@pytest.mark.usefixtures("course")
def test_no_other_page_can_be_framed(pages: str, page: Page) -> None:
    closed = ("/", "/courses/ml", "/sign-in", "/lti/login", "/lti/launch", "/lti/launches/00", "/admin", "/help/lti")
    for path in closed:
        page.goto(f"{pages}/frame_of?path={path}")
        page.frames[1].wait_for_url("chrome-error://chromewebdata/")
