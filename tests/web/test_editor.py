"""The editor of a problem's page in a real browser."""

from collections.abc import Iterator

import numpy as np
import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, Locator, expect

from app.database.engine import Database
from app.judging.report import AnswerFault
from app.judging.verdicts import Verdict
from tests.web.browser import PATIENCE_MS, Visitor, visit_as
from tests.web.judged import all_right, answered, failed, judge

pytestmark = pytest.mark.browser
expect.set_options(timeout=PATIENCE_MS)

PROBLEM = "/problems/scaled_sum"
SCRIPT_BYTES = 150_000
BROKEN = "def scaled_sum(x, y, scale, options):\n    total = x.sum()\n    return totl * scale\n"
RAISED = AnswerFault(
    category="runtime error",
    exception="NameError",
    message="name 'totl' is not defined",
    traceback='  File "solution.py", line 3, in scaled_sum\n    return totl * scale',
)


@pytest.fixture
def ada(browser: Browser, address: str, database: Database) -> Iterator[Visitor]:
    """Signed in as `ada`, with scripts."""
    with browser.new_context() as context:
        visitor = visit_as("ada", context, address, database)
        yield visitor
        assert visitor.complaints == []


def editor(visitor: Visitor) -> Locator:
    return visitor.page.get_by_label("Your solution")


def posted(visitor: Visitor) -> Locator:
    """The field that the form sends."""
    return visitor.page.locator("textarea[name=source]")


def write(visitor: Visitor, source: str) -> None:
    visitor.open(PROBLEM)
    editor(visitor).fill(source)


def test_what_is_typed_is_what_the_form_sends(ada: Visitor) -> None:
    write(ada, "first = 1\n")
    editor(ada).press("Control+End")
    ada.page.keyboard.type("second = 2")

    expect(posted(ada)).to_have_value("first = 1\nsecond = 2")


@pytest.mark.whole
def test_tab_indents_and_escape_lets_the_keyboard_out(ada: Visitor) -> None:
    write(ada, "if x:")
    editor(ada).press("End")

    ada.page.keyboard.press("Enter")
    ada.page.keyboard.press("Tab")
    ada.page.keyboard.type("y")
    expect(posted(ada)).to_have_value("if x:\n        y")
    ada.page.keyboard.press("Shift+Tab")
    expect(posted(ada)).to_have_value("if x:\n    y")
    expect(editor(ada)).to_be_focused()

    ada.page.keyboard.press("Escape")
    ada.page.keyboard.press("Tab")
    expect(ada.page.get_by_role("button", name="Submit")).to_be_focused()
    expect(posted(ada)).to_have_value("if x:\n    y")


@pytest.mark.whole
def test_lines_are_commented_out_and_found(ada: Visitor) -> None:
    write(ada, "total = x.sum()\n")
    editor(ada).press("Control+Home")

    ada.page.keyboard.press("Control+/")
    expect(posted(ada)).to_have_value("# total = x.sum()\n")
    ada.page.keyboard.press("Control+f")
    ada.page.get_by_label("Find").press_sequentially("sum")
    expect(ada.page.locator(".cm-searchMatch").first).to_have_text("sum")


def test_control_and_enter_submit_and_shift_and_enter_run_the_samples(ada: Visitor, database: Database) -> None:
    ada.open(PROBLEM)
    editor(ada).press("Shift+Enter")
    expect(ada.page.locator(".banner .title")).to_contain_text("In the queue")
    judge(database, *all_right()[:1])
    expect(ada.page.locator(".banner .sentence")).to_contain_text("All sample cases are within tolerance")

    editor(ada).press("Control+Enter")
    expect(ada.page.locator(".banner .title")).to_contain_text("In the queue")
    judge(database, *all_right())
    expect(ada.page.locator(".banner .tally")).to_contain_text("3 of 3")


@pytest.mark.whole
def test_the_same_code_may_be_sent_again(ada: Visitor, database: Database) -> None:
    ada.open(PROBLEM)
    for _ in range(2):
        editor(ada).press("Control+Enter")
        expect(ada.page.locator(".banner .title")).to_contain_text("In the queue")
        judge(database, *all_right())
        expect(ada.page.locator(".banner .title")).to_contain_text("Accepted")


def test_what_is_refused_is_said_beside_the_editor(ada: Visitor) -> None:
    write(ada, "   ")
    editor(ada).press("Control+Enter")

    expect(ada.page.locator("[data-refusal]")).to_contain_text("The source is empty")
    expect(posted(ada)).to_have_value("   ")
    ada.complaints = [complaint for complaint in ada.complaints if "422" not in complaint]


@pytest.mark.whole
def test_the_line_that_failed_is_marked_until_the_next_try(ada: Visitor, database: Database) -> None:
    write(ada, BROKEN)
    editor(ada).press("Shift+Enter")
    expect(ada.page.locator(".banner .title")).to_contain_text("In the queue")
    judge(database, failed(0, Verdict.RUNTIME_ERROR, RAISED))

    expect(ada.page.locator(".line-fault")).to_have_text("    return totl * scale")
    expect(ada.page.locator(".line-words")).to_have_text("NameError: name 'totl' is not defined")
    ada.page.reload()
    expect(ada.page.locator(".line-fault")).to_have_text("    return totl * scale")

    editor(ada).press("Control+Home")
    ada.page.get_by_role("link", name="line 3").click()
    expect(editor(ada)).to_be_focused()
    expect(ada.page.locator("[data-position]")).to_have_text("Line 3, column 1")
    ada.page.keyboard.press("Shift+Enter")
    expect(ada.page.locator(".line-fault")).to_have_count(0)


def test_the_page_is_no_higher_than_the_window_however_long_a_result_is(ada: Visitor, database: Database) -> None:
    write(ada, "def scaled_sum(x, y, scale, options):\n    return 3\n")
    ada.page.get_by_role("button", name="Submit").click()
    ada.page.locator(".banner .title", has_text="In the queue").wait_for()
    judge(database, answered(0, np.zeros((40, 40), np.float32), np.ones((40, 40), np.float32)), *all_right()[1:])
    ada.page.locator(".banner .title", has_text="Wrong answer").wait_for()

    ada.page.set_viewport_size({"width": 1280, "height": 900})

    assert ada.page.evaluate("document.documentElement.scrollHeight") == 900


@pytest.mark.parametrize("width", [1024, pytest.param(1440, marks=pytest.mark.whole)])
def test_the_editor_makes_room_for_the_result_once_and_keeps_its_caret_in_sight(
    ada: Visitor, database: Database, width: int
) -> None:
    ada.page.set_viewport_size({"width": width, "height": 800})
    write(ada, "".join(f"line_{number} = {number}\n" for number in range(80)))
    editor(ada).press("Control+Home")
    rows = ada.page.evaluate(
        "Math.floor(document.querySelector('.cm-scroller').clientHeight"
        " / document.querySelector('.cm-line').offsetHeight)"
    )
    for _ in range(rows - 2):
        ada.page.keyboard.press("ArrowDown")
    look = (
        "(() => { const {height} = document.querySelector('.editor-area').getBoundingClientRect();"
        " return [height, document.querySelector('.cm-scroller').scrollTop]; })()"
    )
    caret = ada.page.locator(".editor-area .cm-activeLine")
    expect(caret).to_be_in_viewport()

    editor(ada).press("Control+Enter")
    expect(ada.page.locator(".banner .title")).to_contain_text("In the queue")
    expect(caret).to_be_in_viewport()
    waiting = ada.page.evaluate(look)
    judge(database, answered(0, np.zeros((40, 40), np.float32), np.ones((40, 40), np.float32)), *all_right()[1:])
    expect(ada.page.locator(".banner .title")).to_contain_text("Wrong answer")

    assert waiting == ada.page.evaluate(look)
    expect(caret).to_be_in_viewport()


def test_the_line_that_python_can_not_read_is_marked(ada: Visitor, database: Database) -> None:
    write(ada, "def scaled_sum(x:\n    return 1\n")
    editor(ada).press("Shift+Enter")
    expect(ada.page.locator(".banner .title")).to_contain_text("In the queue")
    fault = AnswerFault(category="invalid submission", message="'(' was never closed (solution.py, line 1)")
    judge(database, failed(0, Verdict.INVALID_SUBMISSION, fault))

    expect(ada.page.locator(".line-fault")).to_have_text("def scaled_sum(x:")
    expect(ada.page.locator(".line-words")).to_contain_text("'(' was never closed")


@pytest.mark.whole
def test_going_on_with_a_submission_opens_its_code(ada: Visitor) -> None:
    write(ada, "sent = 1\n")
    editor(ada).press("Control+Enter")
    expect(ada.page.locator(".banner .title")).to_contain_text("In the queue")
    ada.page.get_by_role("link", name="Open as a page").click()
    ada.page.get_by_role("button", name="Copy to the editor").click()

    expect(posted(ada)).to_have_value("sent = 1\n")


@pytest.mark.whole
def test_the_keys_of_vim_are_there_for_those_who_choose_them(ada: Visitor) -> None:
    write(ada, "first = 1\nsecond = 2\n")
    ada.page.get_by_role("button", name="Settings").click()
    ada.page.get_by_label("Editor key bindings").select_option("vim")
    ada.page.locator(".cm-vim-panel").wait_for()
    ada.page.get_by_role("button", name="Close").click()
    editor(ada).click()
    ada.page.keyboard.type("ggdd")
    expect(posted(ada)).to_have_value("second = 2\n")

    ada.page.reload()
    expect(ada.page.get_by_label("Editor key bindings")).to_have_value("vim")
    ada.page.locator(".cm-vim-panel").wait_for()


@pytest.mark.whole
def test_the_statement_takes_the_width_that_it_is_given(ada: Visitor) -> None:
    ada.open(PROBLEM)
    separator = ada.page.get_by_role("separator", name="Width of the statement")
    before = int(separator.get_attribute("aria-valuenow") or 0)

    separator.press("ArrowRight")
    expect(separator).to_have_attribute("aria-valuenow", str(before + 2))
    width = ada.page.locator("#statement").evaluate("part => part.offsetWidth")
    ada.page.reload()

    expect(separator).to_have_attribute("aria-valuenow", str(before + 2))
    assert ada.page.locator("#statement").evaluate("part => part.offsetWidth") == width


def test_nothing_moves_while_the_page_opens(ada: Visitor) -> None:
    ada.page.add_init_script(
        "window.moved = 0; new PerformanceObserver((list) => { for (const one of list.getEntries())"
        " window.moved += one.value }).observe({type: 'layout-shift', buffered: true})"
    )
    write(ada, "short = 1\n")
    ada.page.get_by_role("separator", name="Width of the statement").press("ArrowRight")
    ada.page.get_by_role("separator", name="Height of the editor").press("ArrowDown")

    ada.page.reload()
    ada.page.locator(".editor-area .cm-content").wait_for()
    ada.page.wait_for_load_state("networkidle")

    assert ada.page.evaluate("window.moved") < 0.01


@pytest.mark.whole
def test_on_a_phone_the_code_is_one_touch_away(ada: Visitor) -> None:
    ada.page.set_viewport_size({"width": 360, "height": 740})
    ada.open(PROBLEM)
    expect(editor(ada)).to_be_hidden()

    ada.page.get_by_role("link", name="Code", exact=True).click()

    expect(editor(ada)).to_be_visible()
    expect(ada.page.get_by_role("button", name="Run samples")).to_be_in_viewport()
    assert ada.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_scripts_of_the_page_are_small(ada: Visitor) -> None:
    ada.open(PROBLEM)
    ada.page.wait_for_load_state("networkidle")
    scripts = ada.page.evaluate(
        "performance.getEntriesByType('resource').filter((one) => one.initiatorType === 'script'"
        " || one.name.includes('.js')).map((one) => one.encodedBodySize)"
    )

    assert len(scripts) >= 3
    assert sum(scripts) < SCRIPT_BYTES


def test_a_style_of_the_editor_needs_the_page_s_nonce(anyone: TestClient) -> None:
    pages = [anyone.get(PROBLEM) for _ in range(2)]
    nonces = [page.text.split('data-editor="')[1].split('"')[0] for page in pages]

    assert nonces[0] != nonces[1]
    for page, nonce in zip(pages, nonces, strict=True):
        assert f"style-src 'self' 'nonce-{nonce}'" in page.headers["content-security-policy"]
        assert "unsafe" not in page.headers["content-security-policy"]


@pytest.mark.whole
def test_own_inputs_are_kept_and_what_is_wrong_with_them_is_told_at_its_line(ada: Visitor) -> None:
    write(ada, "def scaled_sum(x, y, scale, options)\n    return 1\n")
    expect(ada.page.get_by_text("Syntax error on line 1")).to_be_visible()
    write(ada, "def scaled_sum(x, y, scale, options):\n    return abs(x\n\n")
    expect(ada.page.get_by_text("Syntax error on line 2")).to_be_visible()
    ada.page.get_by_role("tab", name="Custom input").click()
    inputs = ada.page.get_by_role("textbox", name="Custom inputs as YAML")
    expect(inputs).to_contain_text("x: [1, 2.5]")

    inputs.press("Control+a")
    ada.page.keyboard.insert_text("x: [1]\ny: [[1, 2], [3, 4]]\nscale: 2\noptions: {}\n")
    inputs.press("Shift+Enter")
    expect(ada.page.get_by_text("line 2: y has N = 2, but x has N = 1")).to_be_visible()
    expect(inputs.locator(".line-fault")).to_have_text("y: [[1, 2], [3, 4]]")
    assert ["422" in complaint for complaint in ada.complaints] == [True]  # Chromium's own word for the refusal
    ada.complaints.clear()

    inputs.press("Control+a")
    ada.page.keyboard.insert_text("x: [1, 3]\ny: [[1, 2], [3, 4]]\nscale: 2\noptions: {}\n")
    ada.page.get_by_role("button", name="Run custom input").click()
    expect(ada.page.locator(".banner .title")).to_contain_text("In the queue")
    expect(ada.page.locator(".cases")).to_contain_text("Custom input")
    ada.page.reload()
    ada.page.get_by_role("tab", name="Custom input").click()
    expect(inputs).to_contain_text("x: [1, 3]")
