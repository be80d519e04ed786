"""The pages in a real browser: sign up, open a problem, submit, see the verdict arrive."""

import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from app.catalog.publish import publish
from app.database.engine import Database
from tests.web.browser import PATIENCE_MS, Visitor, visit, visit_as
from tests.web.judged import all_right, answered, end, judge, make_wordy_package, record, take, wordy_results

pytestmark = pytest.mark.browser
expect.set_options(timeout=PATIENCE_MS)

PROBLEM = "/problems/scaled_sum"
WRONG = np.array(3, np.float32)


@pytest.fixture
def ada(browser: Browser, address: str, database: Database) -> Iterator[Visitor]:
    """Signed in as `ada`, with scripts."""
    with browser.new_context() as context:
        visitor = visit_as("ada", context, address, database)
        yield visitor


def submit(visitor: Visitor, source: str = "def scaled_sum(x, y, scale, options):\n    return 3\n") -> None:
    """Sends it, and opens the submission's own page."""
    visitor.open(PROBLEM)
    visitor.page.get_by_label("Your solution").fill(source)
    visitor.page.get_by_role("button", name="Submit").click()
    visitor.page.locator(".banner .title", has_text="In the queue").wait_for()
    if visitor.page.url.endswith(PROBLEM):
        visitor.page.get_by_role("link", name="Open as a page").click()
    visitor.page.wait_for_url("**/submissions/*")


def test_the_stream_brings_results_while_the_page_is_open(ada: Visitor, database: Database) -> None:
    ada.page.route("**/result", lambda route: route.abort())  # so that only the stream can bring them
    submit(ada)
    expect(ada.page.locator(".banner .title")).to_contain_text("In the queue")

    taken = take(database)
    record(database, taken, answered(0, WRONG, text="printed by me"))
    expect(ada.page.get_by_text("1 of 3 cases done").first).to_be_visible()
    expect(ada.page.get_by_text("printed by me")).to_be_visible()
    end(database, taken, answered(0, WRONG, text="printed by me"), *all_right()[1:])

    expect(ada.page.locator(".banner .title")).to_contain_text("Wrong answer")
    expect(ada.page.locator(".banner")).to_contain_text("Your output is 3; expected 7")
    expect(ada.page.get_by_role("status").first).to_contain_text("Wrong answer")
    assert [complaint for complaint in ada.complaints if "ERR_FAILED" not in complaint] == []


def test_the_wrong_answer_on_the_front_page_has_no_frame_of_success(browser: Browser, address: str) -> None:
    with browser.new_context() as context:
        page = visit(context, address).page
        page.goto(address)
        verdict = page.locator("figure").get_by_text("Wrong answer", exact=True)
        border, colour = verdict.evaluate(
            "part => [getComputedStyle(part).borderTopWidth, getComputedStyle(part).color]"
        )

        assert (border, colour) == ("0px", "rgb(176, 32, 26)")  # --bad in the light theme


@pytest.mark.whole
def test_nothing_moves_for_a_user_who_wants_less_motion(browser: Browser, address: str) -> None:
    with browser.new_context(reduced_motion="reduce") as context:
        visitor = visit(context, address)
        visitor.sign_up("ada")
        submit(visitor)
        visitor.page.locator(".banner.tone-wait > .icon").wait_for()
        visitor.page.wait_for_timeout(100)

        assert visitor.page.evaluate("document.getAnimations().length") == 0


MEASURED = """() => [...document.querySelectorAll(".case-row:not(.case-head)")].map((row) => {
    const box = (part) => part.getBoundingClientRect();
    const parts = [...row.children].filter((part) => part.checkVisibility()).map(box);
    const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    const overlaps = parts.some((one, place) => parts.slice(place + 1).some((other) => meet(one, other)));
    return {height: box(row).height, name: box(row.querySelector(".name")).width, overlaps};
})"""


@pytest.mark.whole
def test_the_row_of_a_case_is_readable_however_narrow_its_pane_is(ada: Visitor, database: Database) -> None:
    with database.transaction() as session:
        publish(session, make_wordy_package())
    ada.open("/problems/wordy")
    ada.page.get_by_role("button", name="Submit").click()
    ada.page.locator(".banner .title", has_text="In the queue").wait_for()
    judge(database, *wordy_results())
    own_page = ada.page.get_by_role("link", name="Open as a page").get_attribute("href")

    for path in ("/problems/wordy#result", own_page):
        ada.open(str(path))
        for width in (360, 768, 961, 1024, 1180, 1440):
            ada.page.set_viewport_size({"width": width, "height": 900})
            rows = ada.page.evaluate(MEASURED)
            assert len(rows) == 3
            for row in rows:
                assert row["name"] > 110, (path, width, row)  # some 12 characters
                assert row["height"] < 125, (path, width, row)  # five lines of small type, on a phone
                assert not row["overlaps"], (path, width, row)
            assert ada.page.evaluate("document.documentElement.scrollWidth") == width


def test_the_verdict_arrives_without_the_stream(ada: Visitor, database: Database) -> None:
    ada.page.route("**/events", lambda route: route.abort())
    submit(ada)
    judge(database, *all_right())

    expect(ada.page.locator(".banner .title")).to_contain_text("Accepted")
    assert [complaint for complaint in ada.complaints if "ERR_FAILED" not in complaint] == []


@pytest.mark.whole
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


@pytest.mark.whole
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


@pytest.mark.whole
def test_the_result_of_older_code_is_marked_and_the_list_of_submissions_follows(
    ada: Visitor, database: Database
) -> None:
    ada.open(PROBLEM)
    page, source = ada.page, "def scaled_sum(x, y, scale, options):\n    return 3\n"
    old, mine = page.locator("[data-old]"), page.locator("[data-mine] li")
    page.get_by_label("Your solution").fill(source)
    page.get_by_role("button", name="Submit").click()
    page.locator(".banner .title", has_text="In the queue").wait_for()
    expect(old).to_be_hidden()
    page.get_by_label("Your solution").fill(source + "# changed\n")
    expect(old).to_be_visible()
    expect(mine).to_contain_text(["In the queue"])
    assert share_of_result(page) >= 0.5

    judge(database, answered(0, WRONG), *all_right()[1:])

    expect(mine).to_have_count(1)
    expect(mine).to_contain_text("Wrong answer")
    expect(old).to_contain_text("You have changed your code since this result")
    page.get_by_label("Your solution").fill(source)
    expect(old).to_be_hidden()
    assert ada.complaints == []


@pytest.mark.whole
def test_the_old_verdict_goes_at_once_and_comes_back_when_the_new_code_is_refused(
    ada: Visitor, database: Database
) -> None:
    ada.open(PROBLEM)
    page, shown = ada.page, ada.page.locator("[data-result] [data-live]")
    page.get_by_label("Your solution").fill("def scaled_sum(x, y, scale, options):\n    return 3\n")
    page.get_by_role("button", name="Submit").click()
    expect(shown).to_contain_text("In the queue")
    judge(database, answered(0, WRONG), *all_right()[1:])
    expect(shown).to_contain_text("Wrong answer")
    while_sending = []

    def note(route: Route) -> None:
        while_sending.append(shown.inner_text())
        route.abort()

    page.route("**/submissions", note)
    page.get_by_role("button", name="Submit").click()

    expect(page.locator("[data-refusal]")).to_be_visible()
    assert while_sending == ["Sending …"]
    expect(shown).to_contain_text("Wrong answer")


@pytest.mark.whole
def test_the_list_of_submissions_has_the_verdict_as_soon_as_the_result_has_it(ada: Visitor, database: Database) -> None:
    ada.open(PROBLEM)
    page, mine = ada.page, ada.page.locator("[data-mine] li")
    page.get_by_label("Your solution").fill("def scaled_sum(x, y, scale, options):\n    return 3\n")
    page.get_by_role("button", name="Submit").click()
    expect(mine).to_contain_text(["In the queue"])

    judge(database, answered(0, WRONG), *all_right()[1:], hint_pending=True)

    expect(page.locator(".hint-pending")).to_be_visible()
    expect(mine).to_contain_text(["Wrong answer"])


def share_of_result(page: Page) -> float:
    share: float = page.evaluate(
        "document.querySelector('.bench-cases').clientHeight / document.querySelector('.bench-work').clientHeight"
    )
    return share


@pytest.mark.whole
def test_an_accepted_submission_marks_the_problem_as_solved_without_a_reload(ada: Visitor, database: Database) -> None:
    ada.open(PROBLEM)
    facts = ada.page.locator(".problem-head .facts")
    ada.page.get_by_label("Your solution").fill("right = 1\n")
    ada.page.get_by_role("button", name="Submit").click()
    ada.page.locator(".banner .title", has_text="In the queue").wait_for()
    expect(facts).not_to_contain_text("Solved")

    judge(database, *all_right())

    expect(facts).to_contain_text("Solved")
    assert ada.complaints == []


@pytest.mark.whole
def test_the_elapsed_time_never_goes_back(ada: Visitor, database: Database) -> None:
    submit(ada)
    elapsed = ada.page.locator("[data-elapsed]")
    expect(elapsed).to_have_text(re.compile(r"^([3-9]|\d\d+) s$"))
    seen = []
    taken = take(database)
    for case in range(3):
        # The server rounds the time; a response that is older than the page's count must not show.
        ada.page.evaluate("document.querySelector('[data-elapsed]').dataset.elapsed = '0'")
        record(database, taken, answered(case, WRONG))
        expect(ada.page.get_by_text(f"{case + 1} of 3 cases done").first).to_be_visible()
        seen.append(int(str(elapsed.text_content()).removesuffix(" s")))

    assert seen == sorted(seen)
    assert seen[0] >= 3
