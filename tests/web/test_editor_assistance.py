"""What the editor suggests, shows and formats, in a real browser."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, Locator, expect

from app.database.engine import Database
from tests.framework_runtime import run_in_runtime
from tests.web.browser import PATIENCE_MS, Visitor, visit_as
from tests.web.test_editor import PROBLEM, editor, posted
from tests.web.test_every_page import list_violations

pytestmark = pytest.mark.browser
expect.set_options(timeout=PATIENCE_MS)

NEW_MS = 100  # a list that has just opened takes no key, so that a key meant for the code does not choose a name
FAULT = "Not formatted. Syntax error on line 3: Expected an expression"
LISTS = Path(__file__).parents[2] / "app" / "web" / "static" / "names"


@pytest.fixture
def ada(browser: Browser, address: str, database: Database) -> Iterator[Visitor]:
    """Signed in as `ada`, with the problem open and the editor ready to help."""
    with browser.new_context() as context:
        visitor = visit_as("ada", context, address, database)
        visitor.open(PROBLEM)
        yield visitor
        assert visitor.complaints == []


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


def announced(visitor: Visitor) -> Locator:
    return visitor.page.locator(".editor-area .cm-announced")


def test_a_framework_s_names_are_suggested_under_their_alias_without_asking_the_server(ada: Visitor) -> None:
    write(ada, "import numpy as np\nx = np.")
    wait_for_list(ada, "numpy")
    asked: list[str] = []
    ada.page.on("request", lambda request: asked.append(request.url))

    ada.page.keyboard.type("linspa")
    expect(suggested(ada).first).to_contain_text("linspace")
    expect(ada.page.locator(".cm-completionInfo")).to_contain_text("numpy.linspace(start, stop, num=50")
    ada.page.wait_for_timeout(NEW_MS)
    ada.page.keyboard.press("Enter")

    expect(posted(ada)).to_have_value("import numpy as np\nx = np.linspace")
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


def test_names_are_suggested_by_what_stands_before_them(ada: Visitor) -> None:
    for before, typed, option, after in SUGGESTIONS:
        write(ada, before)
        ada.page.keyboard.type(typed)
        expect(suggested(ada).and_(ada.page.locator("[aria-selected]"))).to_contain_text(option)
        ada.page.wait_for_timeout(NEW_MS)

        ada.page.keyboard.press("Tab")

        expect(posted(ada)).to_have_value(before + after)


@pytest.mark.whole
def test_nothing_is_suggested_in_texts_comments_and_new_names(ada: Visitor) -> None:
    write(ada, "enumerated = 1\n")
    for typed in ("# enumer", '"enumer', "def enumer"):
        ada.page.keyboard.type(typed)
        ada.page.wait_for_timeout(300)
        expect(suggested(ada)).to_have_count(0)
        ada.page.keyboard.press("Control+End")
        ada.page.keyboard.press("Enter")


@pytest.mark.whole
def test_the_list_is_opened_by_a_key_and_enter_after_a_whole_name_starts_a_line(ada: Visitor) -> None:
    write(ada, "total = 1\nx = ")
    ada.page.keyboard.press("Control+Space")
    expect(suggested(ada).filter(has_text="total")).to_have_count(1)
    expect(editor(ada)).to_have_attribute("aria-autocomplete", "list")

    ada.page.keyboard.type("total")
    expect(suggested(ada).first).to_have_text("total")
    ada.page.keyboard.press("Enter")

    expect(posted(ada)).to_have_value("total = 1\nx = total\n")


def test_escape_closes_the_list_and_only_the_next_one_lets_the_keyboard_out(ada: Visitor) -> None:
    write(ada, "if enumer")
    editor(ada).press("Control+Space")
    expect(suggested(ada).first).to_be_visible()

    ada.page.keyboard.press("Escape")
    expect(suggested(ada)).to_have_count(0)
    ada.page.keyboard.press("Tab")
    expect(editor(ada)).to_be_focused()

    ada.page.keyboard.press("Escape")
    ada.page.keyboard.press("Tab")
    expect(editor(ada)).not_to_be_focused()


@pytest.mark.whole
def test_brackets_and_quotes_close_and_are_typed_over(ada: Visitor) -> None:
    write(ada, "")
    ada.page.keyboard.type("x = f([1, 2")
    expect(posted(ada)).to_have_value("x = f([1, 2])")
    ada.page.keyboard.type("])")
    expect(posted(ada)).to_have_value("x = f([1, 2])")

    ada.page.keyboard.press("Enter")
    ada.page.keyboard.type("(")
    ada.page.keyboard.press("Backspace")
    expect(posted(ada)).to_have_value("x = f([1, 2])\n")

    ada.page.keyboard.type("abc")
    ada.page.keyboard.press("Shift+Home")
    ada.page.keyboard.type("(")
    expect(posted(ada)).to_have_value("x = f([1, 2])\n(abc)")


def test_the_signature_of_a_call_is_shown_while_its_arguments_are_typed(ada: Visitor) -> None:
    write(ada, "import numpy as np\nx = ")
    ada.page.keyboard.type("np.clip(")
    expect(help_shown(ada)).to_contain_text("numpy.clip(a, a_min=")
    expect(help_shown(ada)).to_contain_text("Clip (limit) the values in an array.")
    expect(help_shown(ada).locator("strong")).to_have_text("a")
    expect(announced(ada)).to_contain_text("Clip (limit) the values in an array.")

    ada.page.keyboard.type("[1, 2], 0")
    expect(help_shown(ada).locator("strong")).to_contain_text("a_min")
    ada.page.keyboard.type(", out=1")
    expect(help_shown(ada).locator("strong")).to_contain_text("out")
    ada.page.keyboard.press("Escape")
    expect(help_shown(ada)).to_have_count(0)


@pytest.mark.whole
def test_a_signature_stays_where_parsing_is_interrupted_at_every_step(ada: Visitor) -> None:
    write(ada, "import numpy as np\nx = ")
    ada.page.keyboard.type("np.clip(")
    expect(help_shown(ada)).to_contain_text("numpy.clip(a, a_min=")
    # CodeMirror parses for 20 ms after a change, and each look at this clock takes 21 ms.
    ada.page.evaluate("() => { let past = Date.now(); Date.now = () => (past += 21); }")
    ada.page.keyboard.type("0, out=1")
    expect(help_shown(ada).locator("strong")).to_contain_text("out")


@pytest.mark.whole
def test_a_key_and_the_pointer_show_what_a_name_is(ada: Visitor) -> None:
    twice = 'def twice(x, scale=2):\n    """Doubles x. Really."""\n    return jnp.dot(x, scale)\n'
    write(ada, f"import jax.numpy as jnp\n\n{twice}\ntwice")
    ada.page.keyboard.press("Control+Shift+Space")
    expect(announced(ada)).to_contain_text("Doubles x.")
    expect(help_shown(ada)).to_contain_text("twice(x, scale=2)")
    expect(help_shown(ada).locator("p")).to_have_text("Doubles x.")
    ada.page.keyboard.press("ArrowLeft")
    expect(help_shown(ada)).to_have_count(0)

    ada.page.mouse.move(*place_of(ada, "dot(x"))
    expect(help_shown(ada)).to_contain_text("jax.numpy.dot(a, b")


def test_the_code_is_formatted_in_one_step_and_the_cursor_stays(ada: Visitor) -> None:
    source = "import numpy as np\ndef f( x ):\n  return {'a':x}\n\n\n\n\ny = f(1)"
    write(ada, source)
    ada.page.keyboard.press("Shift+Alt+F")
    expect(ada.page.locator("#format-status")).to_have_text("Formatted")

    formatted = 'import numpy as np\n\n\ndef f(x):\n    return {"a": x}\n\n\ny = f(1)\n'
    expect(posted(ada)).to_have_value(formatted)
    expect(ada.page.locator("[data-position]")).to_have_text("Line 8, column 9")
    ada.page.get_by_role("button", name="Format").click()
    expect(ada.page.locator("#format-status")).to_have_text("Already formatted")
    editor(ada).press("Control+z")
    expect(posted(ada)).to_have_value(source)


def test_a_syntax_error_is_said_at_its_line_and_nothing_is_changed(ada: Visitor) -> None:
    source = "é = 'ü'\n\nx = = 1\n"
    write(ada, source)
    ada.page.get_by_role("button", name="Format").click()

    expect(ada.page.locator("#format-status")).to_have_text(FAULT)
    expect(ada.page.locator(".line-fault")).to_have_text("x = = 1")
    expect(posted(ada)).to_have_value(source)
    editor(ada).press("a")
    expect(ada.page.locator(".line-fault")).to_have_count(0)


def test_the_formatter_alone_may_compile_webassembly(anyone: TestClient) -> None:
    page = anyone.get(PROBLEM)
    worker = anyone.get("/static/bundle/format.js")

    assert "wasm" not in page.headers["content-security-policy"]
    assert "script-src 'self' 'wasm-unsafe-eval'" in worker.headers["content-security-policy"]
    assert "default-src 'none'" in worker.headers["content-security-policy"]
    assert anyone.get("/static/bundle/ruff.wasm").headers["content-type"] == "application/wasm"


@pytest.mark.whole
def test_names_and_formatter_are_loaded_only_when_they_are_needed(ada: Visitor) -> None:
    loaded: list[str] = []
    ada.page.on("request", lambda request: loaded.append(request.url.split("/")[-1].split("?")[0]))
    ada.page.reload()
    ada.page.wait_for_load_state("networkidle")
    assert not any(name.endswith((".json", ".wasm")) or name.startswith("assist") for name in loaded)

    write(ada, "import optax\n")
    wait_for_list(ada, "optax")
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
def test_a_chosen_theme_is_on_all_pages_and_the_system_s_again(ada: Visitor) -> None:
    light = background(ada)
    choose(ada, "Theme", "Dark")
    dark = background(ada)
    assert dark != light
    for path in (PROBLEM, "/problems"):
        ada.open(path)
        assert background(ada) == dark

    ada.page.get_by_role("contentinfo").get_by_label("Theme").select_option("As the system")
    assert background(ada) == light
    ada.page.emulate_media(color_scheme="dark")
    ada.open(PROBLEM)
    choose(ada, "Theme", "Light")
    assert background(ada) == light
    choose(ada, "Theme", "As the system")
    assert background(ada) == dark


@pytest.mark.whole
def test_the_size_of_the_code_is_kept(ada: Visitor) -> None:
    choose(ada, "Size of the code", "20 pixels")
    ada.page.reload()

    expect(ada.page.locator(".editor-area .cm-content")).to_have_css("font-size", "20px")
    choose(ada, "Size of the code", "Default")
    expect(ada.page.locator(".editor-area .cm-content")).to_have_css("font-size", "14px")


@pytest.mark.whole
def test_suggestions_may_wait_for_the_key(ada: Visitor) -> None:
    write(ada, "")
    choose(ada, "Suggest names", "With Ctrl+Space only")
    editor(ada).focus()
    ada.page.keyboard.type("enumer")
    ada.page.wait_for_timeout(300)
    expect(suggested(ada)).to_have_count(0)

    ada.page.keyboard.press("Control+Space")
    expect(suggested(ada).first).to_contain_text("enumerate")


@pytest.mark.whole
@pytest.mark.parametrize(("width", "scheme"), [(1024, "dark"), (1440, "light")])
def test_the_list_the_signature_and_the_settings_are_accessible(ada: Visitor, width: int, scheme: str) -> None:
    ada.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    ada.page.set_viewport_size({"width": width, "height": 800})
    write(ada, "import numpy as np\n")
    ada.page.keyboard.type("np.sum(np.ar")
    expect(suggested(ada).first).to_be_visible()
    expect(help_shown(ada)).to_be_visible()
    assert [*list_violations(ada)] == []
    assert ada.page.evaluate("document.documentElement.scrollWidth") <= width

    ada.page.get_by_role("button", name="Settings").click()
    expect(ada.page.get_by_role("dialog").get_by_label("Theme")).to_be_visible()
    assert [*list_violations(ada)] == []


@pytest.mark.whole
def test_the_lists_are_those_of_the_installed_frameworks(tmp_path: Path) -> None:
    run_in_runtime("app.web.assets.list_names", tmp_path)

    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in LISTS.iterdir())
    for path in tmp_path.iterdir():
        assert json.loads(path.read_text()) == json.loads((LISTS / path.name).read_text()), "run make names"
