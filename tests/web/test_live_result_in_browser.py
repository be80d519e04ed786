"""The pages in a real browser: sign up, open a problem, submit, see the verdict arrive."""

import re

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from app.database.engine import Database
from tests.web.browser import PATIENCE_MS, Visitor, visit
from tests.web.judged import all_right, answered, end, judge, record, take

pytestmark = pytest.mark.browser
expect.set_options(timeout=PATIENCE_MS)

PROBLEM = "/problems/scaled_sum"
WRONG = np.array(3, np.float32)


def submit(visitor: Visitor, source: str = "def scaled_sum(x, y, scale, options):\n    return 3\n") -> None:
    """Sends it, and opens the submission's own page."""
    visitor.open(PROBLEM)
    visitor.page.get_by_label("Your solution").fill(source)
    visitor.page.get_by_role("button", name="Submit").click()
    visitor.page.locator(".banner .title", has_text="In the queue").wait_for()
    if visitor.page.url.endswith(PROBLEM):
        visitor.page.get_by_role("link", name="Open as a page").click()
    visitor.page.wait_for_url("**/submissions/*")


def test_the_stream_brings_results_while_the_page_is_open(student: Visitor, database: Database) -> None:
    student.page.route("**/result", lambda route: route.abort())  # so that only the stream can bring them
    submit(student)
    expect(student.page.locator(".banner .title")).to_contain_text("In the queue")

    taken = take(database)
    record(database, taken, answered(0, WRONG, text="printed by me"))
    expect(student.page.get_by_text("1 of 3 cases done").first).to_be_visible()
    expect(student.page.get_by_text("printed by me")).to_be_visible()
    end(database, taken, answered(0, WRONG, text="printed by me"), *all_right()[1:])

    expect(student.page.locator(".banner .title")).to_contain_text("Wrong answer")
    expect(student.page.locator(".banner")).to_contain_text("Your output is 3; expected 7")
    expect(student.page.get_by_role("status").first).to_contain_text("Wrong answer")


@pytest.mark.whole
def test_nothing_moves_for_a_user_who_wants_less_motion(browser: Browser, address: str) -> None:
    with browser.new_context(reduced_motion="reduce") as context:
        visitor = visit(context, address)
        visitor.sign_up("ada")
        submit(visitor)
        visitor.page.locator(".banner.tone-wait > .icon").wait_for()
        visitor.page.wait_for_timeout(100)

        assert visitor.page.evaluate("document.getAnimations().length") == 0


@pytest.mark.whole
def test_the_verdict_arrives_without_the_stream(student: Visitor, database: Database) -> None:
    student.page.route("**/events", lambda route: route.abort())
    submit(student)
    judge(database, *all_right())

    expect(student.page.locator(".banner .title")).to_contain_text("Accepted")


@pytest.mark.whole
def test_the_verdict_arrives_when_the_stream_stays_silent(student: Visitor, database: Database) -> None:
    student.page.add_init_script("EventSource.prototype.addEventListener = () => {}")
    submit(student)
    judge(database, *all_right())

    expect(student.page.locator(".banner .title")).to_contain_text("Accepted")


def test_everything_works_without_scripts(browser: Browser, address: str, database: Database) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        visitor = visit(context, address)
        visitor.sign_up("grace")
        submit(visitor)
        judge(database, *all_right())

        expect(visitor.page.locator(".banner .title")).to_contain_text("Accepted")
        assert visitor.complaints == []


@pytest.mark.whole
def test_an_open_case_stays_open_when_results_arrive(student: Visitor, database: Database) -> None:
    submit(student)
    taken = take(database)
    record(database, taken, all_right()[0])

    case = student.page.locator("#case-1")
    case.locator("summary").click()
    expect(case).to_have_attribute("open", "")
    end(database, taken, *all_right())

    expect(student.page.locator(".banner .title")).to_contain_text("Accepted")
    expect(case).to_have_attribute("open", "")


def test_a_submission_is_cancelled_with_the_keyboard_while_results_come_in(
    student: Visitor, database: Database
) -> None:
    submit(student)
    button = student.page.get_by_role("button", name="Cancel")
    button.focus()
    record(database, take(database), all_right()[0])
    expect(student.page.get_by_text("1 of 3 cases done").first).to_be_visible()

    expect(button).to_be_focused()
    student.page.keyboard.press("Enter")

    expect(student.page.locator(".banner .title")).to_contain_text("Cancelled")
    expect(button).to_have_count(0)
    expect(student.page.locator(".case-row .name")).to_contain_text(["small"])


@pytest.mark.whole
def test_the_result_of_older_code_is_marked_and_the_list_of_submissions_follows(
    student: Visitor, database: Database
) -> None:
    student.open(PROBLEM)
    page, source = student.page, "def scaled_sum(x, y, scale, options):\n    return 3\n"
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


@pytest.mark.whole
def test_the_old_verdict_comes_back_when_new_code_is_refused(student: Visitor, database: Database) -> None:
    student.open(PROBLEM)
    page, shown = student.page, student.page.locator("[data-result] [data-live]")
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
def test_the_list_of_submissions_has_the_verdict_as_soon_as_the_result_has_it(
    student: Visitor, database: Database
) -> None:
    student.open(PROBLEM)
    page, mine = student.page, student.page.locator("[data-mine] li")
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
def test_an_accepted_submission_marks_the_problem_as_solved_without_a_reload(
    student: Visitor, database: Database
) -> None:
    student.open(PROBLEM)
    facts = student.page.locator(".problem-head .facts")
    student.page.get_by_label("Your solution").fill("right = 1\n")
    student.page.get_by_role("button", name="Submit").click()
    student.page.locator(".banner .title", has_text="In the queue").wait_for()
    expect(facts).not_to_contain_text("Solved")

    judge(database, *all_right())

    expect(facts).to_contain_text("Solved")


@pytest.mark.whole
def test_the_elapsed_time_never_goes_back(student: Visitor, database: Database) -> None:
    submit(student)
    elapsed = student.page.locator("[data-elapsed]")
    expect(elapsed).to_have_text(re.compile(r"^([3-9]|\d\d+) s$"))
    seen = []
    taken = take(database)
    for case in range(3):
        # The server rounds the time; a response that is older than the page's count must not show.
        student.page.evaluate("document.querySelector('[data-elapsed]').dataset.elapsed = '0'")
        record(database, taken, answered(case, WRONG))
        expect(student.page.get_by_text(f"{case + 1} of 3 cases done").first).to_be_visible()
        seen.append(int(str(elapsed.text_content()).removesuffix(" s")))

    assert seen == sorted(seen)
    assert seen[0] >= 3
