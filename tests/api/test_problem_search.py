"""The search for problems through REST: combined tags, corrected words and solve rates."""

from http import HTTPStatus

import httpx
import pytest
from sqlalchemy import select

from app.catalog.model import Problem, SolveCount
from app.catalog.publish import publish
from app.database.engine import Database
from tests.catalog.packages import make_listed, make_package


@pytest.fixture(autouse=True)
def problems(database: Database) -> None:
    with database.transaction() as session:
        publish(session, make_package())
        publish(session, make_listed("scan", "track: basics\nposition: 2\n", tags="[jax, sums]"))


def slugs(answer: httpx.Response) -> list[str]:
    return [item["slug"] for item in answer.raise_for_status().json()["items"]]


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
