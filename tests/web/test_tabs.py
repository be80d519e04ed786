"""The tabs of a problem's page in a real browser, and what they hold."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import select

from app.catalog.model import ExpectedOutput, Revision
from app.catalog.package import load_package
from app.catalog.query import SampleCase, get_problem
from app.database.engine import Database
from app.judging.value_preview import copyable_preview
from app.settings import ROOT
from app.web.notebook import sample_python
from app.web.statement_html import arrange_statement, name_function
from tests.values.trees import is_same
from tests.web.browser import PATIENCE_MS, Visitor, visit, visit_as
from tests.web.judged import INPUTS, RIGHT, all_right, judge
from tests.web.test_interface_words import view_package

expect.set_options(timeout=PATIENCE_MS)

PROBLEM = "/problems/scaled_sum"
STATEMENT = """\
Before.

## Why this matters

It matters.

```python
## Problem
```

## Worked example

An example.

## Problem

Add up.

## Notes

More.

## Inputs

N is small.

## Output

One number.
"""


@pytest.fixture
def ada(browser: Browser, address: str, database: Database) -> Iterator[Visitor]:
    """Signed in as `ada`, with scripts."""
    with browser.new_context() as context:
        visitor = visit_as("ada", context, address, database)
        yield visitor
        assert visitor.complaints == []


def shown_panels(page: Page) -> list[str]:
    return [str(panel.get_attribute("id")) for panel in page.get_by_role("tabpanel").all()]


@pytest.mark.browser
def test_the_keyboard_moves_between_tabs_and_the_address_keeps_the_tab(ada: Visitor) -> None:
    ada.open(PROBLEM)
    page = ada.page
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
def test_a_verdict_opens_the_tab_of_results(ada: Visitor, database: Database) -> None:
    ada.open(PROBLEM)
    ada.page.get_by_role("button", name="Submit").click()
    expect(ada.page.locator(".banner .title")).to_contain_text("In the queue")
    assert shown_panels(ada.page) == ["problem", "result"]
    judge(database, *all_right())
    expect(ada.page.locator(".banner .title")).to_contain_text("Accepted")

    ada.page.get_by_role("tab", name="Solution").click()
    expect(ada.page.locator("[data-solution]")).to_contain_text("Add, then multiply.")
    ada.page.reload()
    expect(ada.page.locator("[data-solution]")).to_contain_text("Add, then multiply.")
    assert shown_panels(ada.page) == ["solution", "result"]


@pytest.mark.browser
@pytest.mark.parametrize(("width", "height"), [(1024, 768), pytest.param(1440, 900, marks=pytest.mark.whole)])
def test_the_editor_has_half_of_the_height_and_its_caret_stays_in_view(ada: Visitor, width: int, height: int) -> None:
    page = ada.page
    page.set_viewport_size({"width": width, "height": height})
    ada.open(PROBLEM)
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


@pytest.mark.browser
def test_on_a_phone_the_tabs_fit_and_a_link_into_another_pane_opens_it(ada: Visitor) -> None:
    page = ada.page
    page.set_viewport_size({"width": 390, "height": 800})
    ada.open(PROBLEM)
    for tab in page.get_by_role("tab").all():
        expect(tab).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("link", name="Code", exact=True).click()
    page.get_by_role("button", name="Run samples").click()
    expect(page.locator(".banner .title")).to_be_visible()
    for name in ("Samples", "Custom input", "Result"):
        expect(page.get_by_role("tab", name=name)).to_be_in_viewport(ratio=1)

    ada.open("/problems")
    ada.open(f"{PROBLEM}#samples")

    expect(page.get_by_role("heading", name="small")).to_be_visible()


@pytest.mark.whole
@pytest.mark.browser
def test_on_a_phone_the_theme_is_chosen_below_the_statement(ada: Visitor) -> None:
    page = ada.page
    page.set_viewport_size({"width": 390, "height": 800})
    ada.open(PROBLEM)
    theme = page.get_by_role("contentinfo").get_by_label("Theme")

    theme.select_option("Dark")
    ada.open(PROBLEM)

    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(theme).to_have_value("dark")
    page.get_by_role("link", name="Code", exact=True).click()
    expect(theme).to_be_hidden()


@pytest.mark.whole
@pytest.mark.browser
def test_on_a_phone_an_address_of_a_tab_shows_all_of_it_below_the_panes(ada: Visitor) -> None:
    ada.page.set_viewport_size({"width": 390, "height": 400})
    ada.open(f"{PROBLEM}#own-inputs")
    ada.page.get_by_role("textbox", name="Custom inputs as YAML").wait_for()

    tab = ada.page.get_by_role("tab", name="Custom input").bounding_box()
    panes = ada.page.get_by_label("Parts of this page").bounding_box()

    assert tab
    assert panes
    assert tab["y"] >= panes["y"] + panes["height"]


@pytest.mark.browser
def test_custom_inputs_tell_their_limits_before_they_are_sent(ada: Visitor) -> None:
    page = ada.page
    ada.open(f"{PROBLEM}#own-inputs")
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
def test_several_custom_inputs_are_kept_for_the_problem(ada: Visitor) -> None:
    page = ada.page
    ada.open(f"{PROBLEM}#own-inputs")
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


def test_the_task_comes_before_the_background_and_the_inputs_stand_by_the_function(
    anyone: TestClient, database: Database
) -> None:
    with database.transaction() as session:
        problem = get_problem(session, "scaled_sum").model_copy(update={"statement": STATEMENT})

    statement = arrange_statement(problem)

    assert statement.task == "Before.\n\n## Problem\n\nAdd up.\n\n## Notes\n\nMore."
    assert (statement.inputs, statement.output) == ("N is small.", "One number.")
    assert statement.background.startswith("## Worked example")
    assert statement.background.endswith("```python\n## Problem\n```")
    assert anyone.get(PROBLEM).text.count("<table") == 1


def test_a_statement_without_a_task_stays_as_it_is(anyone: TestClient, database: Database) -> None:
    with database.transaction() as session:
        problem = get_problem(session, "scaled_sum").model_copy(update={"statement": "Return the sum."})

    assert arrange_statement(problem).task == "Return the sum."
    assert anyone.get(PROBLEM).is_success


@pytest.mark.parametrize(
    ("slug", "name", "words"),
    [
        ("finite_differences", "f", "function"),
        ("runge_kutta_4", "f", "function(t, y)"),
        ("hmc_step", "potential", "function(q)"),
        ("streaming_logsumexp", "chunks", None),
        ("train_with_accumulation", "model", None),
    ],
)
def test_an_argument_that_is_a_function_shows_its_call(slug: str, name: str, words: str | None) -> None:
    problem = view_package(load_package(ROOT / "problems" / slug))
    parameter = next(each for each in problem.parameters if each.name == name)

    assert name_function(name, parameter) == words


def test_a_sample_is_copied_as_python(anyone: TestClient, database: Database) -> None:
    with database.transaction() as session:
        problem = get_problem(session, "scaled_sum")
    sample = SampleCase(name="small", doc="Two numbers.", inputs=INPUTS, expected=copyable_preview(RIGHT))

    text = sample_python(problem, sample)

    assert text.splitlines() == [
        "# small: Two numbers.",
        "import numpy as np",
        "",
        "x = np.array([1.0, 2.5], dtype='float32')",
        "y = {}",
        "scale = 2.0",
        "options = {'weights': [1.0, 2.0]}",
        "answer = scaled_sum(x, y, scale, options)",
        "expected = np.array(7.0, dtype='float32')",
    ]
    assert sample_python(problem, sample.model_copy(update={"inputs": None})) == ""
    assert anyone.get(PROBLEM).is_success


@pytest.mark.parametrize(
    "value",
    [
        {"linear/~/w": np.ones(2, np.float32), "linear": {"~": {"w": 1}}},
        {3: "zero", 1: "one", "1": 2, 2.5: None, ("a", 0): True, None: [], False: {}},
        [
            "a\tb\r\nc\u00a0d",
            "\u200fabc e\u0301 \U0001f468\u200d\U0001f469",
            "word " * 150,
            'it\'s "..."\x00\x85',
            b"\xff",
        ],
        ((), (1,), [(2, 3)], {}, 2**70, -0.0, float("inf"), 1j, np.zeros((0, 2)), np.bool_([True])),
        [*range(100)],
        "# no comment \\ ...",
    ],
    ids=["keys", "types of keys", "texts", "containers", "many", "text"],
)
def test_a_copied_value_is_the_value(anyone: TestClient, database: Database, value: Any) -> None:
    with database.transaction() as session:
        problem = get_problem(session, "scaled_sum")
    sample = SampleCase(name="small", doc=None, inputs={}, expected=copyable_preview(value))

    text = sample_python(problem, sample).replace("answer = scaled_sum(x, y, scale, options)\n", "")
    found: dict[str, Any] = {}
    exec(text, found)

    assert is_same(found["expected"], value)
    assert anyone.get(PROBLEM).is_success


def test_what_is_too_large_to_copy_is_left_out_and_told(anyone: TestClient, database: Database) -> None:
    with database.transaction() as session:
        problem = get_problem(session, "scaled_sum")
    large, text = np.zeros((512, 8), np.float32), "word " * 10_000
    values: dict[str, Any] = {
        "x": large,
        "y": {"a": large, "b": "short"},
        "scale": text,
        "options": {"names": [text, 2]},
    }
    inputs = {name: copyable_preview(value) for name, value in values.items()}
    sample = SampleCase(name="large", doc=None, inputs=inputs, expected=copyable_preview(list("abcdefgh" * 1000)))

    assert sample_python(problem, sample).split("\n") == [
        "# large",
        "",
        "x = ...  # float32 of shape (512, 8), too large to copy",
        "y = {'a': ..., 'b': 'short'}  # too large to copy",
        "scale = ...  # too large to copy",
        "options = {'names': [..., 2]}  # too large to copy",
        "answer = scaled_sum(x, y, scale, options)",
        "expected = ...  # too large to copy",
        "",
    ]
    assert anyone.get(PROBLEM).is_success


def test_a_problem_opens_as_a_notebook_with_its_starter_and_the_magic(anyone: TestClient) -> None:
    answer = anyone.get(f"{PROBLEM}/notebook")

    notebook = json.loads(answer.text)
    cells = ["".join(cell["source"]) for cell in notebook["cells"]]

    assert answer.headers["content-disposition"] == 'attachment; filename="scaled_sum.ipynb"'
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert cells[0].startswith("# Scaled sum\n")
    assert cells[1].startswith("%load_ext allclose\n")
    assert cells[3].startswith("%%allclose scaled_sum --run --exec --server http")
    assert cells[3].endswith("def scaled_sum(x, y, scale, options):\n    ...")
    assert len({cell["id"] for cell in notebook["cells"]}) == len(cells)
    assert anyone.get("/problems/unknown/notebook").status_code == 404
