"""The way from the history to a difference and back into the editor, in a real browser and by keyboard alone."""

import pytest
from playwright.sync_api import Browser, Page, expect

from app.database.engine import Database
from tests.web.browser import PATIENCE_MS, visit
from tests.web.judged import all_right, judge

pytestmark = pytest.mark.browser
expect.set_options(timeout=PATIENCE_MS)

PROBLEM = "/problems/scaled_sum"
FIRST = "def scaled_sum(x, y, scale, options):\n    return x.sum()\n"
SECOND = "def scaled_sum(x, y, scale, options):\n    return x.sum() * scale\n"


def send(page: Page, address: str, source: str) -> None:
    page.request.post(f"{address}{PROBLEM}/submissions", form={"source": source, "mode": "submit"})


@pytest.mark.whole
def test_two_submissions_are_chosen_compared_and_one_is_copied_back(
    browser: Browser, address: str, database: Database
) -> None:
    with browser.new_context() as context:
        ada = visit(context, address)
        page = ada.page
        ada.sign_up("ada")
        send(page, address, FIRST)
        send(page, address, SECOND)
        judge(database, *all_right())
        page.request.put(f"{address}{PROBLEM}/draft", data={"source": "typed = 1\n", "base": None})

        ada.open("/submissions")
        for box in page.get_by_role("checkbox").all():
            box.focus()
            page.keyboard.press("Space")
        page.get_by_role("button", name="Compare selected").press("Enter")
        expect(page.locator("ins")).to_have_text("* scale")
        page.get_by_role("link", name="Side by side").press("Enter")
        expect(page.locator("td.removed").last).to_contain_text("return x.sum()")
        page.get_by_role("button", name="Copy the earlier one to the editor").press("Enter")

        editor = page.get_by_role("textbox", name="Your solution")
        expect(editor).to_contain_text("return x.sum()")
        expect(editor).not_to_contain_text("* scale")
        page.get_by_role("button", name="Open the other one").click()
        expect(editor).to_contain_text("typed = 1")
        assert ada.complaints == []
