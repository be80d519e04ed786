"""A student's first hour: Chromium, the server as it is, real boxes; and the server is restarted in the middle."""

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.serving import RIGHT, SLUG, Served, serve
from tests.web.browser import chromium, visit

SETTINGS = {"ALLCLOSE_SANDBOX": "bubblewrap"}
WRONG = "import numpy as np\n\n\ndef standardise(x, eps):\n    return x - x.mean()\n"
JUDGED_MS = 120_000


def write(page: Page, source: str) -> None:
    page.get_by_label("Your solution").fill(source)


def expect_verdict(page: Page, words: str) -> None:
    expect(page.locator(".banner .title")).to_contain_text(words, timeout=JUDGED_MS)


@pytest.mark.browser
@pytest.mark.whole
def test_a_visitor_runs_the_samples_without_an_account(served: Served) -> None:
    with chromium() as browser, browser.new_context() as context:
        visitor = visit(context, served.url)
        visitor.open(f"/problems/{SLUG}")
        write(visitor.page, WRONG)
        visitor.page.keyboard.press("Shift+Enter")
        expect_verdict(visitor.page, "Wrong answer")

        write(visitor.page, RIGHT)
        visitor.page.get_by_role("button", name="Run samples").click()

        expect_verdict(visitor.page, "Sample cases passed")
        assert visitor.complaints == []


@pytest.mark.browser
@pytest.mark.timeout(600)
def test_from_signing_up_over_a_wrong_answer_and_a_restart_to_accepted(tmp_path: Path) -> None:
    with chromium() as browser, browser.new_context(color_scheme="dark") as context:
        with serve(tmp_path / "data", SETTINGS) as served:
            student = visit(context, served.url)
            page = student.page
            student.sign_up("grace")
            student.open(f"/problems/{SLUG}")
            write(page, WRONG)
            page.keyboard.press("Shift+Enter")
            expect_verdict(page, "Wrong answer")
            expect(page.locator("figure.picture svg").first).to_be_visible()
            assert student.complaints == []
            write(page, RIGHT)
            page.keyboard.press("Control+Enter")
            expect(page.locator(".banner .title")).not_to_contain_text("Wrong answer")
        port = httpx.URL(served.url).port
        assert port
        with serve(tmp_path / "data", SETTINGS, port):
            expect_verdict(page, "Accepted")
            page.reload()
            expect(page.get_by_label("Your solution")).to_contain_text("x.var()")
            page.goto(f"{served.url}/submissions")
            expect(page.get_by_role("main")).to_contain_text("Accepted")
