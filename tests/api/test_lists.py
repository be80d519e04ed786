"""Every list takes `limit` and ends its page with a cursor, and every 201 says where the new thing is."""

from itertools import pairwise
from typing import Any

import httpx
import pytest

from app.accounts.session import start_session
from app.accounts.token import create_token
from app.audit import COMMAND, Act, record
from app.catalog.publish import publish
from app.database.cursor import MAX_PAGE, PAGE, Slice, cut_list
from app.database.engine import Database
from app.errors import Invalid
from app.similarity.model import SimilarityCheck
from tests.api.operations import DOCUMENT, OPERATIONS, Operation
from tests.catalog.packages import make_listed, make_package
from tests.factories import make_assignment, make_course, make_judging, make_member, make_submission, make_user

SCHEMAS = DOCUMENT["components"]["schemas"]


def answer_of(operation: Operation) -> dict[str, Any]:
    reference = operation.answer.get("application/json", {}).get("schema", {}).get("$ref", "")
    properties: dict[str, Any] = SCHEMAS.get(reference.rpartition("/")[2], {}).get("properties", {})
    return properties


LISTS = [each for each in OPERATIONS if each.method == "GET" and "items" in answer_of(each)]
# Lists that are short by nature, or were always whole: without a limit, they are.
WHOLE = {
    *("list_platforms", "list_tokens", "list_tracks", "list_workers"),
    *(
        "get_settings",
        "get_courses",
        "get_members",
        "list_due",
        "get_assignments",
        "get_extensions",
        "get_grades",
        "get_grade_changes",
        "get_sittings",
    ),
}


@pytest.mark.parametrize("operation", LISTS, ids=[each.name for each in LISTS])
def test_every_list_documents_its_limit_in_the_same_way(operation: Operation) -> None:
    said = {each["name"]: each for each in operation.parameters("query")}
    limit, cursor = said["limit"], said["cursor"]
    bounds = limit["schema"] if operation.name not in WHOLE else limit["schema"]["anyOf"][0]

    assert (bounds["minimum"], bounds["maximum"]) == (1, MAX_PAGE)
    assert limit["schema"].get("default") == (None if operation.name in WHOLE else PAGE)
    assert limit["description"].startswith("items per page")
    assert cursor["description"] == "`next` of the previous page"
    assert answer_of(operation)["next"]["anyOf"] == [{"type": "string"}, {"type": "null"}]


def test_every_operation_that_creates_something_has_a_location() -> None:
    making = [each for each in OPERATIONS if each.status in ("201", "202")]

    assert all("Location" in each.headers for each in making)


def name_of(item: dict[str, Any]) -> Any:
    return next(item[key] for key in ("id", "slug", "problem", "name") if key in item)


def list_paths(things: dict[str, str]) -> list[str]:
    paths = [each.path.removeprefix("/api/v1") for each in LISTS]
    return [path.format(**things) for path in paths if "rejudging_id" not in path]  # there is no rejudging


@pytest.fixture
def things(database: Database, admin: httpx.Client) -> dict[str, str]:
    """At least three of what most lists list; the values for paths."""
    user_id = admin.get("/me").json()["id"]
    with database.transaction() as session:
        user = make_user(session, "emmy")
        revision = publish(session, make_package())
        for number in range(3):
            publish(session, make_listed(f"made_{number}"))
            make_user(session)
            create_token(session, user_id, f"token {number}")
            start_session(session, user_id)
            record(session, COMMAND, Act(action="user.reactivated", target=str(number)))
            make_judging(session, make_submission(session, user=user, revision=revision).id)
        course = make_course(session, "here")
        make_member(session, course, user)
        make_assignment(session, course, revision, slug="homework")
        check = SimilarityCheck(problem_id=revision.problem_id, compared="all")
        session.add(check)
        session.flush()
        check_id = str(check.id)
    submission = admin.get("/submissions", params={"everyone": True}).json()["items"][0]["id"]
    names = {"slug": "made_0", "course": "here", "assignment": "homework"}
    return names | {"submission_id": submission, "check_id": check_id}


# Paths of lists that have at least three items here.
LONG = (
    *("/users", "/tokens", "/problems", "/submissions?everyone=true"),
    *("/settings", "/audit-events"),
)


def read_pages(client: httpx.Client, path: str, limit: int) -> list[list[Any]]:
    query = httpx.QueryParams(httpx.URL(path).params).set("limit", limit)
    answer = client.get(path, params=query).json()
    pages = [answer["items"]]
    while answer["next"] is not None:
        answer = client.get(path, params=query.set("cursor", answer["next"])).json()
        pages.append(answer["items"])
    return pages


def test_the_pages_of_one_and_two_items_are_the_whole_list(admin: httpx.Client, things: dict[str, str]) -> None:
    assert things
    for path in LONG:
        whole = [name_of(item) for item in admin.get(path).json()["items"]]
        assert len(whole) >= 3, path

        for limit in (1, 2):
            pages = read_pages(admin, path, limit)

            assert max(map(len, pages)) == limit
            assert [name_of(item) for page in pages for item in page] == whole, path


def test_a_limit_out_of_bounds_is_refused(admin: httpx.Client, things: dict[str, str]) -> None:
    for path in list_paths(things):
        for limit in ("0", "201", "many"):
            refused = admin.get(path, params={"limit": limit})

            assert refused.status_code == 422, path
            assert [error["field"] for error in refused.json()["errors"]] == ["limit"]


def test_a_cursor_of_no_list_is_refused(admin: httpx.Client, things: dict[str, str]) -> None:
    for path in list_paths(things):
        refused = admin.get(path, params={"cursor": "né"})

        assert (refused.status_code, refused.json()["code"]) == (422, "cursor_invalid"), path


def test_the_pages_of_a_list_are_the_list() -> None:
    items = list(range(7))

    for limit in (1, 3, 7, 9):
        found: list[int] = []
        cursor = None
        while True:
            page, cursor = cut_list(items, str, Slice(cursor=cursor, limit=limit))
            found += page
            if cursor is None:
                break
        assert found == items
    assert all(one < two for one, two in pairwise(found))


def test_a_page_after_an_item_that_is_gone_is_refused() -> None:
    _, cursor = cut_list(["a", "b", "c"], str, Slice(limit=2))

    with pytest.raises(Invalid, match="not valid for this list"):
        cut_list(["a", "c"], str, Slice(cursor=cursor, limit=2))


def test_a_new_user_and_token_are_where_location_says(admin: httpx.Client, anyone: httpx.Client) -> None:
    account = {"username": "emmy", "password": "correct horse battery"}
    user = anyone.post("/users", json=account)
    token = anyone.post("/tokens", json=account)
    own = {"Authorization": f"Bearer {token.json()['token']}"}

    found = admin.get(user.headers["location"].removeprefix("/api/v1"))
    own_token = anyone.get(token.headers["location"].removeprefix("/api/v1"), headers=own)

    assert found.json()["username"] == "emmy"
    assert (own_token.json()["id"], "token" in own_token.json()) == (token.json()["id"], False)
