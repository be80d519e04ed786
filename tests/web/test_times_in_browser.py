"""Times on admins' pages, in a real browser far from Greenwich."""

from datetime import UTC, datetime

import pytest
from playwright.sync_api import Browser, expect

from app.accounts.session import start_session
from app.database.engine import Database
from app.web.visit import COOKIE
from tests.factories import make_judging, make_submission, make_user

pytestmark = pytest.mark.browser


@pytest.mark.whole
def test_a_time_that_is_copied_into_the_filter_is_the_time_that_is_shown(
    browser: Browser, address: str, database: Database
) -> None:
    with database.transaction() as session:
        submission = make_submission(session, make_user(session, "ada"))
        submission.created_at = datetime(2026, 1, 2, 23, 30, tzinfo=UTC)
        make_judging(session, submission.id)
        cookie = start_session(session, make_user(session, "grace", role="admin").id)

    with browser.new_context(timezone_id="America/New_York") as context:
        context.add_cookies([{"name": COOKIE, "value": cookie, "url": address}])
        page = context.new_page()
        page.goto(f"{address}/admin/submissions?since=2026-01-02T23:30&until=2026-01-02T23:31")
        moment = page.locator("td time").first

        # The script has seen it: what its hint says is in the reader's zone.
        expect(moment).to_have_attribute("title", "Friday, January 2, 2026 at 6:30:00 PM EST")
        assert moment.inner_text() == "2026-01-02 23:30 UTC"
