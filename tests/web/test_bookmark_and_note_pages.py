"""Bookmarks, private notes, solve rates, combined filters and where to go on: as pages without scripts."""

import re
from http import HTTPStatus

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.model import User
from app.catalog.model import Problem, Revision, SolveCount
from app.catalog.publish import publish
from app.database.engine import Database
from app.learning.note import Note
from tests.catalog.packages import make_listed
from tests.factories import make_judging, make_submission, make_user
from tests.web.test_catalogue import links, listed

PROBLEM = "/problems/scaled_sum"
BOOKMARK, NOTE = f"{PROBLEM}/bookmark", f"{PROBLEM}/note"


@pytest.fixture
def problems(app: object, database: Database) -> None:  # noqa: ARG001 (its problem is the first)
    with database.transaction() as session:
        publish(session, make_listed("scan", "track: basics\nposition: 2\n", tags="[jax, sums]"))
        publish(session, make_listed("loss", "", tags="[jax]", difficulty="advanced"))
        for slug, students, solved in (("scaled_sum", 20, 14), ("scan", 8, 2), ("loss", 4, 4)):
            problem = session.scalars(select(Problem).where(Problem.slug == slug)).one()
            count = {"submissions": 50, "students": students, "solved": solved, "accepted": 16}
            session.add(SolveCount(problem_id=problem.id, **count))


def saved_note(database: Database) -> str | None:
    with database.transaction() as session:
        return session.scalar(select(Note.text))


def base_of(page: str) -> str:
    (found,) = re.findall(r'name="base" value="([^"]*)">\n\s*<p class="note-foot', page)
    return str(found)


@pytest.mark.usefixtures("problems")
def test_a_bookmark_leads_back_to_the_page_and_the_list_filters_by_it(ada: TestClient) -> None:
    before = ada.get("/problems").text
    sent = ada.post(BOOKMARK, data={"bookmarked": "true", "next": "/problems?tag=sums"})
    after = ada.get("/problems").text
    only = ada.get(links(after)["Bookmarked 1"]).text
    page = ada.get(PROBLEM).text
    ada.post(BOOKMARK, data={"bookmarked": "false", "next": "//elsewhere.example"})

    assert "Bookmarked 1" not in links(before)
    assert (sent.status_code, sent.headers["Location"]) == (HTTPStatus.SEE_OTHER, "/problems?tag=sums")
    assert listed(only) == ["scaled_sum"]
    assert links(only)["Remove filter: Bookmarked"] == "/problems"
    assert 'aria-pressed="true"' in page
    assert 'aria-pressed="true"' not in ada.get("/problems").text


def test_a_note_is_saved_by_its_button_and_shown_to_its_writer_only(ada: TestClient, database: Database) -> None:
    text = "  Use <b>keepdims</b>.\n"
    sent = ada.post(NOTE, data={"text": text.replace("\n", "\r\n"), "base": ""})
    page = ada.get(PROBLEM).text
    with database.transaction() as session:
        make_user(session, "grace")
    ada.cookies.clear()

    assert sent.headers["Location"] == f"{PROBLEM}#note"
    assert saved_note(database) == text
    assert "  Use &lt;b&gt;keepdims&lt;/b&gt;.\n</textarea>" in page
    assert "keepdims" not in ada.get(PROBLEM).text


def test_a_note_changed_elsewhere_is_shown_beside_the_typed_one(ada: TestClient, database: Database) -> None:
    ada.post(NOTE, data={"text": "first", "base": ""})
    old = base_of(ada.get(PROBLEM).text)
    ada.post(NOTE, data={"text": "of the phone", "base": old})

    refused = ada.post(NOTE, data={"text": "of the laptop", "base": old})
    (base,) = re.findall(r'name="base" value="([^"]*)"', refused.text)
    kept = saved_note(database)
    chosen = ada.post(NOTE, data={"text": "of both", "base": base})

    assert refused.status_code == HTTPStatus.CONFLICT
    assert "You changed this note elsewhere" in refused.text
    assert "of the phone</pre>" in refused.text
    assert "\nof the laptop</textarea>" in refused.text
    assert kept == "of the phone"
    assert chosen.status_code == HTTPStatus.SEE_OTHER
    assert saved_note(database) == "of both"


def test_a_note_that_is_too_long_comes_back_with_its_text(ada: TestClient, database: Database) -> None:
    answer = ada.post(NOTE, data={"text": "x" * 10_001, "base": ""})

    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "The note has 10,001 characters; the limit is 10,000." in answer.text
    assert "x" * 10_001 in answer.text
    assert saved_note(database) is None


@pytest.mark.usefixtures("problems")
def test_the_list_shows_the_solve_rate_of_five_students_and_sorts_by_it(anyone: TestClient) -> None:
    everything = anyone.get("/problems").text
    hardest = anyone.get(links(everything)["Lowest solve rate"])
    filtered = anyone.get("/problems?tag=sums&order=most_solved").text

    assert "70 % of 20 solved it · 32 % accepted" in everything
    assert "of 4 solved it" not in everything
    assert "70 % of 20 solved it · 50 submissions" in " ".join(anyone.get(PROBLEM).text.split())
    assert str(hardest.url).endswith("/problems?order=least_solved")
    assert listed(hardest.text) == ["scan", "scaled_sum", "loss"]
    assert links(filtered)["Remove filter: sums"] == "/problems?order=most_solved"
    assert '<input type="hidden" name="order" value="most_solved">' in filtered
    assert anyone.get("/problems?order=nothing").status_code == HTTPStatus.OK


def test_a_solve_rate_is_never_rounded_up_to_100_percent(anyone: TestClient, database: Database) -> None:
    with database.transaction() as session:
        problem = session.scalars(select(Problem).where(Problem.slug == "scaled_sum")).one()
        session.add(SolveCount(problem_id=problem.id, submissions=98_765, students=12_345, solved=12_344))

    assert "99 % of 12,345 solved it · 98,765 submissions" in " ".join(anyone.get(PROBLEM).text.split())


@pytest.mark.usefixtures("problems")
def test_a_misspelt_search_shows_corrected_results(anyone: TestClient) -> None:
    page = anyone.get("/problems?q=scalled&tag=numpy").text

    assert listed(page) == ["scaled_sum"]
    assert "No problem matches “scalled”. These match <b>scaled</b>." in page
    assert links(page)["Remove filter: “scaled”"] == "/problems?tag=numpy"
    assert "These match" not in anyone.get("/problems?q=scaled").text


@pytest.mark.usefixtures("problems")
def test_the_first_page_leads_to_where_the_user_stopped(ada: TestClient, database: Database) -> None:
    before = ada.get("/").text
    with database.transaction() as session:
        user = session.scalars(select(User).where(User.username == "ada")).one()
        for title, verdict in (("scan", "accepted"), ("loss", "wrong_answer")):
            revision = session.scalars(select(Revision).where(Revision.manifest["title"].astext == title)).one()
            make_judging(session, make_submission(session, user, revision).id, verdict=verdict)
    after = ada.get("/").text
    ada.put(f"{PROBLEM}/draft", json={"source": "draft = 1", "base": None})
    drafted = ada.get("/").text

    assert "Continue where you stopped" not in before
    assert "Last result: Wrong answer" in after
    assert links(after)["Continue"] == "/problems/loss"
    assert links(after)["Next: Scaled sum"] == PROBLEM
    assert links(drafted)["Continue"] == PROBLEM
    assert "Your draft of" in drafted
