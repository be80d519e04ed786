"""The tabs of a problem's page in a real browser, and what they hold."""

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import select

from app.catalog.model import ExpectedOutput, Revision
from app.database.engine import Database
from app.judging.report import copyable_preview
from tests.web.browser import PATIENCE_MS, Visitor, visit
from tests.web.judged import INPUTS, RIGHT, all_right, judge

expect.set_options(timeout=PATIENCE_MS)

PROBLEM = "/problems/scaled_sum"


def shown_panels(page: Page) -> list[str]:
    return [str(panel.get_attribute("id")) for panel in page.get_by_role("tabpanel").all()]


@pytest.mark.browser
def test_the_keyboard_moves_between_tabs_and_the_address_keeps_the_tab(student: Visitor) -> None:
    student.open(PROBLEM)
    page = student.page
    assert shown_panels(page) == ["problem", "samples"]

    page.get_by_role("tab", name="Problem").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Hints")).to_be_focused()
    assert shown_panels(page) == ["hints", "samples"]
    page.keyboard.press("End")
    assert shown_panels(page) == ["mine", "samples"]
    assert page.url.endswith("#mine")
    page.keyboard.press("ArrowRight")
    assert shown_panels(page) == ["problem", "samples"]
    page.keyboard.press("ArrowLeft")
    page.reload()
    expect(page.get_by_role("tab", name="Submissions")).to_have_attribute("aria-selected", "true")
    assert shown_panels(page) == ["mine", "samples"]

    page.get_by_role("tab", name="Submissions").press("Tab")
    expect(page.get_by_role("tab", name="Hints")).not_to_be_focused()


@pytest.mark.whole
@pytest.mark.browser
def test_a_verdict_opens_the_tab_of_results(student: Visitor, database: Database) -> None:
    student.open(PROBLEM)
    student.page.get_by_role("button", name="Submit").click()
    expect(student.page.locator(".banner .title")).to_contain_text("In the queue")
    assert shown_panels(student.page) == ["problem", "result"]
    judge(database, *all_right())
    expect(student.page.locator(".banner .title")).to_contain_text("Accepted")

    student.page.get_by_role("tab", name="Solution").click()
    expect(student.page.locator("[data-solution]")).to_contain_text("Add, then multiply.")
    student.page.reload()
    expect(student.page.locator("[data-solution]")).to_contain_text("Add, then multiply.")
    assert shown_panels(student.page) == ["solution", "result"]


@pytest.mark.browser
@pytest.mark.parametrize(("width", "height"), [(1024, 768), pytest.param(1440, 900, marks=pytest.mark.whole)])
def test_the_editor_has_half_of_the_height_and_its_caret_stays_in_view(
    student: Visitor, width: int, height: int
) -> None:
    page = student.page
    page.set_viewport_size({"width": width, "height": height})
    student.open(PROBLEM)
    editor = page.get_by_label("Your solution")
    share = page.evaluate(
        "document.querySelector('.editor-area').clientHeight / document.querySelector('.bench-work').clientHeight"
    )
    assert share >= 0.5

    editor.fill("".join(f"line_{number} = {number}\n" for number in range(60)))
    editor.press("Control+Home")
    for _ in range(12):
        page.keyboard.press("ArrowDown")
    page.set_viewport_size({"width": width, "height": 560})

    expect(page.locator(".editor-area .cm-cursor-primary")).to_be_in_viewport()


@pytest.mark.whole
@pytest.mark.browser
def test_on_a_phone_the_tabs_fit_and_a_link_into_another_pane_opens_it(student: Visitor) -> None:
    page = student.page
    page.set_viewport_size({"width": 390, "height": 800})
    student.open(PROBLEM)
    for tab in page.get_by_role("tab").all():
        expect(tab).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("link", name="Code", exact=True).click()
    page.get_by_role("button", name="Run samples").click()
    expect(page.locator(".banner .title")).to_be_visible()
    for name in ("Samples", "Custom input", "Result"):
        expect(page.get_by_role("tab", name=name)).to_be_in_viewport(ratio=1)

    student.open("/problems")
    student.open(f"{PROBLEM}#samples")

    expect(page.get_by_role("heading", name="small")).to_be_visible()


@pytest.mark.whole
@pytest.mark.browser
def test_custom_inputs_tell_their_limits_before_they_are_sent(student: Visitor) -> None:
    page = student.page
    student.open(f"{PROBLEM}#own-inputs")
    inputs = page.get_by_role("textbox", name="Custom inputs as YAML")
    too_long = page.get_by_text("Your inputs have 20003 bytes; the limit is 16384. Use a smaller example.")
    expect(page.get_by_text("At most 16 KiB of text and 64 KiB of values, 8 bytes each.")).to_be_visible()

    inputs.fill("x: " + "1" * 20_000)
    expect(too_long).to_be_visible()
    inputs.fill("x: 1")
    expect(too_long).to_be_hidden()
    for _ in range(8):
        page.get_by_role("button", name="Add another").click()

    expect(page.get_by_role("button", name="Add another")).to_be_hidden()
    expect(page.get_by_text("9 inputs is the limit. Remove one to add another.")).to_be_visible()


@pytest.mark.browser
def test_several_custom_inputs_are_kept_for_the_problem(student: Visitor) -> None:
    page = student.page
    student.open(f"{PROBLEM}#own-inputs")
    inputs = page.get_by_role("textbox", name="Custom inputs as YAML")
    inputs.fill("first: 1")
    page.get_by_role("button", name="Add another").click()
    expect(inputs).to_contain_text("x: [1, 2.5]")
    inputs.fill("second: 2")
    page.reload()
    expect(inputs).to_contain_text("second: 2")

    page.get_by_role("button", name="Input 1").click()
    expect(inputs).to_contain_text("first: 1")
    expect(page.locator("textarea[name=inputs]")).to_have_value("first: 1")
    page.get_by_role("button", name="Remove this one").click()

    expect(inputs).to_contain_text("second: 2")
    expect(page.get_by_role("button", name="Input 1")).to_have_count(0)


@pytest.mark.browser
def test_a_sample_goes_to_the_clipboard_as_python(browser: Browser, address: str, database: Database) -> None:
    with database.transaction() as session:
        revision = session.scalars(select(Revision)).one()
        facts = {"inputs": b"", "expected": b"", "inputs_preview": INPUTS, "expected_preview": copyable_preview(RIGHT)}
        place = {"revision_id": revision.id, "variant": 0, "device": "cpu", "case_name": "small"}
        session.add(ExpectedOutput(**place, **facts, evidence=None, image="test", versions={}))
    with browser.new_context(permissions=["clipboard-read", "clipboard-write"]) as context:
        page = visit(context, address).page
        page.goto(address + PROBLEM)

        page.get_by_role("button", name="Copy small as Python").click()

        expect(page.locator(".sample-head button")).to_have_text("Copied")
        text = page.evaluate("navigator.clipboard.readText()")
        assert "x = np.array([1.0, 2.5], dtype='float32')\n" in text


@pytest.mark.browser
def test_without_scripts_all_parts_are_shown(browser: Browser, address: str) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        visitor = visit(context, address)
        visitor.sign_up("grace")
        visitor.open(PROBLEM)

        for part in ("#problem", "#hints", "#solution", "#mine", "#samples", "#own-inputs", "#result"):
            expect(visitor.page.locator(part)).to_be_visible()
