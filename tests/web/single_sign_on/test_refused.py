"""Answers of a provider, or forged in its name, that sign no user in."""

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.database.engine import Database
from app.web.pages.single_sign_on import COOKIE as ATTEMPT
from app.web.visit import COOKIE
from tests.web.single_sign_on.account import read_users
from tests.web.single_sign_on.away import Away, begin, sign_in


@pytest.mark.parametrize("fault", ["nonce", "audience", "expired", "forged", "unsigned"])
def test_an_invalid_id_token_signs_no_user_in(
    anyone: TestClient, provider: Away, database: Database, fault: str
) -> None:
    provider.says(fault=fault)

    answer = sign_in(anyone, provider)

    assert answer.status_code == 403
    assert "sent an invalid ID token. Sign in again" in answer.text
    assert COOKIE not in anyone.cookies
    assert read_users(database) == {}


@pytest.mark.parametrize("fault", ["broken", "subject"])
def test_a_provider_that_answers_nonsense_is_named_and_a_password_still_works(
    anyone: TestClient, provider: Away, fault: str
) -> None:
    provider.says(fault=fault)

    answer = sign_in(anyone, provider)

    assert answer.status_code in (403, 503)
    assert "the university" in answer.text
    assert 'name="password"' in answer.text


def test_a_discovery_document_of_another_issuer_is_not_believed(anyone: TestClient, provider: Away) -> None:
    provider.says(fault="issuer")

    assert anyone.get("/sign-in/oidc").status_code == 503


def test_a_provider_that_is_down_is_said_so_before_and_after(anyone: TestClient, provider: Away) -> None:
    back = provider.visit(begin(anyone))
    provider.process.kill()
    provider.process.wait()

    after = anyone.get(back)
    anyone.app.state.provider._document = {}  # type: ignore[attr-defined]
    before = anyone.get("/sign-in/oidc")

    assert (before.status_code, after.status_code) == (503, 503)
    for answer in (before, after):
        assert "the university does not answer" in answer.text
        assert 'name="password"' in answer.text


def test_a_user_who_declines_reads_that_nothing_changed(anyone: TestClient, provider: Away) -> None:
    provider.says(fault="denied")

    answer = sign_in(anyone, provider)

    assert answer.status_code == 403
    assert "you declined" in answer.text


def test_an_answer_without_our_state_or_with_another_is_refused(anyone: TestClient, provider: Away) -> None:
    back = provider.visit(begin(anyone))
    strange = anyone.get(back.replace("state=", "state=x"))
    again = anyone.get(back)

    anyone.cookies.clear()
    elsewhere = anyone.get(provider.visit(begin(anyone)).split("&state")[0].replace("state=", "s="))

    for answer in (strange, again, elsewhere):
        assert answer.status_code == 403
        assert "start again here" in answer.text
    assert COOKIE not in anyone.cookies


def test_another_browser_can_not_complete_a_sign_in(app: FastAPI, anyone: TestClient, provider: Away) -> None:
    back = provider.visit(begin(anyone))
    other = TestClient(app, follow_redirects=False)
    begin(other)

    answer = other.get(back)

    assert answer.status_code == 403
    assert COOKIE not in other.cookies


def test_a_code_works_once(anyone: TestClient, provider: Away) -> None:
    url = begin(anyone)
    kept = anyone.cookies[ATTEMPT]
    back = provider.visit(url)
    anyone.get(back)
    assert ATTEMPT not in anyone.cookies, "used up with the first answer"
    anyone.cookies.clear()
    anyone.cookies.set(ATTEMPT, kept)

    answer = anyone.get(back)

    assert answer.status_code == 403
    assert "refused the sign-in (invalid_grant)" in answer.text


def test_an_answer_that_names_another_provider_is_refused(anyone: TestClient, provider: Away) -> None:
    back = provider.visit(begin(anyone))

    answer = anyone.get(back.split("&iss=")[0] + "&iss=https%3A%2F%2Fevil.example" if "&iss=" in back else back)

    assert answer.status_code == 403


def test_a_changed_cookie_is_ignored(anyone: TestClient, provider: Away) -> None:
    back = provider.visit(begin(anyone))
    kept = anyone.cookies[ATTEMPT]
    anyone.cookies.clear()
    anyone.cookies.set(ATTEMPT, "x" + kept)

    assert anyone.get(back).status_code == 403
