"""Hints, quiz, and solution on the pages; what they mean is tested in tests/learning."""

import re
from http import HTTPStatus

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import expect

from app.accounts.session import start_session
from app.database.engine import Database
from app.learning.progress import read_learning
from app.submissions.draft import find_draft
from app.web.visit import COOKIE
from tests.factories import make_user
from tests.learning.lessons import HINTS, publish_lesson
from tests.web.browser import PATIENCE_MS, Visitor
from tests.web.judged import all_right, judge
from tests.web.submit_form import PAGE, solve

SOURCE = "def scaled_sum(x, y, scale, options):\n    return x.sum() * scale  # mine\n"
LOCKED = ("Count on your fingers.", "Add, then multiply.", "return x.sum() * scale", "def make(", *HINTS)

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(autouse=True)
def lesson(app: object, database: Database) -> None:  # noqa: ARG001  # after the application's own problem
    with database.transaction() as session:
        publish_lesson(session)


def test_hints_quiz_answers_and_solution_are_on_no_page_before_they_are_opened(ada: TestClient) -> None:
    pages = {path: ada.get(PAGE + path) for path in ("", "/learning", "/quiz", "/quiz/questions", "/solution")}

    assert {page.status_code for page in pages.values()} == {HTTPStatus.OK}
    for path, page in pages.items():
        assert [secret for secret in LOCKED if secret in page.text] == [], path
    assert "tone-" not in pages["/quiz/questions"].text


def test_a_hint_is_shown_as_text_and_the_code_on_the_page_becomes_the_draft(ada: TestClient) -> None:
    answer = ada.post(PAGE + "/hints", data={"number": 1, "source": SOURCE.replace("\n", "\r\n"), "mode": "submit"})
    page = ada.get(PAGE).text

    assert answer.headers["location"] == PAGE + "#hint-1"
    assert "Use &lt;b&gt;numpy&lt;/b&gt;." in page
    assert "Show hint 2 of 3" in page
    assert SOURCE in page


def test_the_starter_is_no_draft(ada: TestClient, database: Database) -> None:
    starter = "def scaled_sum(x, y, scale, options):\n    ...\n"
    ada.post(PAGE + "/hints", data={"number": 1, "source": starter})

    with database.transaction() as session:
        other = make_user(session)
        assert read_learning(session, other.id, "scaled_sum").hints.revealed == ()
        assert find_draft(session, other.id, "scaled_sum") is None
    assert 'data-version=""' in ada.get(PAGE).text


def test_an_answer_is_explained_in_words_and_a_retake_forgets_it(ada: TestClient) -> None:
    ada.post(PAGE + "/quiz", data={"question": 0, "choice": 0})
    answered = ada.get(PAGE + "/quiz").text
    ada.post(PAGE + "/quiz/again")
    again = ada.get(PAGE + "/quiz").text

    for words in ("Your answer, wrong", "Correct answer", "Wrong.", "Count on your fingers.", "1 of 2 answered"):
        assert words in answered
        assert words not in again
    assert "Attempt 2." in again


def test_the_solution_opens_with_success(ada: TestClient, database: Database) -> None:
    solve(ada, database)
    page, solution = ada.get(PAGE).text, ada.get(PAGE + "/solution").text

    assert "Open because you solved the problem yourself." in page
    assert "Add, then multiply." in solution
    assert "plain.py" in solution
    assert "def make(" not in solution


def test_a_problem_solved_after_viewing_the_solution_says_so(ada: TestClient, database: Database) -> None:
    ada.post(PAGE + "/solution")
    shown = ada.get(PAGE).text
    solve(ada, database)

    assert "You viewed it on" in shown
    assert "Solved after viewing the solution." in ada.get(PAGE).text
    assert "1 after viewing the solution" in ada.get("/me").text


@pytest.mark.browser
def test_from_hint_to_quiz_to_the_solution_with_the_keyboard(student: Visitor, database: Database) -> None:
    page = student.page
    student.open(PAGE)
    page.get_by_label("Your solution").fill(SOURCE)

    page.get_by_role("tab", name="Hints").click()
    page.get_by_role("button", name="Show hint 1 of 3").press("Enter")
    expect(page.locator("#hint-1")).to_be_focused()
    expect(page.locator("#hint-1")).to_contain_text("Use <b>numpy</b>.")
    page.get_by_role("button", name="Show hint 2 of 3").press("Enter")
    expect(page.locator("#hint-2")).to_contain_text("Add first.")
    expect(page.get_by_label("Your solution")).to_contain_text("# mine")

    page.get_by_role("tab", name="Solution").click()
    expect(page.get_by_text("Opens when a submission is accepted.")).to_be_visible()
    page.get_by_role("button", name="Submit").click()
    page.locator(".banner .title", has_text="In the queue").wait_for()
    judge(database, *all_right())
    expect(page.get_by_text("Open because you solved the problem yourself.")).to_be_visible()

    page.get_by_role("tabpanel", name="Solution").get_by_role("link", name="Take the quiz").press("Enter")
    page.get_by_role("radio", name="2", exact=True).first.check()
    page.locator("#question-1").get_by_role("button", name="Answer").press("Enter")
    expect(page.locator("#question-1")).to_be_focused()
    expect(page.locator("#question-1")).to_contain_text("Your answer, correct")
    expect(page.get_by_text("1 of 2 answered, 1 correct.")).to_be_visible()

    student.open(PAGE + "/solution")
    expect(page.get_by_role("region", name="The reference solution")).to_contain_text("return x.sum() * scale")
    expect(page.get_by_text("Add, then multiply.")).to_be_visible()


def test_the_author_sees_how_many_students_took_each_hint(ada: TestClient, database: Database) -> None:
    ada.post(PAGE + "/hints", data={"number": 1})
    solve(ada, database)
    with database.transaction() as session:
        ada.cookies.set(COOKIE, start_session(session, make_user(session, "emmy", role="author").id))

    taken = ada.get("/author/problems/scaled_sum").text.partition("Hints taken")[2].partition("</table>")[0]

    assert re.search(r"Hint 1.*?1 of 1", taken, re.DOTALL)
    assert taken.count("<tr>") == 2
