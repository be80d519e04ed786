"""Signing up, in and out on the pages."""

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import delete

from app.accounts.model import UserSession
from app.accounts.user import SignUp, sign_up
from app.database.engine import Database
from app.web.visit import BROWSER, COOKIE, local_path
from tests.web.conftest import PASSWORD

GRACE = {"username": "grace", "password": PASSWORD}


def test_signing_up_signs_in_and_returns_to_the_page_asked_for(anyone: TestClient) -> None:
    form = {"username": "Ada", "password": PASSWORD, "email": "", "next": "/problems/scaled_sum"}

    answer = anyone.post("/sign-up", data=form)

    assert (answer.status_code, answer.headers["location"]) == (303, "/problems/scaled_sum")
    assert "ada" in anyone.get("/").text
    assert "Sign out" in anyone.get("/").text


@pytest.mark.parametrize(
    ("changed", "field", "status"),
    [
        ({"username": "a"}, "username", 422),
        ({"username": "<b>"}, "username", 422),
        ({"password": "short"}, "password", 422),
        ({"email": "nowhere"}, "email", 422),
        ({"username": "taken"}, "username", 409),
    ],
)
def test_an_error_of_the_sign_up_form_stands_beside_its_field(
    anyone: TestClient, changed: dict[str, str], field: str, status: int
) -> None:
    anyone.post("/sign-up", data={"username": "taken", "password": PASSWORD})
    anyone.cookies.clear()

    answer = anyone.post(
        "/sign-up", data={"username": "ada", "password": PASSWORD, "email": "ada@example.org"} | changed
    )

    assert answer.status_code == status
    assert f'aria-describedby="{field}-hint {field}-error"' in answer.text.split('aria-invalid="true"')[1][:80]
    assert PASSWORD not in answer.text
    assert "<b>" not in answer.text
    if field != "email":
        assert "ada@example.org" in answer.text


def test_a_wrong_password_says_so_and_keeps_the_name(anyone: TestClient) -> None:
    anyone.post("/sign-up", data={"username": "ada", "password": PASSWORD})
    anyone.cookies.clear()

    answer = anyone.post("/sign-in", data={"username": "ada", "password": "wrong password"})

    assert answer.status_code == 422
    assert "password is wrong" in answer.text
    assert 'value="ada"' in answer.text


def test_signing_in_and_out(anyone: TestClient) -> None:
    anyone.post("/sign-up", data={"username": "ada", "password": PASSWORD})
    anyone.cookies.clear()

    anyone.post("/sign-in", data={"username": "ada", "password": PASSWORD})
    secret = anyone.cookies[COOKIE]
    answer = anyone.post("/sign-out")

    assert answer.headers["location"] == "/"
    assert COOKIE not in anyone.cookies
    anyone.cookies.set(COOKIE, secret)
    assert "Sign out" not in anyone.get("/").text


def test_a_form_of_the_same_site_is_accepted(anyone: TestClient) -> None:
    own: tuple[dict[str, str], ...] = ({"Sec-Fetch-Site": "same-origin"}, {"Origin": "http://testserver"}, {})

    answers = [anyone.post("/sign-out", headers=headers) for headers in own]

    assert [answer.status_code for answer in answers] == [303] * len(own)


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "/\t/evil.example",
        "\\\\evil.example",
        "javascript:alert(1)",
        "/ok\r\nSet-Cookie: a=b",
        "",
    ],
)
def test_signing_in_never_redirects_to_another_site(target: str) -> None:
    assert local_path(target) == "/"


def test_signing_in_returns_to_a_path_of_this_site() -> None:
    assert local_path("/problems/scaled_sum?from=1#source") == "/problems/scaled_sum?from=1#source"


@pytest.mark.parametrize("settings", [{"public_url": "https://judge.example"}], indirect=True)
def test_behind_a_proxy_forms_are_compared_with_the_public_address(
    anyone: TestClient,
) -> None:
    assert anyone.post("/sign-out", headers={"Origin": "https://judge.example"}).status_code == 303
    for origin in ("http://judge.example", "https://judge.example.evil", "https://evil.example", "null"):
        assert anyone.post("/sign-out", headers={"Origin": origin}).status_code == 403


def test_a_browser_that_has_signed_in_is_not_slowed_down_by_wrong_passwords(
    anyone: TestClient, database: Database
) -> None:
    with database.transaction() as session:
        sign_up(session, SignUp(username="grace", password=PASSWORD))
    assert anyone.post("/sign-in", data=GRACE).status_code == 303
    known = dict(anyone.cookies)
    anyone.cookies.clear()
    for number in range(10):
        assert anyone.post("/sign-in", data={**GRACE, "password": f"wrong {number}"}).status_code == 422

    anyone.cookies.update({BROWSER.name: known[BROWSER.name]})

    assert [anyone.post("/sign-in", data=GRACE).status_code for _ in range(3)] == [303] * 3


@pytest.mark.parametrize("path", ["/me", "/submissions", "/admin"])
def test_a_browser_whose_session_has_ended_is_told_so(ada: TestClient, database: Database, path: str) -> None:
    with database.transaction() as session:
        session.execute(delete(UserSession))

    sent_away = ada.get(path)

    assert sent_away.status_code == 303
    assert "Your session has ended. Sign in to go on." in ada.get(sent_away.headers["location"]).text
    ada.cookies.clear()
    assert "Your session has ended" not in ada.get(ada.get(path).headers["location"]).text
