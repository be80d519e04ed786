"""The pages in a real browser: sign up, open a problem, submit, see the verdict arrive."""

from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from app.database import Database
from tests.web.browser import PATIENCE_MS, Visitor, visit
from tests.web.judged import all_right, answered, end, judge, record, take

pytestmark = pytest.mark.browser
expect.set_options(timeout=PATIENCE_MS)

PROBLEM = "/problems/scaled_sum"
WRONG = np.array(3, np.float32)


@pytest.fixture
def ada(browser: Browser, address: str) -> Iterator[Visitor]:
    """Signed up as `ada`, with scripts."""
    with browser.new_context() as context:
        visitor = visit(context, address)
        visitor.sign_up("ada")
        yield visitor


def submit(visitor: Visitor, source: str = "def scaled_sum(x, y, scale, options):\n    return 3\n") -> None:
    """Sends it, and opens the submission's own page."""
    visitor.open(PROBLEM)
    visitor.page.get_by_label("Your solution").fill(source)
    visitor.page.get_by_role("button", name="Submit").click()
    visitor.page.get_by_text("In the queue").first.wait_for()
    if visitor.page.url.endswith(PROBLEM):
        visitor.page.get_by_role("link", name="On a page of its own").click()
    visitor.page.wait_for_url("**/submissions/*")


def test_the_stream_brings_results_while_the_page_is_open(ada: Visitor, database: Database) -> None:
    ada.page.route("**/result", lambda route: route.abort())  # so that only the stream can bring them
    submit(ada)
    expect(ada.page.get_by_text("In the queue", exact=False).first).to_be_visible()

    taken = take(database)
    record(database, taken, answered(0, WRONG, text="printed by me"))
    expect(ada.page.get_by_text("1 of 3 cases done").first).to_be_visible()
    expect(ada.page.get_by_text("printed by me")).to_be_visible()
    end(database, taken, answered(0, WRONG, text="printed by me"), *all_right()[1:])

    expect(ada.page.locator(".banner .title")).to_contain_text("Wrong answer")
    expect(ada.page.locator(".banner")).to_contain_text("Your output is 3.0; expected 7.0")
    expect(ada.page.get_by_role("status").first).to_contain_text("Wrong answer")
    assert [complaint for complaint in ada.complaints if "ERR_FAILED" not in complaint] == []


def test_the_verdict_arrives_without_the_stream(ada: Visitor, database: Database) -> None:
    ada.page.route("**/events", lambda route: route.abort())
    submit(ada)
    judge(database, *all_right())

    expect(ada.page.locator(".banner .title")).to_contain_text("Accepted")
    assert [complaint for complaint in ada.complaints if "ERR_FAILED" not in complaint] == []


def test_the_verdict_arrives_when_the_stream_stays_silent(ada: Visitor, database: Database) -> None:
    ada.page.add_init_script("EventSource.prototype.addEventListener = () => {}")
    submit(ada)
    judge(database, *all_right())

    expect(ada.page.locator(".banner .title")).to_contain_text("Accepted")


def test_everything_works_without_scripts(browser: Browser, address: str, database: Database) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        visitor = visit(context, address)
        visitor.sign_up("grace")
        submit(visitor)
        judge(database, *all_right())

        expect(visitor.page.locator(".banner .title")).to_contain_text("Accepted")
        assert visitor.complaints == []


def test_what_a_student_opened_stays_open_when_results_come_in(ada: Visitor, database: Database) -> None:
    submit(ada)
    taken = take(database)
    record(database, taken, all_right()[0])

    case = ada.page.locator("#case-1")
    case.locator("summary").click()
    expect(case).to_have_attribute("open", "")
    end(database, taken, *all_right())

    expect(ada.page.locator(".banner .title")).to_contain_text("Accepted")
    expect(case).to_have_attribute("open", "")


def test_a_submission_is_cancelled_with_the_keyboard_while_results_come_in(ada: Visitor, database: Database) -> None:
    submit(ada)
    button = ada.page.get_by_role("button", name="Cancel")
    button.focus()
    record(database, take(database), all_right()[0])
    expect(ada.page.get_by_text("1 of 3 cases done").first).to_be_visible()

    expect(button).to_be_focused()
    ada.page.keyboard.press("Enter")

    expect(ada.page.locator(".banner .title")).to_contain_text("Cancelled")
    expect(button).to_have_count(0)
    expect(ada.page.locator(".case-row .name")).to_contain_text(["small"])
    assert ada.complaints == []
