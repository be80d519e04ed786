"""Signing up, in and out on the pages."""

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from app.accounts.model import User
from app.database.engine import Database
from app.web.cookie import COOKIE
from app.web.origin import local_path
from tests.web.conftest import PASSWORD


def test_signing_up_signs_in_and_returns_to_the_page_asked_for(anyone: TestClient) -> None:
    form = {"username": "Ada", "password": PASSWORD, "email": "", "next": "/problems/scaled_sum"}

    answer = anyone.post("/sign-up", data=form)

    assert (answer.status_code, answer.headers["location"]) == (303, "/problems/scaled_sum")
    assert "ada" in anyone.get("/").text
    assert "Sign out" in anyone.get("/").text


def test_the_session_cookie_is_out_of_reach_of_scripts_and_other_sites(anyone: TestClient) -> None:
    answer = anyone.post("/sign-up", data={"username": "ada", "password": PASSWORD})

    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie


@pytest.mark.parametrize("settings", [{"secure_cookies": True}], indirect=True)
def test_secure_cookies_are_sent_over_https_only(anyone: TestClient) -> None:
    answer = anyone.post("/sign-up", data={"username": "ada", "password": PASSWORD})

    assert "Secure" in answer.headers["set-cookie"]


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
def test_a_mistake_is_named_beside_its_field_and_the_rest_is_kept(
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


@pytest.mark.parametrize("policy", [{"requests_per_minute": 1}], indirect=True)
def test_accounts_are_not_made_in_bulk(anyone: TestClient) -> None:
    anyone.post("/sign-up", data={"username": "ada", "password": PASSWORD})

    answer = anyone.post("/sign-up", data={"username": "eve", "password": PASSWORD})

    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) > 0
    assert "text/html" in answer.headers["content-type"]


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


FOREIGN: tuple[dict[str, str], ...] = (
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Origin": "https://evil.example"},
    {"Origin": "https://testserver"},
    {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://testserver"},
)


@pytest.mark.parametrize("path", ["/sign-up", "/sign-in", "/sign-out", "/problems/scaled_sum/submissions"])
def test_a_form_sent_from_another_site_is_refused(ada: TestClient, path: str) -> None:
    form = {"username": "eve", "password": PASSWORD, "source": "x = 1"}

    answers = [ada.post(path, data=form, headers=headers) for headers in FOREIGN]

    assert [answer.status_code for answer in answers] == [403] * len(FOREIGN)
    assert all("another site" in answer.text for answer in answers)
    assert not any("set-cookie" in answer.headers for answer in answers)


def test_a_form_of_our_own_is_taken(anyone: TestClient) -> None:
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


def test_a_path_of_our_own_is_kept() -> None:
    assert local_path("/problems/scaled_sum?from=1#source") == "/problems/scaled_sum?from=1#source"


def test_a_suspended_user_reads_so_after_the_right_password_only(anyone: TestClient, database: Database) -> None:
    anyone.post("/sign-up", data={"username": "ada", "password": PASSWORD})
    with database.transaction() as session:
        session.execute(update(User).values(is_active=False))
    anyone.cookies.clear()

    wrong = anyone.post("/sign-in", data={"username": "ada", "password": "wrong horse"})
    right = anyone.post("/sign-in", data={"username": "ada", "password": PASSWORD})

    assert (wrong.status_code, right.status_code) == (422, 403)
    assert "our account is suspended. Ask an admin" in right.text
    assert "suspended" not in wrong.text
    assert COOKIE not in right.cookies
