"""Every error is a problem details object whose text says what to do."""

from collections.abc import Iterator
from uuid import uuid4

import httpx
import psycopg
import pytest
from fastapi import FastAPI

from app.database import Database
from app.embedded_postgres import EmbeddedPostgres
from tests.api.conftest import SignedIn

JSON = {"Content-Type": "application/json"}


def assert_is_problem(answer: httpx.Response, status: int) -> None:
    problem = answer.json()
    assert answer.status_code == problem["status"] == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem.keys() - {"errors", "request_id"} == {"type", "title", "status", "code", "detail", "instance"}
    assert problem["instance"] == answer.url.path


@pytest.mark.parametrize("path", ["/", "/nothing", "/submission", "/me/", "/problems/x/y/z", "/users%00", "/%ff"])
def test_a_path_that_does_not_exist(anyone: httpx.Client, path: str) -> None:
    answer = anyone.get(path)

    assert_is_problem(answer, 404)
    assert "/api/v1/openapi.json" in answer.json()["detail"]


def test_a_method_that_the_path_does_not_take(anyone: httpx.Client) -> None:
    answer = anyone.put("/tokens", json={})

    assert_is_problem(answer, 405)
    assert answer.headers["allow"] == "GET, POST"


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b'{"username": "ada",\n "password": }', "Expecting value at line 2, column 14 (character 33)"),
        (b"", "is required"),
        (b'{"username": "ad\xff"}', "not UTF-8: invalid start byte at byte 16; encode it as UTF-8"),
        (b"\xff\xfe{}", "Expecting value at line 1, column 1"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"username": ' + b"1" * 5000 + b"}", "can't be read as JSON"),
    ],
)
def test_a_body_that_is_no_json(anyone: httpx.Client, body: bytes, detail: str) -> None:
    answer = anyone.post("/users", content=body, headers=JSON)

    assert_is_problem(answer, 422 if body == b"" else 400)
    assert detail in answer.json()["detail"]


@pytest.mark.parametrize("body", [b"[]", b'"ada"', b"null", b"7", b"NaN"])
def test_json_that_is_no_object(anyone: httpx.Client, body: bytes) -> None:
    answer = anyone.post("/users", content=body, headers=JSON)

    assert_is_problem(answer, 422)
    assert answer.json()["errors"][0]["field"] == "body"


def test_values_of_wrong_types_are_named_and_secrets_are_not_repeated(anyone: httpx.Client) -> None:
    answer = anyone.post("/users", json={"username": 7, "password": 123456789012, "x\n" * 99: 1})

    assert_is_problem(answer, 422)
    assert {fault["field"] for fault in answer.json()["errors"]} == {"username", "password", "x\n" * 30 + "…"}
    assert "123456789012" not in answer.text


def test_a_lone_surrogate_in_a_text_is_named(anyone: httpx.Client) -> None:
    key = anyone.post("/users", content=rb'{"\ud800": "ada"}', headers=JSON)
    value = anyone.post("/users", content=rb'{"username": "ada", "password": "correct horse\ud800"}', headers=JSON)

    for answer in (key, value):
        assert_is_problem(answer, 422)
        assert "lone surrogate" in answer.json()["errors"][0]["message"]


def test_a_body_that_is_not_marked_as_json(anyone: httpx.Client) -> None:
    answer = anyone.post("/users", data={"username": "ada"})

    assert_is_problem(answer, 415)
    assert "Content-Type: application/json" in answer.json()["detail"]


def test_a_body_without_a_content_type_is_read_as_json(anyone: httpx.Client) -> None:
    answer = anyone.post("/users", content=b'{"username": "ada", "password": "correct horse"}')

    assert answer.status_code == 201


def test_a_body_that_is_too_large_is_refused_before_it_is_read(anyone: httpx.Client) -> None:
    declared = anyone.post("/users", content=b" " * (1024 * 1024 + 1), headers=JSON)
    ignored = anyone.request("GET", "/openapi.json", content=b" " * (1024 * 1024 + 1))

    for answer in (declared, ignored):
        assert_is_problem(answer, 413)
        assert "at most 1048576 are taken" in answer.json()["detail"]


def test_a_body_that_grows_too_large_in_chunks_is_refused(anyone: httpx.Client) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(20):
            yield b" " * 100_000

    answer = anyone.post("/users", content=endless(), headers=JSON)

    assert_is_problem(answer, 413)


@pytest.mark.parametrize("policy", [{"requests_per_minute": 3}], indirect=True)
def test_too_many_requests_of_one_user_leave_others_alone(signed_in: SignedIn) -> None:
    ada, grace = signed_in("ada"), signed_in("grace")
    answers = [ada.get("/me") for _ in range(4)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert_is_problem(answers[-1], 429)
    assert 0 < int(answers[-1].headers["retry-after"]) <= 61
    assert grace.get("/me").status_code == 200


@pytest.mark.parametrize("policy", [{"requests_per_minute": 3}], indirect=True)
def test_too_many_requests_of_one_address_are_stopped_whatever_token_they_bring(anyone: httpx.Client) -> None:
    answers = [anyone.get("/me", headers={"Authorization": f"Bearer alc_{n}"}) for n in range(4)]

    assert [answer.status_code for answer in answers] == [401, 401, 401, 429]


def test_an_error_of_ours_shows_nothing_of_its_cause(app: FastAPI, anyone: httpx.Client) -> None:
    app.state.request_throttle = "broken: the secret is 42"

    answer = anyone.get("/me")

    assert_is_problem(answer, 500)
    assert "42" not in answer.text
    assert "Traceback" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_database_that_is_away_is_said_to_be(
    anyone: httpx.Client, database: Database, ada: httpx.Client, postgres: EmbeddedPostgres
) -> None:
    name = database.engine.url.database
    with psycopg.connect(postgres.url.replace("+psycopg", ""), dbname="postgres", autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])

    answer = ada.get("/me")

    assert_is_problem(answer, 503)
    assert int(answer.headers["retry-after"]) > 0
    assert anyone.get("/openapi.json").status_code == 200


def test_errors_of_pages_are_pages(address: str) -> None:
    answer = httpx.get(f"{address}/nothing")

    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")


def test_an_identifier_that_is_none(ada: httpx.Client) -> None:
    assert_is_problem(ada.get("/submissions/seven"), 422)
    assert_is_problem(ada.get(f"/submissions/{uuid4()}"), 404)
