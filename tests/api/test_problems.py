import httpx
import pytest
from sqlalchemy import select

from app.accounts.model import User
from app.catalog.model import Revision
from app.catalog.publish import publish
from app.database.engine import Database
from tests.catalog.packages import PROBLEM, make_package
from tests.factories import make_judging, make_submission


@pytest.fixture(autouse=True)
def problems(database: Database) -> None:
    with database.transaction() as session:
        publish(session, make_package())
        publish(
            session, make_package("scaled_mean", PROBLEM.replace("Scaled sum", "Scaled mean").replace("sums", "means"))
        )


def test_anyone_can_list_and_read_problems(anyone: httpx.Client) -> None:
    listed = anyone.get("/problems").json()
    problem = anyone.get("/problems/scaled_sum").json()

    assert [item["slug"] for item in listed["items"]] == ["scaled_mean", "scaled_sum"]
    assert listed["next"] is None
    item = listed["items"][1]
    assert (item.pop("state"), item.pop("is_bookmarked"), item.pop("prerequisites")) == (None, None, [])
    assert item.items() <= problem.items()
    assert problem["statement"].startswith("Return the sum")
    assert [sample["name"] for sample in problem["samples"]] == ["small"]
    assert problem["limits"]["wall_seconds"] == 2


def test_problems_are_filtered(anyone: httpx.Client) -> None:
    both = ["scaled_mean", "scaled_sum"]
    wanted: dict[str, list[str]] = {
        "tag=means": ["scaled_mean"],
        "tag=means&tag=jax": [],
        "difficulty=advanced": [],
        "track=basics": both,
        "framework=numpy&q=me": ["scaled_mean"],
        "framework=jax": [],
        "order=least_solved": both,
    }

    found = {query: [item["slug"] for item in anyone.get(f"/problems?{query}").json()["items"]] for query in wanted}

    assert found == wanted


def test_a_misspelt_search_tells_how_it_was_corrected(anyone: httpx.Client) -> None:
    misspelt, unknown = (anyone.get("/problems", params={"q": word}).json() for word in ("scalled", "xyzzyplugh"))

    assert ([item["slug"] for item in misspelt["items"]], misspelt["corrected_q"]) == (
        ["scaled_mean", "scaled_sum"],
        "scaled",
    )
    assert (unknown["items"], unknown["corrected_q"]) == ([], None)


def test_a_problem_that_does_not_exist_is_not_found(anyone: httpx.Client) -> None:
    for slug in ("unknown", "%00", "%ed%a0%80", "A", "x" * 5000):
        assert anyone.get(f"/problems/{slug}").status_code == 404


def test_a_token_brings_the_states_of_problems(anyone: httpx.Client, ada: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        user = session.scalars(select(User).where(User.username == "ada")).one()
        revision = session.scalars(select(Revision).where(Revision.manifest["title"].astext == "Scaled sum")).one()
        make_judging(session, make_submission(session, user, revision).id, verdict="accepted")

    listed = ada.get("/problems").json()["items"]
    solved = ada.get("/problems", params={"state": "solved"}).json()["items"]
    refused = anyone.get("/problems", params={"state": "solved"})

    assert [item["state"] for item in listed] == ["new", "solved"]
    assert [item["slug"] for item in solved] == ["scaled_sum"]
    assert refused.status_code == 401
    assert "leave it out" in refused.json()["detail"]
    assert anyone.get("/problems", headers={"Authorization": "Bearer alc_wrong"}).status_code == 401


def test_tracks_tell_what_comes_next(anyone: httpx.Client, ada: httpx.Client) -> None:
    mine = ada.get("/tracks").json()["items"]
    track = ada.get("/tracks/basics").json()

    assert [(each["slug"], each["title"], each["done_count"]) for each in mine] == [("basics", "Basics", 0)]
    assert mine[0].items() <= track.items()
    assert track["next"] == {"slug": "scaled_mean", "title": "Scaled mean", "state": "new"}
    assert [step["slug"] for step in track["steps"]] == ["scaled_mean", "scaled_sum"]
    assert anyone.get("/tracks").json()["items"][0]["done_count"] is None
    assert anyone.get("/tracks/none").status_code == 404
