"""Shared solutions, questions and reports on the pages; what they mean is tested in tests/learning."""

import re
from http import HTTPStatus
from uuid import UUID

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from playwright.sync_api import expect

from app.accounts.model import Role
from app.accounts.permission import Viewer, signed_in
from app.accounts.session import start_session
from app.database.engine import Database
from app.learning.discussion import PostText, answer, ask
from app.learning.moderation import decide_on_post, report_post
from app.learning.shared_solution import share
from app.submissions.model import Submission
from app.web.visit import COOKIE
from tests.factories import make_user
from tests.hostile_text import HOSTILE, list_harm, list_markup
from tests.learning.lessons import make_accepted, publish_lesson
from tests.learning.test_moderation import ACTOR
from tests.web.browser import PATIENCE_MS
from tests.web.submit_form import PAGE, solve

UUIDS = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
CODE = "Like this:\n\n```python\nreturn secret_of_grace\n```\n"

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture
def grace(app: FastAPI, database: Database) -> Viewer:  # noqa: ARG001  # after the application's own problem
    """Another student."""
    with database.transaction() as session:
        publish_lesson(session)
        return signed_in(make_user(session, "grace"))


def share_of(database: Database, viewer: Viewer, source: str = "secret_of_grace = 1\n") -> UUID:
    with database.transaction() as session:
        submission_id = make_accepted(session, viewer.user, publish_lesson(session))
        session.get_one(Submission, submission_id).source = source
        session.flush()
        share(session, viewer, submission_id)
    return submission_id


def asked_by(database: Database, viewer: Viewer, title: str = "Why scale?", body: str = CODE) -> UUID:
    with database.transaction() as session:
        return ask(session, viewer, "scaled_sum", PostText(title=title, body=body))


def as_role(client: TestClient, database: Database, role: Role) -> TestClient:
    with database.transaction() as session:
        client.cookies.set(COOKIE, start_session(session, make_user(session, role=role).id))
    return client


def test_shared_solutions_open_together_with_the_solution(ada: TestClient, database: Database, grace: Viewer) -> None:
    shared = share_of(database, grace)
    pages = (PAGE + "/solutions", f"/solutions/{shared}")

    locked = [ada.get(path) for path in pages]
    solve(ada, database)
    opened = [ada.get(path) for path in pages]

    assert [page.status_code for page in locked] == [HTTPStatus.OK, HTTPStatus.FORBIDDEN]
    assert not any("grace" in page.text for page in locked)
    assert "Solutions of other users open when" in locked[0].text
    assert [page.status_code for page in opened] == [HTTPStatus.OK] * 2
    assert f'href="/solutions/{shared}"' in opened[0].text
    assert "secret_of_grace" in opened[1].text


def test_an_accepted_submission_is_shared_and_withdrawn_by_its_own_user_only(
    ada: TestClient, database: Database, grace: Viewer
) -> None:
    own = solve(ada, database)
    other = share_of(database, grace)

    assert "Share this solution" in ada.get(own).text
    assert "Share my solution" in ada.get(PAGE + "/solutions").text
    assert ada.post(own + "/sharing", data={"is_shared": "true"}).headers["location"] == own + "#sharing"
    assert "Withdraw this solution" in ada.get(own).text
    assert "Share my solution" not in ada.get(PAGE + "/solutions").text
    assert ada.post(f"/submissions/{other}/sharing", data={"is_shared": "false"}).status_code == HTTPStatus.NOT_FOUND
    away = ada.post(own + "/sharing", data={"is_shared": "false", "next": "https://elsewhere.example/"})
    assert away.headers["location"] == "/"
    assert "Share this solution" in ada.get(own).text


def test_code_in_questions_is_hidden_until_the_problem_is_solved(
    ada: TestClient, database: Database, grace: Viewer
) -> None:
    question = f"/questions/{asked_by(database, grace)}"

    before = ada.get(question).text
    solve(ada, database)
    after = ada.get(question).text

    assert "secret_of_grace" not in before
    assert "Code in this text is hidden." in before
    assert "secret_of_grace" in after
    assert "Code in this text is hidden." not in after


def test_a_question_is_asked_answered_edited_and_deleted(ada: TestClient, database: Database, grace: Viewer) -> None:
    question = ada.post(PAGE + "/questions", data={"title": "Mine", "body": "What is $x_1$?"}).headers["location"]
    with database.transaction() as session:
        answer(session, grace, UUID(question.rpartition("/")[2]), PostText(body="A *number*."))

    unread = ada.get("/me").text
    page = ada.get(question).text
    read = ada.get("/me").text

    assert "1 new answer to your questions" in unread
    assert "new answer" not in read
    assert "<em>number</em>" in page
    assert "<math" in page
    edit = question.replace("questions", "posts") + "/edit"
    assert 'value="Mine"' in ada.get(edit).text
    ada.post(edit, data={"title": "New title", "body": "New text"})
    assert "New title" in ada.get(PAGE + "/questions").text
    ada.post(question.replace("questions", "posts") + "/delete")
    assert "This text was deleted." in ada.get(question).text
    assert "New title" not in ada.get(PAGE + "/questions").text


def test_a_refused_text_comes_back_with_the_reason(ada: TestClient, database: Database, grace: Viewer) -> None:
    question = f"/questions/{asked_by(database, grace)}"
    long = "<b>" + "x" * 5000

    asked = ada.post(PAGE + "/questions", data={"title": "kept title", "body": long})
    answered = ada.post(question + "/answers", data={"body": long})
    reported = ada.post(question.replace("questions", "posts") + "/report", data={"reason": "r" * 501})

    for page in (asked, answered, reported):
        assert page.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
        assert 'role="alert"' in page.text
    assert 'value="kept title"' in asked.text
    assert "&lt;b&gt;xxx" in answered.text
    assert "the limit is 5000" in answered.text


@pytest.mark.parametrize("role", ["author", "admin"])
def test_moderators_see_reports_and_decide(anyone: TestClient, database: Database, grace: Viewer, role: Role) -> None:
    with database.transaction() as session:
        ada = signed_in(make_user(session, "ada"))
        post = ask(session, ada, "scaled_sum", PostText(title="Rude title", body="rude words"))
        report_post(session, grace, post, "it is <i>rude</i>")
    moderator = as_role(anyone, database, role)

    assert "1 open report" in moderator.get("/author").text
    listed = moderator.get("/author/reports").text
    decided = moderator.post(f"/posts/{post}/decision", data={"decision": "hide", "next": f"/questions/{post}"})
    page = moderator.get(f"/questions/{post}").text

    assert "it is &lt;i&gt;rude&lt;/i&gt;" in listed
    assert "rude words" in listed
    assert decided.headers["location"] == f"/questions/{post}"
    assert "A moderator has hidden this text." in page
    assert "rude words" in page
    assert "No open reports." in moderator.get("/author/reports").text


def test_students_see_neither_reports_nor_hidden_texts(ada: TestClient, database: Database, grace: Viewer) -> None:
    question = asked_by(database, grace)
    with database.transaction() as session:
        hidden = answer(session, grace, question, PostText(body="rude words"))
        decide_on_post(session, ACTOR, hidden, "hide")

    page = ada.get(f"/questions/{question}").text

    assert ada.get("/author/reports").status_code == HTTPStatus.FORBIDDEN
    assert "A moderator has hidden this text." in page
    assert "rude words" not in page
    assert "Mark as spoiler" not in page
    assert ada.get(f"/posts/{hidden}/report").status_code == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_texts_are_shown_as_text(anyone: TestClient, database: Database, grace: Viewer, kind: str) -> None:
    text, author = HOSTILE[kind], as_role(anyone, database, "author")
    question = asked_by(
        database, grace, title=text[:100] or "x", body=f"{text}\n\n# {text}\n\n    {text}\n\n[a]({text})"
    )
    shared = share_of(database, grace, source=f"'''{text}'''\n")
    with database.transaction() as session:
        reporter = signed_in(make_user(session, role="author"))
        report_post(session, reporter, question, text)

    for path in (
        *(PAGE + "/questions", f"/questions/{question}", "/author/reports", PAGE + "/solutions"),
        *(f"/solutions/{shared}", f"/posts/{question}/report"),
    ):
        page = author.get(path)
        assert page.status_code == HTTPStatus.OK, path
        # A random identifier may hold the number by which a filled template is known.
        assert list_harm(page.text) + list_markup(UUIDS.sub("", page.text)) == [], path
    shown = re.sub(r'<h1 dir="auto">.*?</h1>', "", author.get(f"/questions/{question}").text)
    assert "<h1" not in shown


def test_texts_of_users_have_the_direction_of_their_own_words(
    ada: TestClient, database: Database, grace: Viewer
) -> None:
    page = ada.get(f"/questions/{asked_by(database, grace, title='למה', body='כי')}").text

    assert '<h1 dir="auto">למה</h1>' in page
    assert '<div class="prose" dir="auto"><p>כי</p>' in page
    assert page.count('<textarea id="body" name="body" dir="auto"') == 1


@pytest.mark.parametrize("policy", [{"discussions": "off"}], indirect=True)
def test_discussions_that_are_off_are_not_found_and_not_linked(
    ada: TestClient, database: Database, grace: Viewer
) -> None:
    question, shared = asked_by(database, grace), share_of(database, grace)
    solve(ada, database)
    paths = (PAGE + "/questions", f"/questions/{question}", f"/posts/{question}/report", f"/posts/{question}/edit")

    answers = [ada.get(path) for path in paths]
    answers += [ada.post(PAGE + "/questions", data={"title": "a", "body": "b"})]
    answers += [as_role(ada, database, "admin").get(f"/questions/{question}")]

    assert {answer.status_code for answer in answers} == {HTTPStatus.NOT_FOUND}
    assert all("Discussions are turned off on this site." in answer.text for answer in answers)
    assert (PAGE + "/questions") not in ada.get(PAGE).text
    assert (PAGE + "/solutions") in ada.get(PAGE).text
    assert ada.get(f"/solutions/{shared}").status_code == HTTPStatus.OK
    assert ada.get("/me").status_code == HTTPStatus.OK


@pytest.mark.parametrize("policy", [{"shared_solutions": "off"}], indirect=True)
def test_shared_solutions_that_are_off_are_not_found_and_not_linked(
    ada: TestClient, database: Database, grace: Viewer
) -> None:
    question, shared = asked_by(database, grace), share_of(database, grace)
    own = solve(ada, database)

    answers = [ada.get(path) for path in (PAGE + "/solutions", f"/solutions/{shared}", f"/solutions/{shared}/report")]
    answers += [ada.post(f"{own}/sharing", data={"is_shared": "true"})]

    assert {answer.status_code for answer in answers} == {HTTPStatus.NOT_FOUND}
    assert all("Shared solutions are turned off on this site." in answer.text for answer in answers)
    links = [
        path for path in (PAGE, PAGE + "/solution", PAGE + "/questions") if PAGE + "/solutions" in ada.get(path).text
    ]
    assert links == []
    assert "Share this solution" not in ada.get(own).text
    assert ada.get(f"/questions/{question}").status_code == HTTPStatus.OK
