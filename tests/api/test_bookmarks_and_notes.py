"""Bookmarks, notes, next steps, solve rates and combined filters through REST."""

from http import HTTPStatus

import httpx
import pytest
from sqlalchemy import select

from app.accounts.model import User
from app.catalog.model import Problem, Revision, SolveCount
from app.catalog.publish import publish
from app.database.engine import Database
from tests.api.conftest import SignedIn
from tests.catalog.packages import make_listed, make_package
from tests.factories import make_judging, make_submission

BOOKMARK, NOTE = "/problems/scaled_sum/bookmark", "/problems/scaled_sum/note"


@pytest.fixture(autouse=True)
def problems(database: Database) -> None:
    with database.transaction() as session:
        publish(session, make_package())
        publish(session, make_listed("scan", "track: basics\nposition: 2\n", tags="[jax, sums]"))


def slugs(answer: httpx.Response) -> list[str]:
    return [item["slug"] for item in answer.raise_for_status().json()["items"]]


def test_a_bookmark_belongs_to_its_user_only(signed_in: SignedIn) -> None:
    ada, grace = signed_in("ada"), signed_in("grace")

    first, second = ada.put(BOOKMARK).json(), ada.put(BOOKMARK).json()
    marked = ada.get("/problems", params={"bookmarked": "true"})
    others = ada.get("/problems", params={"bookmarked": "false"})
    foreign = grace.get("/problems", params={"bookmarked": "true"})
    progress = ada.get("/problems/scaled_sum/progress").json()
    gone = [ada.delete(BOOKMARK).status_code for _ in range(2)]

    assert first == second == {"bookmarked_at": progress["bookmarked_at"]}
    assert (slugs(marked), slugs(others), slugs(foreign)) == (["scaled_sum"], ["scan"], [])
    assert marked.json()["items"][0]["is_bookmarked"] is True
    assert marked.json()["items"][0]["state"] == "new"
    assert gone == [HTTPStatus.NO_CONTENT] * 2
    assert slugs(ada.get("/problems", params={"bookmarked": "true"})) == []


def test_a_note_changed_meanwhile_is_not_overwritten(signed_in: SignedIn) -> None:
    ada, grace = signed_in("ada"), signed_in("grace")
    empty = ada.get(NOTE)

    written = ada.put(NOTE, json={"text": "first"}, headers={"If-Match": empty.headers["ETag"]})
    late = ada.put(NOTE, json={"text": "second"}, headers={"If-Match": empty.headers["ETag"]})
    read = ada.get(NOTE)
    removed = ada.put(NOTE, json={"text": ""}, headers={"If-Match": read.headers["ETag"]})

    assert empty.json() == removed.json() == {"text": "", "saved_at": None}
    assert written.json() == read.json()
    assert read.json()["text"] == "first"
    assert late.status_code == HTTPStatus.PRECONDITION_FAILED
    assert grace.get(NOTE).json()["text"] == ""


def test_tags_combine_and_typing_errors_are_corrected(anyone: httpx.Client) -> None:
    both = anyone.get("/problems", params={"tag": ["sums", "jax"]})
    misspelt = anyone.get("/problems", params={"q": "scalled", "tag": "numpy"})
    unknown = anyone.get("/problems", params={"q": "xyzzyplugh"})
    too_many = anyone.get("/problems", params={"tag": [f"tag-{number}" for number in range(11)]})

    assert slugs(both) == ["scan"]
    assert both.json()["corrected_q"] is None
    assert (slugs(misspelt), misspelt.json()["corrected_q"]) == (["scaled_sum"], "scaled")
    assert (slugs(unknown), unknown.json()["corrected_q"]) == ([], None)
    assert too_many.status_code == HTTPStatus.UNPROCESSABLE_ENTITY


def test_the_list_and_the_problem_tell_the_solve_rate_and_the_list_sorts_by_it(
    anyone: httpx.Client, database: Database
) -> None:
    with database.transaction() as session:
        for slug, solved in (("scaled_sum", 5), ("scan", 2)):
            problem = session.scalars(select(Problem).where(Problem.slug == slug)).one()
            session.add(SolveCount(problem_id=problem.id, submissions=30, students=10, solved=solved, accepted=9))

    hardest = anyone.get("/problems", params={"order": "least_solved"})
    first_page = anyone.get("/problems", params={"order": "least_solved", "limit": 1}).json()
    second_page = anyone.get("/problems", params={"order": "least_solved", "limit": 1, "cursor": first_page["next"]})

    assert slugs(hardest) == ["scan", "scaled_sum"]
    assert slugs(second_page) == ["scaled_sum"]
    told = {"students": 10, "submissions": 30, "solve_rate": 0.2, "acceptance_rate": 0.3}
    assert hardest.json()["items"][0]["attempts"] == anyone.get("/problems/scan").json()["attempts"] == told


def test_next_steps_are_the_last_unsolved_problem_and_the_next_one_of_each_started_track(
    ada: httpx.Client, database: Database
) -> None:
    with database.transaction() as session:
        user = session.scalars(select(User).where(User.username == "ada")).one()
        revision = session.scalars(select(Revision).where(Revision.manifest["title"].astext == "scan")).one()
        make_judging(session, make_submission(session, user, revision).id, state="done", verdict="wrong_answer")

    steps = ada.get("/me/next-steps").json()

    assert (steps["last"]["slug"], steps["last"]["verdict"]) == ("scan", "wrong_answer")
    assert [(track["slug"], track["next"]["slug"]) for track in steps["tracks"]] == [("basics", "scaled_sum")]
