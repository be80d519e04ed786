"""A query parameter that a call does not have is refused: a filter that is misspelt lets nothing through unseen."""

import httpx
import pytest


@pytest.mark.parametrize(
    ("path", "name", "says"),
    [
        ("/submissions/export?verdikt=accepted", "verdikt", "Did you mean verdict? Allowed: digest, format, mode"),
        ("/users?page=5", "page", "Unknown query parameter 'page'. Allowed: cursor, limit, q, role, state"),
        ("/problems?frame=jax", "frame", "Did you mean framework?"),
        ("/submissions?Verdict=accepted", "Verdict", "Did you mean verdict?"),
        ("/me?x=1", "x", "This call has no query parameters"),
        ("/problems/nope/leaderboard?bye=time", "bye", "Did you mean by?"),
        ("/verifications?" + "x" * 200 + "=1", "x" * 60 + "…", "Allowed: cursor"),
    ],
)
def test_a_query_parameter_that_a_call_does_not_have_is_named(
    admin: httpx.Client, path: str, name: str, says: str
) -> None:
    answer = admin.get(path)

    (fault,) = answer.json()["errors"]
    assert (answer.status_code, answer.json()["code"], fault["field"]) == (422, "invalid", name)
    assert says in fault["message"]


def test_all_unknown_parameters_are_named_at_once(admin: httpx.Client) -> None:
    answer = admin.get("/audit-events?aktor=root&kinds=user&kind=user")

    assert [fault["field"] for fault in answer.json()["errors"]] == ["aktor", "kinds"]


def test_an_error_names_the_first_unknown_parameters(admin: httpx.Client) -> None:
    answer = admin.get("/audit-events?" + "&".join(f"k{n}=" for n in range(2000)))

    assert [fault["field"] for fault in answer.json()["errors"]] == ["k0", "k1", "k2", "k3", "k4"]
    assert len(answer.content) < 4000


def test_a_change_with_an_unknown_parameter_is_not_made(admin: httpx.Client) -> None:
    answer = admin.patch("/settings?dry_run=true", json={"max_pending": 3})

    settings = {each["name"]: each["value"] for each in admin.get("/settings").json()["items"]}
    assert answer.status_code == 422
    assert settings["max_pending"] != 3


def test_the_document_refuses_unknown_parameters_and_pages_ignore_them(address: str) -> None:
    document = httpx.get(f"{address}/api/v1/openapi.json?v=2")
    page = httpx.get(f"{address}/problems?utm_source=letter")

    assert (document.status_code, page.status_code) == (422, 200)
