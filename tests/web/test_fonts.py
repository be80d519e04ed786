"""The bundled fonts, and the ways past the navigation, in a real browser."""

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, Page, expect

from app.catalog.package import load_package
from app.catalog.publish import publish
from app.database.engine import Database
from app.settings import ROOT
from app.web.render import SITE_SHEET, STATIC, read_static, static_url
from tests.web.browser import visit

browser_test = pytest.mark.browser
PROBLEM = "/problems/scaled_sum"
WITH_FORMULAS = ROOT / "problems" / "microbatched_grads"
MOST_BYTES = {"text.woff2": 36_000, "code.woff2": 16_000, "maths.woff2": 90_000}
LOADED = (
    "document.fonts.ready.then(fonts => [...fonts].filter(font => font.status === 'loaded').map(font => font.family))"
)


@pytest.mark.parametrize("name", sorted(MOST_BYTES))
def test_a_font_is_small_and_cached_forever(anyone: TestClient, name: str) -> None:
    answer = anyone.get(static_url(f"fonts/{name}"))

    assert answer.headers["content-type"] == "font/woff2"
    assert "immutable" in answer.headers["cache-control"]
    assert answer.content.startswith(b"wOF2")
    assert len(answer.content) < MOST_BYTES[name]


def test_the_style_sheet_names_the_fonts_by_the_addresses_that_pages_preload() -> None:
    sheet = read_static(SITE_SHEET).decode()

    for name in MOST_BYTES:
        assert f"url({static_url(f'fonts/{name}')})" in sheet


def test_the_licences_of_the_fonts_are_beside_them(anyone: TestClient) -> None:
    licences = (STATIC / "fonts" / "licenses.txt").read_text()

    assert licences.count("SIL OPEN FONT LICENSE") >= len(MOST_BYTES)
    assert static_url("fonts/licenses.txt") in anyone.get("/about").text


@pytest.mark.whole
@browser_test
def test_pages_use_the_bundled_fonts_and_load_no_more_than_they_show(
    browser: Browser, address: str, database: Database
) -> None:
    with database.transaction() as session:
        publish(session, load_package(WITH_FORMULAS))
    with browser.new_context() as context:
        visitor = visit(context, address)
        visitor.open("/sign-in")
        plain = loaded(visitor.page)
        visitor.open("/problems/microbatched_grads")
        visitor.page.locator("math").first.wait_for()
        full = loaded(visitor.page)

    assert plain == {"Inter"}
    assert full == {"Inter", "JetBrains Mono", "STIX Two Math"}
    assert visitor.complaints == []


@browser_test
@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.whole)])
def test_the_first_key_presses_lead_past_the_navigation(browser: Browser, address: str, width: int) -> None:
    with browser.new_context(viewport={"width": width, "height": 800}) as context:
        page = visit(context, address).page
        page.goto(address + PROBLEM)
        editor = page.get_by_label("Your solution")
        page.locator(".cm-content").first.wait_for(state="attached")

        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
        expect(page.get_by_role("link", name="Skip to content")).to_be_in_viewport()
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the editor")).to_be_focused()
        expect(page.get_by_role("link", name="Skip to the editor")).to_be_in_viewport()
        page.keyboard.press("Enter")

        expect(editor).to_be_focused()
        expect(editor).to_be_in_viewport()


def loaded(page: Page) -> set[str]:
    """Return the families that the page loaded, without the system's fonts that stand in at first."""
    families = {family.strip('"') for family in page.evaluate(LOADED)}
    return {family for family in families if not family.startswith("Like ")}
