"""Shared solutions, questions and reports on the pages; what they mean is tested in tests/learning."""

import re
from collections.abc import Iterator
from http import HTTPStatus
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, expect

from app.accounts.model import Role, User
from app.accounts.permission import Viewer, signed_in
from app.accounts.session import start_session
from app.database.engine import Database
from app.learning.discussion import PostText, answer, ask
from app.learning.moderation import decide_on_post, report_post
from app.learning.shared_solution import share
from app.submissions.model import Submission
from app.web.cookie import COOKIE
from tests.factories import make_user
from tests.hostile_text import HOSTILE, IN_A_LINE, list_harm, list_markup
from tests.learning.lessons import make_accepted, publish_lesson
from tests.learning.test_moderation import ACTOR
from tests.web.browser import PATIENCE_MS, Visitor, visit
from tests.web.judged import all_right, judge

PAGE = "/problems/scaled_sum"
SOURCE = "def scaled_sum(x, y, scale, options):\n    return x.sum() * scale  # mine\n"
ELSEWHERE = {"Sec-Fetch-Site": "cross-site"}
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


def solve(client: TestClient, database: Database) -> str:
    path = client.post(f"{PAGE}/submissions", data={"source": SOURCE}).headers["location"]
    judge(database, *all_right())
    return str(path)


def as_role(client: TestClient, database: Database, role: Role) -> TestClient:
    with database.transaction() as session:
        client.cookies.set(COOKIE, start_session(session, make_user(session, role=role).id))
    return client


def test_shared_solutions_open_with_the_lock_of_the_solution(
    ada: TestClient, database: Database, grace: Viewer
) -> None:
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


def test_code_is_not_on_the_page_until_the_problem_is_solved(
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


def test_forms_from_elsewhere_and_visitors_change_nothing(
    anyone: TestClient, ada: TestClient, database: Database, grace: Viewer
) -> None:
    post, shared = asked_by(database, grace), share_of(database, grace)
    forms = {
        PAGE + "/questions": {"title": "t", "body": "b"},
        f"/questions/{post}/answers": {"body": "b"},
        f"/posts/{post}/edit": {"title": "t", "body": "b"},
        f"/posts/{post}/delete": {},
        f"/posts/{post}/report": {"reason": "r"},
        f"/posts/{post}/decision": {"decision": "hide"},
        f"/solutions/{shared}/report": {"reason": "r"},
        f"/solutions/{shared}/decision": {"decision": "hide"},
        f"/submissions/{shared}/sharing": {"is_shared": "false"},
    }

    foreign = [ada.post(path, data=data, headers=ELSEWHERE) for path, data in forms.items()]
    own = {path: ada.post(path, data=data).status_code for path, data in forms.items()}
    anyone.cookies.clear()
    visitors = [anyone.post(path, data=data) for path, data in forms.items()]
    reading = [anyone.get(path) for path in (PAGE + "/questions", PAGE + "/solutions", f"/questions/{post}")]

    assert {page.status_code for page in foreign} == {HTTPStatus.FORBIDDEN}
    assert {page.status_code for page in (*visitors, *reading)} == {HTTPStatus.SEE_OTHER}
    assert all(page.headers["location"].startswith("/sign-in?next=") for page in (*visitors, *reading))
    refused = {f"/posts/{post}/edit": 404, f"/posts/{post}/delete": 404, f"/submissions/{shared}/sharing": 404}
    refused |= {
        f"/posts/{post}/decision": 403,
        f"/solutions/{shared}/decision": 403,
        f"/solutions/{shared}/report": 403,
    }
    assert {path: status for path, status in own.items() if status != HTTPStatus.SEE_OTHER} == refused


def test_unknown_addresses_are_not_found(ada: TestClient) -> None:
    paths = (
        f"/questions/{uuid4()}",
        "/questions/x",
        f"/posts/{uuid4()}/edit",
        "/posts/x/report",
        f"/solutions/{uuid4()}",
    )

    assert {ada.get(path).status_code for path in paths} == {HTTPStatus.NOT_FOUND}


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


def test_a_link_of_a_user_leads_no_browser_to_a_script(ada: TestClient, database: Database, grace: Viewer) -> None:
    body = "[a](javascript:alert(1)) [b](data:text/html,x) ![c](https://elsewhere.example/c.png) [d](https://d.example)"
    page = ada.get(f"/questions/{asked_by(database, grace, body=body)}").text

    assert 'href="javascript' not in page
    assert 'href="data' not in page
    assert "c.png" not in page
    assert '<a href="https://d.example" rel="nofollow noopener">' in page


def test_texts_of_users_have_the_direction_of_their_own_words(
    ada: TestClient, database: Database, grace: Viewer
) -> None:
    page = ada.get(f"/questions/{asked_by(database, grace, title='למה', body='כי')}").text

    assert '<h1 dir="auto">למה</h1>' in page
    assert '<div class="prose" dir="auto"><p>כי</p>' in page
    assert page.count('<textarea id="body" name="body" dir="auto"') == 1


@pytest.fixture
def visitor(browser: Browser, address: str) -> Iterator[Visitor]:
    with browser.new_context() as context:
        yield visit(context, address)


@pytest.mark.browser
def test_a_student_shares_asks_and_reads_in_a_browser(visitor: Visitor, database: Database, grace: Viewer) -> None:
    page = visitor.page
    shared, asked = share_of(database, grace), asked_by(database, grace)
    visitor.sign_up("emmy")
    visitor.open(PAGE)
    page.get_by_role("link", name="Questions and answers").click()
    page.get_by_role("link", name="Why scale?").click()
    expect(page.get_by_text("Code in this text is hidden.")).to_be_visible()
    page.get_by_label("Text", exact=True).fill("Because of `scale`.")
    page.get_by_role("button", name="Answer", exact=True).click()
    expect(page.get_by_role("article", name="Answer").get_by_text("Because of")).to_be_visible()
    page.get_by_role("article", name="Answer").get_by_role("link", name="Edit").click()
    page.get_by_label("Text", exact=True).fill("Because of the factor.")
    page.get_by_label("Spoiler").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("article", name="Answer").get_by_text("spoiler")).to_be_visible()
    page.get_by_role("article", name="Question").get_by_role("link", name="Report").click()
    page.get_by_label("What is wrong?").fill("It gives too much away.")
    page.get_by_role("button", name="Report").click()
    expect(page.get_by_text("A moderator will look at it.")).to_be_visible()

    with database.transaction() as session:
        emmy = session.query(User).filter_by(username="emmy").one()
        own = make_accepted(session, emmy, publish_lesson(session))
    visitor.open(f"/questions/{asked}")
    expect(page.get_by_text("secret_of_grace")).to_be_visible()
    visitor.open(f"/submissions/{own}")
    page.get_by_role("button", name="Share this solution").click()
    page.get_by_role("link", name="shared solutions").click()
    page.get_by_role("link", name="Shortest").click()
    page.get_by_role("link", name="grace").click()
    expect(page.get_by_role("region", name="The code of grace")).to_contain_text("secret_of_grace")
    assert page.url.endswith(f"/solutions/{shared}")
    visitor.open(f"{PAGE}#solution")
    page.get_by_role("link", name="Solutions that other users share").click()
    page.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_role("button", name="Share my solution")).to_be_visible()
    assert visitor.complaints == []


@pytest.mark.browser
def test_an_author_decides_on_a_report_in_a_browser(visitor: Visitor, database: Database, grace: Viewer) -> None:
    page = visitor.page
    with database.transaction() as session:
        emmy, ada = make_user(session, "emmy", role="author"), signed_in(make_user(session, "ada"))
        secret = start_session(session, emmy.id)
        post = ask(session, grace, "scaled_sum", PostText(title="A title", body=IN_A_LINE))
        report_post(session, ada, post, "it is rude")
    page.context.add_cookies([{"name": COOKIE, "value": secret, "url": visitor.address}])

    visitor.open("/author")
    page.get_by_role("link", name="1 open report").click()
    page.get_by_role("link", name="Open it").click()
    page.get_by_role("button", name="Lock").click()
    expect(page.get_by_role("article", name="Question").get_by_text("locked")).to_be_visible()
    page.get_by_role("button", name="Hide").click()
    expect(page.get_by_text("Other users do not see it.")).to_be_visible()
    visitor.open("/author/reports")
    expect(page.get_by_text("No open reports.")).to_be_visible()
    assert visitor.complaints == []


def test_a_closed_report_is_not_silently_ignored(ada: TestClient, database: Database, grace: Viewer) -> None:
    question = asked_by(database, grace)
    page = f"/posts/{question}/report"
    ada.post(page, data={"reason": "off topic"})
    with database.transaction() as session:
        decide_on_post(session, ACTOR, question, "dismiss")

    again = ada.post(page, data={"reason": "still off topic"})

    assert again.status_code == HTTPStatus.CONFLICT
    assert "A moderator has already looked at your report of this entry and closed it." in again.text
    assert 'value="still off topic"' in again.text


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
