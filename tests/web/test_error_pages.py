"""Pages for what went wrong say what happened and lead on."""

from http import HTTPStatus

import pytest
from fastapi.testclient import TestClient

from app.database import Database
from app.main import create_app
from app.settings import Settings
from app.web.cookie import COOKIE
from tests.web.conftest import PASSWORD


def test_a_mistyped_problem_suggests_those_that_may_be_meant(anyone: TestClient) -> None:
    for path in ("/problems/scaled_sun", "/problems/Scaled-Sum", "/scaled_sum"):
        page = anyone.get(path)

        assert page.status_code == HTTPStatus.NOT_FOUND
        assert '<a href="/problems/scaled_sum">Scaled sum</a>' in page.text
        assert 'action="/problems"' in page.text


def test_what_resembles_nothing_suggests_nothing(anyone: TestClient) -> None:
    for path in ("/problems/quaternion", "/" + "a" * 5000, "/problems/%00", "/%F0%9F%92%A9"):
        page = anyone.get(path)

        assert page.status_code == HTTPStatus.NOT_FOUND
        assert "Did you mean" not in page.text


def test_a_stranger_is_offered_to_sign_in_and_come_back(anyone: TestClient) -> None:
    page = anyone.get("/submissions/of-somebody").text

    assert '<a class="button primary" href="/sign-in?next=/submissions/of-somebody">Sign in and come back</a>' in page


def test_who_is_signed_in_stays_so_on_the_page_of_an_error(ada: TestClient) -> None:
    page = ada.get("/nowhere").text

    assert "Sign out" in page
    assert "Sign in and come back" not in page


def test_a_request_that_an_address_does_not_take_leads_back(anyone: TestClient) -> None:
    page = anyone.request("DELETE", "/sign-in")

    assert page.status_code == HTTPStatus.METHOD_NOT_ALLOWED
    assert "use the buttons of the page" in page.text
    assert "GET" in page.headers["allow"]


@pytest.mark.parametrize("policy", [{"requests_per_minute": 1}], indirect=True)
def test_too_much_at_once_says_when_to_try_again(anyone: TestClient) -> None:
    for _ in range(2):
        page = anyone.post("/sign-up", data={"username": "grace", "password": PASSWORD})

    assert page.status_code == HTTPStatus.TOO_MANY_REQUESTS
    assert "try again in" in page.text
    assert int(page.headers["retry-after"]) > 0


def test_without_its_database_a_page_says_so_and_asks_nobody_who_they_are(database_url: str) -> None:
    away = create_app(Settings(), Database(f"{database_url}_that_is_gone"))

    page = TestClient(away, raise_server_exceptions=False).get("/problems", headers={"Cookie": f"{COOKIE}=x"})

    assert page.status_code == HTTPStatus.SERVICE_UNAVAILABLE
    assert "reach its database" in page.text
    assert 'href="/problems">Try again' in page.text
    assert "Sign in" not in page.text
