import httpx
import pytest

from app.catalog.publish import publish
from app.database import Database
from tests.catalog.packages import PROBLEM, make_package


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
    assert listed["items"][1].items() <= problem.items()
    assert problem["statement"].startswith("Return the sum")
    assert [sample["name"] for sample in problem["samples"]] == ["small"]
    assert problem["limits"]["wall_seconds"] == 2


def test_what_students_must_not_see_is_in_no_answer(anyone: httpx.Client) -> None:
    text = anyone.get("/problems/scaled_sum").text + anyone.get("/problems").text

    for secret in (
        "x.sum() * scale",
        "large",
        "draw",
        "made",
        "def make",
        "Add, then multiply",
        "unscaled",
        "explanation",
    ):
        assert secret not in text


@pytest.mark.parametrize(
    ("query", "slugs"),
    [
        ({"tag": "means"}, ["scaled_mean"]),
        ({"difficulty": "beginner"}, ["scaled_mean", "scaled_sum"]),
        ({"difficulty": "advanced"}, []),
        ({"track": "basics"}, ["scaled_mean", "scaled_sum"]),
        ({"q": "MEAN scaled"}, ["scaled_mean"]),
        ({"q": "no such words"}, []),
        ({"q": "\0"}, []),
        ({"tag": "\0"}, []),
    ],
)
def test_problems_are_filtered(anyone: httpx.Client, query: dict[str, str], slugs: list[str]) -> None:
    assert sorted(item["slug"] for item in anyone.get("/problems", params=query).json()["items"]) == slugs


def test_a_list_is_read_page_by_page(anyone: httpx.Client) -> None:
    first = anyone.get("/problems", params={"limit": 1}).json()
    second = anyone.get("/problems", params={"limit": 1, "cursor": first["next"]}).json()

    assert [item["slug"] for item in first["items"] + second["items"]] == ["scaled_mean", "scaled_sum"]
    assert second["next"] is None


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"cursor": "x"}, "cursor"),
        ({"limit": "0"}, "limit"),
        ({"limit": "x"}, "limit"),
        ({"difficulty": "hard"}, "difficulty"),
    ],
)
def test_a_query_that_means_nothing_is_refused(anyone: httpx.Client, query: dict[str, str], field: str) -> None:
    answer = anyone.get("/problems", params=query)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field


@pytest.mark.parametrize("slug", ["unknown", "%00", "%ed%a0%80", "A", "x" * 5000])
def test_a_problem_that_does_not_exist_is_not_found(anyone: httpx.Client, slug: str) -> None:
    assert anyone.get(f"/problems/{slug}").status_code == 404
