"""A wrong value is answered with the way out."""

from typing import Any

import httpx
import pytest

TOKEN_FIELDS = ["password", "name", "scopes", "expires_in_days"]


@pytest.mark.parametrize(
    ("since", "says"),
    [
        ("2026-11-22", "add Z or an offset, as in 2026-11-22T05:00:00Z"),
        ("2026-11-22T00:00:00", "add Z or an offset, as in 2026-11-22T05:00:00Z"),
        ("2026-11-22T00:00:00 01:00", "write %2B"),
        ("2026-11-22T00:00:00.5 0100", "write %2B"),
        ("5", "should be a time, as in 2026-11-22T05:00:00Z"),
        ("0", "should be a time"),
        ("-1e9", "should be a time"),
        ("yesterday", "should be a time"),
        ("2026-13-22T00:00:00Z", "should be a time"),
        ("9999-12-31T23:59:59Z", "should be a time of the years 1900 to 2999"),
    ],
)
@pytest.mark.parametrize("path", ["/audit-events", "/submissions"])
def test_an_invalid_time_is_explained(admin: httpx.Client, path: str, since: str, says: str) -> None:
    (fault,) = admin.get(path, params={"since": since}).json()["errors"]

    assert fault["field"] == "since"
    assert f'"{since}"' in fault["message"]
    assert says in fault["message"]


@pytest.mark.parametrize(
    "since", ["2026-11-22T05:00:00Z", "2026-11-22T05:00:00.5+01:00", "2026-11-22t05:00:00z", "2026-11-22 05:00:00Z"]
)
def test_a_time_with_its_zone_is_taken(admin: httpx.Client, since: str) -> None:
    assert admin.get("/audit-events", params={"since": since}).status_code == 200


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/submissions/seven", 'is "seven": should be a UUID, as in '),
        ("/problems?limit=x", 'is "x": should be a whole number'),
        ("/problems?limit=1.5", 'is "1.5": should be a whole number'),
        ("/submissions?everyone=perhaps", 'is "perhaps": should be true or false'),
    ],
)
def test_a_value_of_another_kind_is_shown_with_the_kind(admin: httpx.Client, path: str, message: str) -> None:
    answer = admin.get(path)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["message"].startswith(message)


@pytest.mark.parametrize(
    ("path", "body", "fields"),
    [
        ("/users", {"username": "Ada", "password": "short", "email": "x"}, ["username", "password", "email"]),
        ("/users", {"username": "Ada", "password": "short", "emial": "x"}, ["username", "password", "emial"]),
        ("/users", {"username": 7, "password": "short", "invitation": 7}, ["username", "password", "invitation"]),
        ("/tokens", {"username": "ada", "name": "\0", "scopes": [], "expires_in_days": 0}, TOKEN_FIELDS),
        ("/problems/nope/submissions", {"source": " ", "mode": "all", "input": ""}, ["source", "mode", "input"]),
        ("/settings", {"max_pending": -1, "sign_up": "x", "nope": 1}, ["sign_up", "max_pending", "nope"]),
    ],
)
def test_each_field_that_is_wrong_is_named_at_once(
    admin: httpx.Client, path: str, body: dict[str, Any], fields: list[str]
) -> None:
    answer = admin.request("PATCH" if path == "/settings" else "POST", path, json=body)

    named = [fault["field"] for fault in answer.json()["errors"]]
    assert (answer.status_code, sorted(named)) == (422, sorted(fields))


def test_a_value_that_a_validation_rule_refuses_is_explained_by_that_rule(anyone: httpx.Client) -> None:
    problem = anyone.post("/users", json={"username": "Ada", "password": "short one"}).json()

    assert problem["detail"] == (
        "'Ada' is not a valid user name: use 3 to 32 characters of a-z, 0-9, _ and -. "
        "The password has 9 characters. Choose at least 10."
    )
    assert "short one" not in str(problem)
