"""An author in a real browser: what is wrong shows at its line, verification runs live with the real checks."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect
from sqlalchemy import delete, update

from app.accounts.model import User, UserSession
from app.authoring.publication import publish_folder
from app.catalog.package import package_from_files
from app.database.engine import Database
from tests.authoring.exercise import EXERCISE, SLUG
from tests.authoring.test_verifier import verifying
from tests.transaction import commit, execute
from tests.web.browser import PATIENCE_MS, Visitor, visit

pytestmark = pytest.mark.browser
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture
def emmy(browser: Browser, address: str, database: Database) -> Iterator[Visitor]:
    """An author, and the exercise as it is in the server's folder."""
    commit(database, publish_folder, package_from_files(SLUG, {path: text.encode() for path, text in EXERCISE.items()}))
    with browser.new_context() as context:
        visitor = visit(context, address)
        visitor.sign_up("emmy")
        execute(database, update(User).where(User.username == "emmy").values(role="author"))
        yield visitor


def editor(visitor: Visitor, path: str) -> Locator:
    return visitor.page.get_by_role("textbox", name=path, exact=True)


def write(visitor: Visitor, path: str, text: str) -> None:
    """And look at its beginning."""
    visitor.page.locator(".cm-editor").first.wait_for()
    editor(visitor, path).fill(text)
    editor(visitor, path).press("Control+Home")


@pytest.mark.whole
def test_an_author_fixes_an_error_publishes_and_goes_back(emmy: Visitor, database: Database, tmp_path: Path) -> None:
    page = emmy.page
    emmy.open(f"/author/problems/{SLUG}")
    page.get_by_role("link", name="Edit").first.click()

    # An error shows below its line while it is typed, and goes when it is fixed.
    manifest = EXERCISE["problem.yaml"]
    changed = manifest.replace("estimated_minutes: ", "estimated_minutes: 1")
    write(emmy, "problem.yaml", changed.replace("difficulty: ", "difficulty: very "))
    expect(page.locator(".line-words")).to_contain_text("one of beginner")
    expect(page.locator(".line-fault")).to_contain_text("difficulty: very")
    expect(page.get_by_role("status")).to_contain_text("1 error.")
    write(emmy, "problem.yaml", changed)
    expect(page.get_by_role("status")).to_contain_text("The files are valid")

    # No worker verifies yet: the page waits, and moves by itself when one does.
    page.get_by_role("button", name="Publish").click()
    expect(page.locator(".banner .title")).to_contain_text("In the queue")
    with verifying(database, tmp_path):
        expect(page.locator(".banner .title")).to_contain_text("Verifying")
        expect(page.locator(".banner .title")).to_contain_text("Published", timeout=240_000)
        expect(page).to_have_title(f"Published · {SLUG} · Allclose")

    # What changed, and back again.
    page.get_by_role("link", name=SLUG).click()
    page.get_by_role("button", name="Compare").click()
    expect(page.locator(".added")).to_contain_text("estimated_minutes: 1")
    page.get_by_role("link", name=f"Revisions of {SLUG}").click()
    page.get_by_role("button", name="Make current").click()
    expect(page.locator(".revisions .current")).to_contain_text("Revision 1")
    assert emmy.complaints == []


def test_the_page_is_shown_beside_its_files_while_the_author_types(emmy: Visitor) -> None:
    emmy.page.set_viewport_size({"width": 1440, "height": 900})
    emmy.open(f"/author/edit?problem={SLUG}")
    shown = emmy.page.frame_locator("[data-package-preview] iframe")
    expect(shown.locator("h1")).to_be_visible()
    emmy.page.locator("summary", has_text="statement.md").click()

    editor(emmy, "statement.md").fill("Scale $x$ <script>parent.document.title = 'mine'</script>.")
    expect(shown.locator(".prose math").first).to_be_visible()
    editor(emmy, "problem.yaml").fill("title: [")
    expect(shown.locator(".draft-faults")).to_contain_text("is not YAML")
    expect(shown.locator(".prose").first).to_contain_text("Scale")

    emmy.page.get_by_role("button", name="Preview").click()
    expect(emmy.page.locator("[data-package-preview]")).to_be_hidden()
    assert "mine" not in emmy.page.title()
    assert emmy.complaints == []


@pytest.mark.whole
def test_typed_text_survives_a_closed_tab_and_an_ended_session(emmy: Visitor, database: Database) -> None:
    emmy.open(f"/author/edit?problem={SLUG}")
    write(emmy, "problem.yaml", "title: typed for an hour\n")
    expect(emmy.page.locator(".line-words").first).to_contain_text("is missing")
    execute(database, delete(UserSession))

    # The form is not sent to the sign-in page, which would lose the text.
    emmy.page.get_by_role("button", name="Publish").click()
    expect(emmy.page.get_by_role("status")).to_contain_text("You are signed out.")
    expect(editor(emmy, "problem.yaml")).to_contain_text("typed for an hour")

    # Another tab, after the first was closed.
    again = visit(emmy.page.context, emmy.address)
    again.sign_in("emmy")
    again.open(f"/author/edit?problem={SLUG}")
    again.page.get_by_role("button", name="Open it").click()
    expect(editor(again, "problem.yaml")).to_contain_text("typed for an hour")
    assert again.complaints == []


def test_a_removed_file_goes_without_a_reload_and_comes_back(emmy: Visitor) -> None:
    emmy.open(f"/author/edit?problem={SLUG}")
    page = emmy.page
    page.evaluate("window.isSamePage = true")
    statement = page.locator("details", has=page.locator("summary", has_text="statement.md"))
    statement.locator("summary").click()

    statement.get_by_role("button", name="Remove file").click()
    expect(statement).to_be_hidden()
    expect(page.locator("#faults")).to_contain_text("statement.md is missing")
    page.get_by_role("button", name="Undo").click()

    expect(statement).to_be_visible()
    expect(page.get_by_role("status")).to_contain_text("The files are valid")
    assert page.evaluate("window.isSamePage")
    assert emmy.complaints == []


def test_an_error_leads_to_its_line(emmy: Visitor) -> None:
    emmy.open(f"/author/edit?problem={SLUG}")
    emmy.page.locator("summary", has_text="reference.py").click()
    write(emmy, "reference.py", "x = 1\n" * 200 + "def f(:\n")
    emmy.page.locator("summary", has_text="reference.py").click()

    emmy.page.get_by_role("link", name="reference.py:201").click()

    expect(emmy.page.locator(".cm-activeLine", has_text="def f(:")).to_be_in_viewport()
    assert emmy.complaints == []


def test_an_author_is_not_warned_of_their_own_publication(emmy: Visitor, database: Database) -> None:
    emmy.open(f"/author/edit?problem={SLUG}")
    changed = EXERCISE["problem.yaml"].replace("estimated_minutes: ", "estimated_minutes: 1")
    write(emmy, "problem.yaml", changed)
    expect(emmy.page.get_by_role("status")).to_contain_text("The files are valid")

    emmy.page.get_by_role("button", name="Publish").click()
    expect(emmy.page.locator(".banner .title")).to_contain_text("In the queue")
    emmy.page.get_by_role("link", name="Edit these files").click()
    expect(editor(emmy, "problem.yaml")).to_be_visible()
    with database.transaction() as session:
        files = {**EXERCISE, "problem.yaml": changed}
        publish_folder(session, package_from_files(SLUG, {path: text.encode() for path, text in files.items()}))
    with emmy.page.expect_response(lambda answer: "# more" in (answer.request.post_data or "")):
        write(emmy, "problem.yaml", changed + "# more\n")

    expect(emmy.page.locator("[data-other-revision]")).to_be_empty()
    emmy.open(f"/author/problems/{SLUG}")
    emmy.open(f"/author/edit?problem={SLUG}")
    expect(emmy.page.locator("[data-copy]")).to_be_visible()  # what was typed after it was sent
