"""Hints, quiz, solution and completion through REST; what they mean is tested in tests/learning."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from app.accounts.model import User
from app.catalog.model import Revision
from app.database.engine import Database
from tests.api.conftest import SignedIn
from tests.learning.lessons import HINTS, make_accepted, publish_lesson

BASE = "/problems/scaled_sum"
SECRETS = (*HINTS, "Count on your fingers.", "Add, then multiply.", "return x.sum() * scale", "def make(seed, width)")


@pytest.fixture
def revision(database: Database) -> Revision:
    with database.transaction() as session:
        return publish_lesson(session)


def solve(database: Database, revision: Revision, username: str) -> None:
    with database.transaction() as session:
        user = session.scalars(select(User).where(User.username == username)).one()
        make_accepted(session, user, revision)


@pytest.mark.usefixtures("revision")
def test_nothing_of_it_is_told_before_it_is_asked_for(anyone: httpx.Client, signed_in: SignedIn) -> None:
    ada = signed_in()

    said = [
        client.get(BASE + path).text
        for client in (anyone, ada)
        for path in ("", "/hints", "/quiz", "/solution", "/progress", "/completion", "/editorial", "/reference")
    ] + [anyone.get("/problems").text, ada.get("/openapi.json").text]

    for secret in SECRETS:
        assert not any(secret in text for text in said), secret
    assert all("right_choice" not in text for text in said[:-1])
    detail = anyone.get(BASE).json()
    assert (detail["hint_count"], detail["question_count"]) == (3, 2)


@pytest.mark.usefixtures("revision")
def test_who_is_not_signed_in_is_asked_for_a_token(anyone: httpx.Client) -> None:
    asked = [
        anyone.get(BASE + "/hints"),
        anyone.post(BASE + "/hints", json={"number": 1}),
        anyone.get(BASE + "/quiz"),
        anyone.post(BASE + "/quiz/answers", json={"question": 0, "choice": 0}),
        anyone.post(BASE + "/quiz/attempts"),
        anyone.get(BASE + "/solution"),
        anyone.post(BASE + "/solution", json={"show_me": True}),
        anyone.get(BASE + "/progress"),
        anyone.put(BASE + "/completion"),
        anyone.delete(BASE + "/completion"),
    ]

    assert [answer.status_code for answer in asked] == [401] * len(asked)


@pytest.mark.usefixtures("revision")
def test_refusals_say_what_is_wrong_and_what_to_do(signed_in: SignedIn) -> None:
    ada = signed_in()
    refusals: list[tuple[Callable[[], httpx.Response], int, str]] = [
        (lambda: ada.post(BASE + "/hints", json={"number": 2}), 409, "read that one first"),
        (lambda: ada.post(BASE + "/hints", json={"number": 9}), 404, "numbered 1 to 3"),
        (lambda: ada.post(BASE + "/hints", json={"number": "1"}), 422, "must be a whole number"),
        (lambda: ada.post(BASE + "/hints", json={"number": 1.5}), 422, "number"),
        (lambda: ada.post(BASE + "/quiz/answers", json={"question": 0, "choice": 7}), 404, "numbered 0 to 1"),
        (lambda: ada.get(BASE + "/solution"), 403, "when you ask to view it"),
        (lambda: ada.post(BASE + "/solution", json={}), 422, "show_me"),
        (lambda: ada.post(BASE + "/solution", json={"show_me": False}), 422, "show_me"),
        (lambda: ada.put(BASE + "/completion"), 409, "not solved yet"),
        (lambda: ada.get("/problems/nothing/hints"), 404, "no problem 'nothing'"),
    ]

    for ask, status, words in refusals:
        answer = ask()
        assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
        assert words in answer.text
    assert ada.get(BASE + "/progress").json()["solution"] is None


def test_from_hint_to_completion(signed_in: SignedIn, database: Database, revision: Revision) -> None:
    ada = signed_in("ada")

    assert ada.post(BASE + "/hints", json={"number": 1}).json()["revealed"][0]["text"] == HINTS[0]
    quiz = ada.post(BASE + "/quiz/answers", json={"question": 0, "choice": 1}).json()
    assert quiz["questions"][0]["answered"]["explanation"] == "Count on your fingers."
    assert quiz["questions"][1]["answered"] is None
    assert ada.post(BASE + "/quiz/attempts").json()["attempt"] == 2
    shown = ada.post(BASE + "/solution", json={"show_me": True}).json()
    assert shown == ada.get(BASE + "/solution").json()
    assert (shown["opened_by"], shown["editorial"]) == ("asked", "Add, then multiply.\n")
    solve(database, revision, "ada")
    assert ada.put(BASE + "/completion").status_code == 200

    progress = ada.get(BASE + "/progress").json()
    expected: dict[str, Any] = {
        "hints": 3,
        "hints_revealed": 1,
        "questions": 2,
        "questions_answered": 0,
        "questions_right": 0,
        "solution": "accepted",
        "solved_after_seeing_the_solution": True,
    }
    assert expected.items() <= progress.items()
    assert progress["completed_at"]
    assert ada.delete(BASE + "/completion").status_code == 204
    assert ada.get(BASE + "/progress").json()["completed_at"] is None


def test_another_users_success_opens_nothing(signed_in: SignedIn, database: Database, revision: Revision) -> None:
    ada, grace = signed_in("ada"), signed_in("grace")
    solve(database, revision, "grace")

    assert grace.get(BASE + "/solution").status_code == 200
    assert ada.get(BASE + "/solution").status_code == 403
