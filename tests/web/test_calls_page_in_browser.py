"""The page that shows all calls of the REST API, in a real browser."""

from typing import Literal

import pytest
from playwright.sync_api import Browser, expect

from app.accounts.token import create_token
from app.database.engine import Database
from tests.factories import make_user
from tests.web.browser import visit

Scheme = Literal["light", "dark"]


@pytest.mark.whole
@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_call_is_tried_out_with_a_token(browser: Browser, address: str, database: Database, scheme: Scheme) -> None:
    with database.transaction() as session:
        token = create_token(session, make_user(session, "ada").id, "a try").secret
    with browser.new_context(color_scheme=scheme) as context:
        visitor = visit(context, address)
        page = visitor.page
        visitor.open("/help/calls")

        page.get_by_role("button", name="Authorize").click()
        page.get_by_label("auth-bearer-value").fill(token)
        page.get_by_role("button", name="Apply credentials").click()
        page.get_by_role("button", name="Close").click()
        page.locator("#operations-tag-users").click()
        page.locator("#operations-users-get_me .opblock-summary-control").click()
        page.get_by_role("button", name="Try it out").click()
        page.get_by_role("button", name="Execute").click()

        expect(page.locator(".live-responses-table .response-col_status").last).to_have_text("200")
        expect(page.locator(".live-responses-table")).to_contain_text('"username": "ada"')
        assert visitor.complaints == []
