"""The first page, the catalogue and the tracks."""

import re
from html import unescape
from http import HTTPStatus

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.model import User
from app.catalog.model import Problem, Revision
from app.catalog.publish import publish
from app.catalog.track import TrackFile, publish_tracks
from app.database.engine import Database
from tests.catalog.packages import make_listed
from tests.factories import make_judging, make_submission
from tests.web.statements import counted


def links(page: str) -> dict[str, str]:
    """The addresses by what is written on them."""
    found = re.findall(r'<a [^>]*href="([^"]*)"[^>]*>(.*?)</a>', page, re.DOTALL)
    return {" ".join(unescape(re.sub(r"<[^>]+>", " ", words)).split()): unescape(address) for address, words in found}


def listed(page: str) -> list[str]:
    return re.findall(r'<h3><a href="/problems/([a-z_]+)"', page)


@pytest.fixture
def problems(app: object, database: Database) -> None:  # noqa: ARG001 (its problem is the first)
    with database.transaction() as session:
        publish(
            session, make_listed("scan", "track: basics\nposition: 2\n", tags="[jax]", prerequisites="[scaled_sum]")
        )
        publish(session, make_listed("loss", "track: zen\nposition: 1\n", difficulty="advanced"))
        publish(session, make_listed("alone", "", tags="[jax, odd]"))
        tracks = {"tracks": {"zen": {"title": "The art", "description": "Slow & *steady*."}}}
        publish_tracks(session, TrackFile.model_validate(tracks))


def solve(database: Database, slug: str) -> None:
    with database.transaction() as session:
        ada = session.scalars(select(User).where(User.username == "ada")).one()
        current = select(Revision).join(Problem, Problem.current_revision_id == Revision.id)
        revision = session.scalars(current.where(Problem.slug == slug)).one()
        make_judging(session, make_submission(session, ada, revision).id, verdict="accepted")


@pytest.mark.usefixtures("problems")
def test_filters_combine_and_stand_in_the_address(anyone: TestClient) -> None:
    everything = anyone.get("/problems").text
    by_tag = anyone.get(links(everything)["jax 2"]).text
    both = anyone.get(links(by_tag)["Basics 1"])
    found = anyone.get("/problems?tag=jax&q=scan").text

    assert listed(everything) == ["loss", "scaled_sum", "scan", "alone"]  # in the order of the file of tracks
    assert links(everything)["Advanced 1"] == "/problems?difficulty=advanced"
    assert listed(by_tag) == ["scan", "alone"]
    assert str(both.url).endswith("/problems?tag=jax&track=basics")
    assert listed(both.text) == ["scan"]
    assert links(both.text)["Remove filter: jax"] == "/problems?track=basics"
    assert '<input type="hidden" name="track" value="basics">' in both.text
    assert listed(found) == ["scan"]


@pytest.mark.usefixtures("problems")
def test_an_empty_list_suggests_which_filter_to_remove(anyone: TestClient) -> None:
    page = anyone.get("/problems?tag=odd&difficulty=advanced&q=scaled").text
    strange = [anyone.get(f"/problems?{query}") for query in ("q=%27%22%3Cb%3E%00", "tag=%ff", "difficulty=x", "q=_")]

    assert listed(page) == []
    assert links(page)["Without odd: 1 problem"] == "/problems?difficulty=advanced&q=scaled"
    assert links(page)["Without Advanced: 1 problem"] == "/problems?tag=odd&q=scaled"
    assert links(page)["Show all problems"] == "/problems"
    assert {answer.status_code for answer in strange} == {HTTPStatus.OK}
    assert "No problems match" in strange[-1].text
    assert all("<b>" not in answer.text for answer in strange)


@pytest.mark.usefixtures("problems")
def test_the_list_shows_signed_in_users_the_state_of_each_problem(ada: TestClient, database: Database) -> None:
    solve(database, "scan")
    solve(database, "scaled_sum")

    page = ada.get("/problems").text
    solved = ada.get(links(page)["Solved 2"]).text
    ada.cookies.clear()
    signed_out = ada.get("/problems?state=solved").text

    assert page.count('<span class="hidden-visually">Solved: </span>') == 2
    assert page.count('<span class="hidden-visually">New: </span>') == 2
    assert listed(solved) == ["scaled_sum", "scan"]
    assert len(listed(signed_out)) == 4
    assert 'hidden-visually">New: <' not in signed_out
    assert links(signed_out)["Sign in"] == "/sign-in?next=/problems"
    assert "Sign in to filter by progress" in signed_out


@pytest.mark.usefixtures("problems")
def test_a_track_leads_to_what_comes_next(ada: TestClient, database: Database) -> None:
    before = ada.get("/tracks/basics").text
    solve(database, "scaled_sum")
    after = ada.get("/tracks/basics").text
    overview = ada.get("/tracks").text
    solve(database, "scan")
    done = ada.get("/tracks/basics").text

    assert links(before)["Start: Scaled sum"] == "/problems/scaled_sum"
    assert "0 of 2 solved" in before
    assert links(after)["Next: scan"] == "/problems/scan"
    assert '<progress max="2" value="1"' in after
    assert "Builds on" in after
    assert "1 of 2 solved" in overview
    assert overview.index("The art") < overview.index("Basics")
    assert "Slow &amp; <em>steady</em>." in overview
    assert "All solved" in done
    assert ada.get("/tracks/none").status_code == ada.get("/tracks/%00").status_code == HTTPStatus.NOT_FOUND


@pytest.mark.usefixtures("problems")
def test_the_first_page_introduces_allclose_to_visitors(ada: TestClient, database: Database) -> None:
    with database.transaction() as session:
        user = session.scalars(select(User).where(User.username == "ada")).one()
        revision = session.scalars(select(Revision).where(Revision.manifest["title"].astext == "loss")).one()
        make_submission(session, user, revision)

    signed_in = ada.get("/").text
    ada.cookies.clear()
    signed_out = ada.get("/").text

    assert "see where it is wrong" in signed_out
    assert '<figure class="picture line-plot">' in signed_out
    assert links(signed_out)["All 4 problems"] == "/problems"
    assert {"The art", "Basics"} <= links(signed_out).keys()
    assert "see where it is wrong" not in signed_in
    assert listed(signed_in) == ["loss"]


def test_a_list_of_many_asks_the_database_no_more_than_a_list_of_one(ada: TestClient, database: Database) -> None:
    paths = ("/", "/problems", "/problems?q=vector&tag=sums", "/tracks", "/tracks/basics")
    ada.get("/")  # notes the use of the session, once a minute
    with counted(database) as few:
        assert all(ada.get(path).status_code == HTTPStatus.OK for path in paths)
    with database.transaction() as session:
        for number in range(12):
            publish(session, make_listed(f"p{number}", f"track: basics\nposition: {number + 2}\n"))
    solve(database, "p3")

    with counted(database) as many:
        assert all(ada.get(path).status_code == HTTPStatus.OK for path in paths)

    assert len(many) == len(few)
