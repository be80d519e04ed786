"""The editor of a problem's page in a real browser."""

import numpy as np
import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Locator, expect

from app.database.engine import Database
from app.judging.report import AnswerFault
from app.judging.verdicts import Verdict
from tests.web.browser import PATIENCE_MS, Visitor
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


def editor(visitor: Visitor) -> Locator:
    return visitor.page.get_by_label("Your solution")


def posted(visitor: Visitor) -> Locator:
    """The field that the form sends."""
    return visitor.page.locator("textarea[name=source]")


def write(visitor: Visitor, source: str) -> None:
    visitor.open(PROBLEM)
    editor(visitor).fill(source)


def test_the_form_sends_the_typed_code(student: Visitor) -> None:
    write(student, "first = 1\n")
    editor(student).press("Control+End")
    student.page.keyboard.type("second = 2")

    expect(posted(student)).to_have_value("first = 1\nsecond = 2")


@pytest.mark.whole
def test_tab_indents_and_escape_lets_the_keyboard_out(student: Visitor) -> None:
    write(student, "if x:")
    editor(student).press("End")

    student.page.keyboard.press("Enter")
    student.page.keyboard.press("Tab")
    student.page.keyboard.type("y")
    expect(posted(student)).to_have_value("if x:\n        y")
    student.page.keyboard.press("Shift+Tab")
    expect(posted(student)).to_have_value("if x:\n    y")
    expect(editor(student)).to_be_focused()

    student.page.keyboard.press("Escape")
    student.page.keyboard.press("Tab")
    expect(student.page.get_by_role("button", name="Submit")).to_be_focused()
    expect(posted(student)).to_have_value("if x:\n    y")


def test_control_and_enter_submit_and_shift_and_enter_run_the_samples(student: Visitor, database: Database) -> None:
    student.open(PROBLEM)
    editor(student).press("Shift+Enter")
    expect(student.page.locator(".banner .title")).to_contain_text("In the queue")
    judge(database, *all_right()[:1])
    expect(student.page.locator(".banner .sentence")).to_contain_text("All sample cases are within tolerance")

    editor(student).press("Control+Enter")
    expect(student.page.locator(".banner .title")).to_contain_text("In the queue")
    judge(database, *all_right())
    expect(student.page.locator(".banner .tally")).to_contain_text("3 of 3")


@pytest.mark.whole
def test_the_same_code_may_be_sent_again(student: Visitor, database: Database) -> None:
    student.open(PROBLEM)
    for _ in range(2):
        editor(student).press("Control+Enter")
        expect(student.page.locator(".banner .title")).to_contain_text("In the queue")
        judge(database, *all_right())
        expect(student.page.locator(".banner .title")).to_contain_text("Accepted")


def test_a_refused_source_is_explained_beside_the_editor(student: Visitor) -> None:
    write(student, "   ")
    editor(student).press("Control+Enter")

    expect(student.page.locator("[data-refusal]")).to_contain_text("The source is empty")
    expect(posted(student)).to_have_value("   ")
    student.complaints = [complaint for complaint in student.complaints if "422" not in complaint]


@pytest.mark.whole
def test_the_line_that_failed_is_marked_until_the_next_try(student: Visitor, database: Database) -> None:
    write(student, BROKEN)
    editor(student).press("Shift+Enter")
    expect(student.page.locator(".banner .title")).to_contain_text("In the queue")
    judge(database, failed(0, Verdict.RUNTIME_ERROR, RAISED))

    expect(student.page.locator(".line-fault")).to_have_text("    return totl * scale")
    expect(student.page.locator(".line-words")).to_have_text("NameError: name 'totl' is not defined")
    student.page.reload()
    expect(student.page.locator(".line-fault")).to_have_text("    return totl * scale")

    editor(student).press("Control+Home")
    student.page.get_by_role("link", name="line 3").click()
    expect(editor(student)).to_be_focused()
    expect(student.page.locator("[data-position]")).to_have_text("Line 3, column 1")
    student.page.keyboard.press("Shift+Enter")
    expect(student.page.locator(".line-fault")).to_have_count(0)


def test_the_page_is_no_higher_than_the_window_however_long_a_result_is(student: Visitor, database: Database) -> None:
    write(student, "def scaled_sum(x, y, scale, options):\n    return 3\n")
    student.page.get_by_role("button", name="Submit").click()
    student.page.locator(".banner .title", has_text="In the queue").wait_for()
    judge(database, answered(0, np.zeros((40, 40), np.float32), np.ones((40, 40), np.float32)), *all_right()[1:])
    student.page.locator(".banner .title", has_text="Wrong answer").wait_for()

    student.page.set_viewport_size({"width": 1280, "height": 900})

    assert student.page.evaluate("document.documentElement.scrollHeight") == 900


def test_a_line_with_a_syntax_error_is_marked(student: Visitor, database: Database) -> None:
    write(student, "def scaled_sum(x:\n    return 1\n")
    editor(student).press("Shift+Enter")
    expect(student.page.locator(".banner .title")).to_contain_text("In the queue")
    fault = AnswerFault(category="invalid submission", message="'(' was never closed (solution.py, line 1)")
    judge(database, failed(0, Verdict.INVALID_SUBMISSION, fault))

    expect(student.page.locator(".line-fault")).to_have_text("def scaled_sum(x:")
    expect(student.page.locator(".line-words")).to_contain_text("'(' was never closed")


@pytest.mark.whole
def test_a_user_chooses_vim_key_bindings(student: Visitor) -> None:
    write(student, "first = 1\nsecond = 2\n")
    student.page.get_by_role("button", name="Settings").click()
    student.page.get_by_label("Editor key bindings").select_option("vim")
    student.page.locator(".cm-vim-panel").wait_for()
    student.page.get_by_role("button", name="Close").click()
    editor(student).click()
    student.page.keyboard.type("ggdd")
    expect(posted(student)).to_have_value("second = 2\n")

    student.page.reload()
    expect(student.page.get_by_label("Editor key bindings")).to_have_value("vim")
    student.page.locator(".cm-vim-panel").wait_for()


@pytest.mark.whole
def test_the_width_of_the_statement_is_kept(student: Visitor) -> None:
    student.open(PROBLEM)
    separator = student.page.get_by_role("separator", name="Width of the statement")
    before = int(separator.get_attribute("aria-valuenow") or 0)

    separator.press("ArrowRight")
    expect(separator).to_have_attribute("aria-valuenow", str(before + 2))
    width = student.page.locator("#statement").evaluate("part => part.offsetWidth")
    student.page.reload()

    expect(separator).to_have_attribute("aria-valuenow", str(before + 2))
    assert student.page.locator("#statement").evaluate("part => part.offsetWidth") == width


def test_nothing_moves_while_the_page_opens(student: Visitor) -> None:
    student.page.add_init_script(
        "window.moved = 0; new PerformanceObserver((list) => { for (const one of list.getEntries())"
        " window.moved += one.value }).observe({type: 'layout-shift', buffered: true})"
    )
    write(student, "short = 1\n")
    student.page.get_by_role("separator", name="Width of the statement").press("ArrowRight")
    student.page.get_by_role("separator", name="Height of the editor").press("ArrowDown")

    student.page.reload()
    student.page.locator(".editor-area .cm-content").wait_for()
    student.page.wait_for_load_state("networkidle")

    assert student.page.evaluate("window.moved") < 0.01


def test_the_scripts_of_the_page_are_small(student: Visitor) -> None:
    student.open(PROBLEM)
    student.page.wait_for_load_state("networkidle")
    scripts = student.page.evaluate(
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
def test_custom_inputs_are_kept_and_their_errors_are_shown_at_their_lines(student: Visitor) -> None:
    write(student, "def scaled_sum(x, y, scale, options)\n    return 1\n")
    expect(student.page.get_by_text("Syntax error on line 1")).to_be_visible()
    write(student, "def scaled_sum(x, y, scale, options):\n    return abs(x\n\n")
    expect(student.page.get_by_text("Syntax error on line 2")).to_be_visible()
    student.page.get_by_role("tab", name="Custom input").click()
    inputs = student.page.get_by_role("textbox", name="Custom inputs as YAML")
    expect(inputs).to_contain_text("x: [1, 2.5]")

    inputs.press("Control+a")
    student.page.keyboard.insert_text("x: [1]\ny: [[1, 2], [3, 4]]\nscale: 2\noptions: {}\n")
    inputs.press("Shift+Enter")
    expect(student.page.get_by_text("line 2: y has N = 2, but x has N = 1")).to_be_visible()
    expect(inputs.locator(".line-fault")).to_have_text("y: [[1, 2], [3, 4]]")
    assert ["422" in complaint for complaint in student.complaints] == [True]  # Chromium's own word for the refusal
    student.complaints.clear()

    inputs.press("Control+a")
    student.page.keyboard.insert_text("x: [1, 3]\ny: [[1, 2], [3, 4]]\nscale: 2\noptions: {}\n")
    student.page.get_by_role("button", name="Run custom input").click()
    expect(student.page.locator(".banner .title")).to_contain_text("In the queue")
    expect(student.page.locator(".cases")).to_contain_text("Custom input")
    student.page.reload()
    student.page.get_by_role("tab", name="Custom input").click()
    expect(inputs).to_contain_text("x: [1, 3]")
