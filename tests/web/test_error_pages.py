"""Pages for what went wrong say what happened and lead on."""

from http import HTTPStatus

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.accounts.session import start_session
from app.database.engine import Database
from app.limits import CROWD
from app.settings import Settings
from app.web.visit import COOKIE
from app.web_process import create_app
from tests.factories import make_user
from tests.web.conftest import PASSWORD


def test_a_mistyped_problem_suggests_those_that_may_be_meant(anyone: TestClient) -> None:
    for path in ("/problems/scaled_sun", "/problems/Scaled-Sum", "/scaled_sum"):
        page = anyone.get(path)

        assert page.status_code == HTTPStatus.NOT_FOUND
        assert '<a href="/problems/scaled_sum">Scaled sum</a>' in page.text
        assert 'action="/problems"' in page.text


def test_an_address_like_no_problem_suggests_nothing(anyone: TestClient) -> None:
    for path in ("/problems/quaternion", "/" + "a" * 5000, "/problems/%00", "/%F0%9F%92%A9"):
        page = anyone.get(path)

        assert page.status_code == HTTPStatus.NOT_FOUND
        assert "Did you mean" not in page.text


def test_a_page_that_is_not_found_offers_visitors_to_sign_in(anyone: TestClient) -> None:
    page = anyone.get("/submissions/of-somebody").text

    assert '<a class="button primary" href="/sign-in?next=/submissions/of-somebody">Sign in and come back</a>' in page


@pytest.mark.parametrize("path", ["/nowhere", "/" + "a" * 30_000, "/problems", "/sign-in"])
@pytest.mark.parametrize("name", ["q", "next"])
def test_a_page_does_not_repeat_an_address_that_is_very_long(anyone: TestClient, path: str, name: str) -> None:
    page = anyone.get(f"{path}?{name}=/{'<' * 10_000}")

    assert len(page.text) < 30_000


def test_an_error_page_shows_that_the_user_is_signed_in(ada: TestClient) -> None:
    page = ada.get("/nowhere").text

    assert "Sign out" in page
    assert "Sign in and come back" not in page


def test_a_method_that_a_page_does_not_take_is_explained(anyone: TestClient) -> None:
    page = anyone.request("DELETE", "/sign-in")

    assert page.status_code == HTTPStatus.METHOD_NOT_ALLOWED
    assert "use the buttons of the page" in page.text
    assert "GET" in page.headers["allow"]


@pytest.mark.parametrize("policy", [{"requests_per_minute": 1}], indirect=True)
def test_too_many_sign_ups_are_refused_with_the_wait(anyone: TestClient) -> None:
    for _ in range(2):
        page = anyone.post("/sign-up", data={"username": "grace", "password": PASSWORD})

    assert page.status_code == HTTPStatus.TOO_MANY_REQUESTS
    assert "Try again in" in page.text
    assert int(page.headers["retry-after"]) > 0


def test_a_page_without_its_database_says_so_and_does_not_ask_to_sign_in(database_url: str) -> None:
    away = create_app(Settings(), Database(f"{database_url}_that_is_gone"))

    page = TestClient(away, raise_server_exceptions=False).get("/problems", headers={"Cookie": f"{COOKIE}=x"})

    assert page.status_code == HTTPStatus.SERVICE_UNAVAILABLE
    assert "reach its database" in page.text
    assert 'href="/problems">Try again' in page.text
    assert "Sign in" not in page.text


@pytest.mark.parametrize("policy", [{"requests_per_minute": 1}], indirect=True)
def test_pages_opened_without_signing_in_are_counted_by_address(anyone: TestClient) -> None:
    read = [anyone.get("/problems").status_code for _ in range(CROWD)]
    refused = anyone.get("/sign-in")
    free = [anyone.get(path).status_code for path in ("/static/base.css", "/healthz")]

    assert read == [HTTPStatus.OK] * CROWD
    assert refused.status_code == HTTPStatus.TOO_MANY_REQUESTS
    assert (
        "more than 5 pages opened from your network without signing in in 1 minute. try again in"
        in refused.text.lower()
    )
    assert int(refused.headers["retry-after"]) > 0
    assert "text/html" in refused.headers["content-type"]
    assert free == [HTTPStatus.OK] * 2


@pytest.mark.parametrize("policy", [{"requests_per_minute": 1}], indirect=True)
def test_pages_opened_without_signing_in_do_not_count_for_signed_in_users(
    anyone: TestClient, database: Database
) -> None:
    refused = [anyone.get("/problems").status_code for _ in range(CROWD + 1)][-1]
    with database.transaction() as session:
        anyone.cookies.set(COOKIE, start_session(session, make_user(session, "ada").id))

    assert refused == HTTPStatus.TOO_MANY_REQUESTS
    assert anyone.get("/problems").status_code == HTTPStatus.OK


@pytest.mark.parametrize("policy", [{"requests_per_minute": 1}], indirect=True)
@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing-here", HTTPStatus.NOT_FOUND),
        ("GET", "/static/nothing.css", HTTPStatus.NOT_FOUND),
        ("GET", "/problems/nothing", HTTPStatus.NOT_FOUND),
        ("DELETE", "/sign-in", HTTPStatus.METHOD_NOT_ALLOWED),
        ("DELETE", "/static/base.css", HTTPStatus.METHOD_NOT_ALLOWED),
    ],
)
def test_refused_requests_are_counted(anyone: TestClient, method: str, path: str, status: HTTPStatus) -> None:
    answers = [anyone.request(method, path) for _ in range(CROWD + 1)]

    assert [answer.status_code for answer in answers] == [status] * CROWD + [429]
    assert int(answers[-1].headers["retry-after"]) > 0


def test_a_submission_without_signing_in_leads_to_the_sign_in_page_and_back(anyone: TestClient) -> None:
    form = {"source": "x = 1\n" * 5000, "mode": "submit"}
    headers = {"Referer": "http://testserver/problems/scaled_sum", "Sec-Fetch-Site": "same-origin"}

    led = anyone.post("/problems/scaled_sum/submissions", data=form, headers=headers)
    odd = anyone.post("/problems/scaled_sum/submissions", data=form, headers=headers | {"Referer": "http://["})
    entrance = anyone.post("/sign-in", data={"username": "x" * 20_000, "password": "y"})

    assert (odd.status_code, odd.headers["location"]) == (HTTPStatus.SEE_OTHER, "/sign-in?next=%2F")
    assert (led.status_code, led.headers["location"]) == (
        HTTPStatus.SEE_OTHER,
        "/sign-in?next=%2Fproblems%2Fscaled_sum",
    )
    assert entrance.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    assert "the limit is 16384 without signing in" in entrance.text


@pytest.mark.parametrize("policy", [{"requests_per_minute": 1}], indirect=True)
def test_a_network_of_ipv6_counts_as_one_reader_and_the_next_as_another(app: FastAPI) -> None:
    def read(address: str) -> int:
        return int(TestClient(app, client=(address, 50_000)).get("/problems").status_code)

    answers = [read(f"2001:db8:0:1::{number:x}") for number in range(CROWD + 1)]

    assert answers == [200] * CROWD + [429]
    assert read("2001:db8:0:2::1") == 200
