"""Choosing what is judged again, in a real browser on a telephone."""

import pytest
from playwright.sync_api import Browser, expect
from sqlalchemy import update

from app.accounts.model import User
from app.database.engine import Database
from tests.web.browser import PATIENCE_MS, visit

pytestmark = pytest.mark.browser
expect.set_options(timeout=PATIENCE_MS)


@pytest.mark.whole
def test_the_button_stands_below_what_is_ticked_and_an_empty_form_is_explained(
    browser: Browser, address: str, database: Database
) -> None:
    with browser.new_context(viewport={"width": 390, "height": 844}) as context:
        grace = visit(context, address)
        grace.sign_up("grace")
        with database.transaction() as session:
            session.execute(update(User).where(User.username == "grace").values(role="admin"))
        grace.open("/admin/rejudgings/new")
        button = grace.page.get_by_role("button", name="Preview")
        tick = grace.page.get_by_label("include sample runs")

        above, below = tick.bounding_box(), button.bounding_box()
        button.click()

        assert above is not None
        assert below is not None
        assert below["y"] >= above["y"] + above["height"]
        expect(grace.page.get_by_role("alert")).to_contain_text("All submissions match")
        assert grace.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
