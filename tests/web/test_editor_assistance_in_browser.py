"""What the editor suggests, shows and formats, in a real browser."""

import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Locator, expect

from tests.framework_runtime import run_in_runtime
from tests.web.browser import PATIENCE_MS, Visitor
from tests.web.test_editor_in_browser import PROBLEM, editor, posted
from tests.web.test_every_page import list_violations

pytestmark = pytest.mark.browser
expect.set_options(timeout=PATIENCE_MS)

NEW_MS = 100  # a list that has just opened takes no key, so that a key meant for the code does not choose a name
FAULT = "Not formatted. Syntax error on line 3: Expected an expression"
LISTS = Path(__file__).parents[2] / "app" / "web" / "static" / "names"


@pytest.fixture(autouse=True)
def open_problem(request: pytest.FixtureRequest) -> None:
    if "student" in request.fixturenames:
        request.getfixturevalue("student").open(PROBLEM)


def write(visitor: Visitor, source: str) -> None:
    """Replace the code and put the cursor at its end, when everything is loaded that the focus loads."""
    editor(visitor).fill(source)
    expect(editor(visitor)).to_have_attribute("aria-autocomplete", "list")
    wait_for_list(visitor, "python")
    editor(visitor).press("Control+End")


def wait_for_list(visitor: Visitor, framework: str) -> None:
    loaded = "(file) => performance.getEntriesByType('resource').some((one) => one.name.includes(file))"
    visitor.page.wait_for_function(loaded, arg=f"/names/{framework}.json")


def suggested(visitor: Visitor) -> Locator:
    return visitor.page.get_by_role("listbox").get_by_role("option")


def place_of(visitor: Visitor, words: str) -> tuple[float, float]:
    """Where the first character of these words is in the code."""
    found: list[float] = visitor.page.evaluate(
        """(words) => {
            const code = document.querySelector(".editor-area .cm-content");
            const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
            while (walker.nextNode() && !walker.currentNode.data.includes(words));
            const range = document.createRange();
            range.setStart(walker.currentNode, walker.currentNode.data.indexOf(words));
            range.setEnd(walker.currentNode, range.startOffset + 1);
            const {x, y, width, height} = range.getBoundingClientRect();
            return [x + width / 2, y + height / 2];
        }""",
        words,
    )
    return found[0], found[1]


def help_shown(visitor: Visitor) -> Locator:
    return visitor.page.locator(".cm-tooltip.code-help, .cm-tooltip-hover .code-help")


def note_announcements(visitor: Visitor) -> None:
    """Keep what the editor announces, since it removes the words after 200 ms."""
    visitor.page.evaluate(
        """() => {
            window.announcements = "";
            const region = document.querySelector(".editor-area .cm-announced");
            new MutationObserver(() => (window.announcements += region.textContent)).observe(region, {childList: true});
        }"""
    )


def wait_for_announcement(visitor: Visitor, words: str) -> None:
    visitor.page.wait_for_function("(words) => window.announcements.includes(words)", arg=words)


def test_a_framework_s_names_are_suggested_under_their_alias_without_asking_the_server(student: Visitor) -> None:
    write(student, "import numpy as np\nx = np.")
    wait_for_list(student, "numpy")
    asked: list[str] = []
    student.page.on("request", lambda request: asked.append(request.url))

    student.page.keyboard.type("linspa")
    expect(suggested(student).first).to_contain_text("linspace")
    expect(student.page.locator(".cm-completionInfo")).to_contain_text("numpy.linspace(start, stop, num=50")
    student.page.wait_for_timeout(NEW_MS)
    student.page.keyboard.press("Enter")

    expect(posted(student)).to_have_value("import numpy as np\nx = np.linspace")
    assert [url for url in asked if "/draft" not in url] == []


# The code, what is typed at its end, the suggestion that is taken, and what the last line is then.
SUGGESTIONS = (
    ("import jax.numpy as jnp\n", "jnp.argma", "argmax", "jnp.argmax"),
    ("from torch.nn import functional as F\n", "F.softma", "softmax", "F.softmax"),
    ("import torch\n", "torch.nn.functional.rel", "relu", "torch.nn.functional.relu"),
    ("import flax.linen as nn\n", "nn.Dens", "Dense", "nn.Dense"),
    ("import optax\n", "optax.adam", "adam", "optax.adam"),
    ("", "from jax import nump", "numpy", "from jax import numpy"),
    ("", "import functo", "functools", "import functools"),
    ("import numpy as np\ndef f(x):\n    return ", "x.resha", "reshape", "x.reshape"),
    ("momentum = 0.9\n", "momen", "momentum", "momentum"),
    ("", "enumera", "enumerate", "enumerate"),
    ("", "contin", "continue", "continue"),
    ("import numpy as np\n", "np.sum([1, 2], keepd", "keepdims=", "np.sum([1, 2], keepdims=)"),
)


def test_names_are_suggested_by_what_stands_before_them(student: Visitor) -> None:
    for before, typed, option, after in SUGGESTIONS:
        write(student, before)
        student.page.keyboard.type(typed)
        expect(suggested(student).and_(student.page.locator("[aria-selected]"))).to_contain_text(option)
        student.page.wait_for_timeout(NEW_MS)

        student.page.keyboard.press("Tab")

        expect(posted(student)).to_have_value(before + after)


@pytest.mark.whole
def test_nothing_is_suggested_in_texts_comments_and_new_names(student: Visitor) -> None:
    write(student, "enumerated = 1\n")
    for typed in ("# enumer", '"enumer', "def enumer"):
        student.page.keyboard.type(typed)
        student.page.wait_for_timeout(300)
        expect(suggested(student)).to_have_count(0)
        student.page.keyboard.press("Control+End")
        student.page.keyboard.press("Enter")


@pytest.mark.whole
def test_the_list_is_opened_by_a_key_and_enter_after_a_whole_name_starts_a_line(student: Visitor) -> None:
    write(student, "total = 1\nx = ")
    student.page.keyboard.press("Control+Space")
    expect(suggested(student).filter(has_text="total")).to_have_count(1)
    expect(editor(student)).to_have_attribute("aria-autocomplete", "list")

    student.page.keyboard.type("total")
    expect(suggested(student).first).to_have_text("total")
    student.page.keyboard.press("Enter")

    expect(posted(student)).to_have_value("total = 1\nx = total\n")


def test_escape_closes_the_list_and_only_the_next_one_lets_the_keyboard_out(student: Visitor) -> None:
    write(student, "if enumer")
    editor(student).press("Control+Space")
    expect(suggested(student).first).to_be_visible()

    student.page.keyboard.press("Escape")
    expect(suggested(student)).to_have_count(0)
    student.page.keyboard.press("Tab")
    expect(editor(student)).to_be_focused()

    student.page.keyboard.press("Escape")
    student.page.keyboard.press("Tab")
    expect(editor(student)).not_to_be_focused()


def test_the_signature_of_a_call_is_shown_while_its_arguments_are_typed(student: Visitor) -> None:
    write(student, "import numpy as np\nx = ")
    note_announcements(student)
    student.page.keyboard.type("np.clip(")
    expect(help_shown(student)).to_contain_text("numpy.clip(a, a_min=")
    expect(help_shown(student)).to_contain_text("Clip (limit) the values in an array.")
    expect(help_shown(student).locator("strong")).to_have_text("a")
    wait_for_announcement(student, "Clip (limit) the values in an array.")

    student.page.keyboard.type("[1, 2], 0")
    expect(help_shown(student).locator("strong")).to_contain_text("a_min")
    student.page.keyboard.type(", out=1")
    expect(help_shown(student).locator("strong")).to_contain_text("out")
    student.page.keyboard.press("Escape")
    expect(help_shown(student)).to_have_count(0)


@pytest.mark.whole
def test_a_signature_stays_where_parsing_is_interrupted_at_every_step(student: Visitor) -> None:
    write(student, "import numpy as np\nx = ")
    student.page.keyboard.type("np.clip(")
    expect(help_shown(student)).to_contain_text("numpy.clip(a, a_min=")
    # CodeMirror parses for 20 ms after a change, and each look at this clock takes 21 ms.
    student.page.evaluate("() => { let past = Date.now(); Date.now = () => (past += 21); }")
    student.page.keyboard.type("0, out=1")
    expect(help_shown(student).locator("strong")).to_contain_text("out")


@pytest.mark.whole
def test_a_key_and_the_pointer_show_what_a_name_is(student: Visitor) -> None:
    twice = 'def twice(x, scale=2):\n    """Doubles x. Really."""\n    return jnp.dot(x, scale)\n'
    write(student, f"import jax.numpy as jnp\n\n{twice}\ntwice")
    note_announcements(student)
    student.page.keyboard.press("Control+Shift+Space")
    wait_for_announcement(student, "Doubles x.")
    expect(help_shown(student)).to_contain_text("twice(x, scale=2)")
    expect(help_shown(student).locator("p")).to_have_text("Doubles x.")
    student.page.keyboard.press("ArrowLeft")
    expect(help_shown(student)).to_have_count(0)

    student.page.mouse.move(*place_of(student, "dot(x"))
    expect(help_shown(student)).to_contain_text("jax.numpy.dot(a, b")


def test_the_code_is_formatted_in_one_step_and_the_cursor_stays(student: Visitor) -> None:
    source = "import numpy as np\ndef f( x ):\n  return {'a':x}\n\n\n\n\ny = f(1)"
    write(student, source)
    student.page.keyboard.press("Shift+Alt+F")
    expect(student.page.locator("#format-status")).to_have_text("Formatted")

    formatted = 'import numpy as np\n\n\ndef f(x):\n    return {"a": x}\n\n\ny = f(1)\n'
    expect(posted(student)).to_have_value(formatted)
    expect(student.page.locator("[data-position]")).to_have_text("Line 8, column 9")
    student.page.get_by_role("button", name="Format").click()
    expect(student.page.locator("#format-status")).to_have_text("Already formatted")
    editor(student).press("Control+z")
    expect(posted(student)).to_have_value(source)


def test_formatting_code_with_a_syntax_error_marks_the_line_and_changes_nothing(student: Visitor) -> None:
    source = "é = 'ü'\n\nx = = 1\n"
    write(student, source)
    student.page.get_by_role("button", name="Format").click()

    expect(student.page.locator("#format-status")).to_have_text(FAULT)
    expect(student.page.locator(".line-fault")).to_have_text("x = = 1")
    expect(posted(student)).to_have_value(source)
    editor(student).press("a")
    expect(student.page.locator(".line-fault")).to_have_count(0)


def test_the_formatter_alone_may_compile_webassembly(anyone: TestClient) -> None:
    page = anyone.get(PROBLEM)
    worker = anyone.get("/static/bundle/format.js")

    assert "wasm" not in page.headers["content-security-policy"]
    assert "script-src 'self' 'wasm-unsafe-eval'" in worker.headers["content-security-policy"]
    assert "default-src 'none'" in worker.headers["content-security-policy"]
    assert anyone.get("/static/bundle/ruff.wasm").headers["content-type"] == "application/wasm"


@pytest.mark.whole
def test_names_and_formatter_are_loaded_only_when_they_are_needed(student: Visitor) -> None:
    loaded: list[str] = []
    student.page.on("request", lambda request: loaded.append(request.url.split("/")[-1].split("?")[0]))
    student.page.reload()
    student.page.wait_for_load_state("networkidle")
    assert not any(name.endswith((".json", ".wasm")) or name.startswith("assist") for name in loaded)

    write(student, "import optax\n")
    wait_for_list(student, "optax")
    assert {"optax.json", "python.json"} == {name for name in loaded if name.endswith(".json")}
    assert "ruff.wasm" not in loaded


def choose(visitor: Visitor, label: str, option: str) -> None:
    visitor.page.get_by_role("button", name="Settings").click()
    settings = visitor.page.get_by_role("dialog", name="Settings")
    settings.get_by_label(label).select_option(option)
    settings.get_by_role("button", name="Close").click()


def background(visitor: Visitor) -> str:
    found: str = visitor.page.evaluate("getComputedStyle(document.body).backgroundColor")
    return found


@pytest.mark.whole
def test_a_chosen_theme_is_on_all_pages_and_the_system_s_again(student: Visitor) -> None:
    light = background(student)
    choose(student, "Theme", "Dark")
    dark = background(student)
    assert dark != light
    for path in (PROBLEM, "/problems"):
        student.open(path)
        assert background(student) == dark

    student.page.get_by_role("contentinfo").get_by_label("Theme").select_option("As the system")
    assert background(student) == light
    student.page.emulate_media(color_scheme="dark")
    student.open(PROBLEM)
    choose(student, "Theme", "Light")
    assert background(student) == light
    choose(student, "Theme", "As the system")
    assert background(student) == dark


@pytest.mark.whole
def test_the_size_of_the_code_is_kept(student: Visitor) -> None:
    choose(student, "Size of the code", "20 pixels")
    student.page.reload()

    expect(student.page.locator(".editor-area .cm-content")).to_have_css("font-size", "20px")
    choose(student, "Size of the code", "Default")
    expect(student.page.locator(".editor-area .cm-content")).to_have_css("font-size", "14px")


@pytest.mark.whole
def test_suggestions_may_wait_for_the_key(student: Visitor) -> None:
    write(student, "")
    choose(student, "Suggest names", "With Ctrl+Space only")
    editor(student).focus()
    student.page.keyboard.type("enumer")
    student.page.wait_for_timeout(300)
    expect(suggested(student)).to_have_count(0)

    student.page.keyboard.press("Control+Space")
    expect(suggested(student).first).to_contain_text("enumerate")


@pytest.mark.whole
@pytest.mark.parametrize(("width", "scheme"), [(1024, "dark"), (1440, "light")])
def test_the_list_the_signature_and_the_settings_are_accessible(student: Visitor, width: int, scheme: str) -> None:
    student.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    student.page.set_viewport_size({"width": width, "height": 800})
    write(student, "import numpy as np\n")
    student.page.keyboard.type("np.sum(np.ar")
    expect(suggested(student).first).to_be_visible()
    expect(help_shown(student)).to_be_visible()
    assert [*list_violations(student)] == []
    assert student.page.evaluate("document.documentElement.scrollWidth") <= width

    student.page.get_by_role("button", name="Settings").click()
    expect(student.page.get_by_role("dialog").get_by_label("Theme")).to_be_visible()
    assert [*list_violations(student)] == []


@pytest.mark.whole
def test_the_lists_are_those_of_the_installed_frameworks(tmp_path: Path) -> None:
    run_in_runtime("app.web.assets.list_names", tmp_path)

    listed = {path.name for path in tmp_path.iterdir()}
    assert listed | {"triton.json"} == {path.name for path in LISTS.iterdir()}  # Triton is optional
    for path in tmp_path.iterdir():
        assert json.loads(path.read_text()) == json.loads((LISTS / path.name).read_text()), "run make names"
