"""HEAD, as link checkers and `curl -I` send it: what GET would say, without what it would bring."""

from uuid import uuid4

import httpx
import pytest
from sqlalchemy import select

from app.accounts.model import User
from app.database.engine import Database
from tests.factories import make_judging, make_submission


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/", "/problems", "/static/base.css", "/api/v1/problems"])
def test_head_returns_the_headers_of_get_and_no_body(address: str, ada: httpx.Client, path: str) -> None:
    got, head = (ada.request(method, address + path) for method in ("GET", "HEAD"))

    assert head.status_code == got.status_code == 200
    assert head.content == b""
    assert got.content
    for name in ("content-type", "content-length", "etag", "content-security-policy", "cache-control"):
        assert head.headers.get(name) == got.headers.get(name)


def test_a_refusal_has_its_head(anyone: httpx.Client) -> None:
    assert anyone.head("/me").status_code == 401
    assert anyone.head("/problems/no_such_problem").status_code == 404
    assert anyone.head("/tokens").status_code == 401


def test_an_address_without_get_takes_no_head(ada: httpx.Client) -> None:
    answer = ada.head(f"/submissions/{uuid4()}/cancel")

    assert answer.status_code == 405
    assert "HEAD" not in answer.headers["allow"]


def test_a_stream_ends_with_its_head(ada: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        owner = session.scalars(select(User).where(User.username == "ada")).one()
        submission = make_submission(session, user=owner)
        make_judging(session, submission.id)

    answer = ada.head(f"/submissions/{submission.id}/events")

    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.content == b""
    assert ada.get("/me").status_code == 200
