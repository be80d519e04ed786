"""The headers of the rate limit: every counted answer says how many requests are left."""

import time

import httpx
import pytest
from sqlalchemy import select

from app.accounts.model import ApiToken
from app.database.engine import Database
from app.submissions.progress import Progress
from tests.api.conftest import SignedIn

NAMES = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")


def used(answer: httpx.Response) -> tuple[int, int]:
    return int(answer.headers["x-ratelimit-limit"]), int(answer.headers["x-ratelimit-remaining"])


@pytest.mark.parametrize("policy", [{"requests_per_minute": 3}], indirect=True)
def test_each_answer_says_how_many_requests_are_left(ada: httpx.Client, signed_in: SignedIn) -> None:
    good, unknown, wrong = ada.get("/me"), ada.get("/nothing"), ada.get("/problems?limit=0")
    refused = ada.get("/me")

    assert [answer.status_code for answer in (good, unknown, wrong, refused)] == [200, 404, 422, 429]
    assert [used(answer) for answer in (good, unknown, wrong, refused)] == [(3, 2), (3, 1), (3, 0), (3, 0)]
    assert used(signed_in("grace").get("/me")) == (3, 2)
    # The first request leaves the window a minute after it came. Then one more is allowed.
    reset_at = int(refused.headers["x-ratelimit-reset"])
    assert reset_at == int(good.headers["x-ratelimit-reset"])
    assert abs(reset_at - time.time() - int(refused.headers["retry-after"])) <= 5


@pytest.mark.parametrize("policy", [{"requests_per_minute": 3}], indirect=True)
def test_requests_without_a_token_are_counted_by_network(anyone: httpx.Client) -> None:
    answers = [anyone.get("/problems"), anyone.get("/me"), anyone.head("/problems")]

    assert [used(answer) for answer in answers] == [(3, 2), (3, 1), (3, 0)]


def test_a_page_has_the_headers_too(address: str) -> None:
    page = httpx.get(address)

    assert all(name in page.headers for name in NAMES)


def test_an_answer_that_is_not_counted_has_none(address: str) -> None:
    answers = [httpx.get(address + path) for path in ("/healthz", "/readyz", "/static/base.css")]

    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert not any(name in answer.headers for answer in answers for name in NAMES)


def test_an_unforeseen_error_has_the_headers(ada: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Progress, "watch")

    answer = ada.get("/submissions/00000000-0000-0000-0000-000000000000", params={"wait": 1})

    assert answer.status_code == 500
    assert all(name in answer.headers for name in NAMES)


def test_a_token_that_a_transaction_holds_delays_no_call(ada: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        held = session.scalars(select(ApiToken).with_for_update()).all()
        answer = ada.get("/me", timeout=10)

    assert [token.last_used_at for token in held] == [None]
    assert answer.status_code == 200
    assert ada.get("/me").status_code == 200
    with database.transaction() as session:
        assert session.scalars(select(ApiToken.last_used_at)).one() is not None
