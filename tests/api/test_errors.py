"""Every error is a problem details object whose text says what to do."""

from collections.abc import Iterator

import httpx
import psycopg
import pytest
from fastapi import FastAPI

from app.database.embedded_server import EmbeddedPostgres
from app.database.engine import Database
from app.limits import Limits

JSON = {"Content-Type": "application/json"}


def assert_is_problem(answer: httpx.Response, status: int) -> None:
    problem = answer.json()
    assert answer.status_code == problem["status"] == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem.keys() - {"errors", "request_id"} == {"type", "title", "status", "code", "detail", "instance"}
    assert problem["instance"] == answer.url.path


@pytest.mark.parametrize("path", ["/", "/nothing", "/submission", "/me/", "/problems/x/y/z", "/users%00", "/%ff"])
def test_an_unknown_path_is_a_404(anyone: httpx.Client, path: str) -> None:
    answer = anyone.get(path)

    assert_is_problem(answer, 404)
    assert "/api/v1/openapi.json" in answer.json()["detail"]


def test_a_method_that_a_path_does_not_take_is_a_405(anyone: httpx.Client) -> None:
    answer = anyone.put("/tokens", json={})

    assert_is_problem(answer, 405)
    assert answer.headers["allow"] == "GET, POST"


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b'{"username": "ada",\n "password": }', "Expecting value at line 2, column 14 (character 33)"),
        (b"", "is required"),
        (b'{"username": "ad\xff"}', "not UTF-8: invalid start byte at byte 16. Encode it as UTF-8"),
        (b"\xff\xfe{}", "Expecting value at line 1, column 1"),
        (b"[" * 10_000, "nested too deeply"),
        (b'{"a":' * 2_500, "nested too deeply"),
        (b'{"username": ' + b"1" * 5000 + b"}", "can't be read as JSON"),
    ],
)
def test_a_body_that_is_not_json_is_explained(anyone: httpx.Client, body: bytes, detail: str) -> None:
    answer = anyone.post("/users", content=body, headers=JSON)

    assert_is_problem(answer, 422 if body == b"" else 400)
    assert detail in answer.json()["detail"]


@pytest.mark.parametrize("body", [b"[]", b'"ada"', b"null", b"7", b"NaN"])
def test_json_that_is_not_an_object_is_refused(anyone: httpx.Client, body: bytes) -> None:
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


def test_a_body_of_another_content_type_is_refused(anyone: httpx.Client) -> None:
    answer = anyone.post("/users", data={"username": "ada"})

    assert_is_problem(answer, 415)
    assert "Content-Type: application/json" in answer.json()["detail"]


def test_a_body_without_a_content_type_is_read_as_json(anyone: httpx.Client) -> None:
    answer = anyone.post("/users", content=b'{"username": "ada", "password": "correct horse"}')

    assert answer.status_code == 201


def in_chunks(size: int) -> Iterator[bytes]:
    for _ in range(0, size, 10_000):
        yield b" " * 10_000


def test_a_body_that_is_too_large_is_refused_before_it_is_read(ada: httpx.Client) -> None:
    declared = ada.post("/problems/x/submissions", content=b" " * (1024 * 1024 + 1), headers=JSON)
    ignored = ada.request("GET", "/openapi.json", content=b" " * (1024 * 1024 + 1))
    chunks = ada.post("/problems/x/submissions", content=in_chunks(1_100_000), headers=JSON)

    for answer in (declared, ignored, chunks):
        assert_is_problem(answer, 413)
        assert "the limit is 1048576" in answer.json()["detail"]


def test_without_signing_in_a_body_has_a_few_kib(anyone: httpx.Client) -> None:
    declared = anyone.post("/tokens", content=b" " * 20_000, headers=JSON)
    long = anyone.post("/tokens", content=b" " * 2_000_000, headers=JSON)
    chunks = anyone.post("/tokens", content=in_chunks(2_000_000), headers=JSON)
    ignored = anyone.request("GET", "/openapi.json", content=b" " * 20_000)

    for answer in (declared, long, chunks, ignored):
        assert_is_problem(answer, 413)
        assert "the limit is 16384 without signing in" in answer.json()["detail"]


def test_a_large_body_whose_sender_should_be_signed_in_is_told_so(anyone: httpx.Client) -> None:
    revoked = {**JSON, "Authorization": "Bearer alc_revoked"}
    source = b'{"source": "' + b"x" * 20_000 + b'"}'
    declared = anyone.post("/problems/x/submissions", content=source, headers=revoked)
    chunks = anyone.put("/problems/x", content=in_chunks(40_000), headers=revoked)

    for answer in (declared, chunks):
        assert_is_problem(answer, 401)
        assert answer.json()["code"] == "not_signed_in"
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert "POST /api/v1/tokens" in answer.json()["detail"]


def test_an_error_lists_the_first_20_faults_and_counts_the_others(anyone: httpx.Client) -> None:
    answer = anyone.post("/tokens", json={f"key_{n}": n for n in range(40)})

    assert_is_problem(answer, 422)
    assert [fault["field"] for fault in answer.json()["errors"][:3]] == ["username", "password", "key_0"]
    assert len(answer.json()["errors"]) == 20
    assert "There are 22 more errors" in answer.json()["detail"]


def test_an_object_of_very_many_keys_is_refused_as_one(ada: httpx.Client) -> None:
    whole = ada.post("/problems/x/submissions", json={f"key_{n}": n for n in range(40_000)})

    assert len(whole.json()["errors"]) == 1
    sentence = "has 40000 keys; the limit is 50. Remove the unknown keys, such as key_0, key_1, key_2"
    assert sentence in whole.json()["detail"]
    assert len(whole.content) < 1000


def test_a_list_of_wrong_values_is_one_fault(anyone: httpx.Client) -> None:
    wanted = {"username": "ada", "password": "correct horse"}
    wrong = anyone.post("/tokens", json={**wanted, "scopes": [1] * 4000})
    long = anyone.post("/tokens", json={**wanted, "scopes": ["problems:read"] * 500})

    assert [fault["field"] for fault in wrong.json()["errors"]] == ["scopes/0"]
    assert "at most" in long.json()["errors"][0]["message"]
    assert len(long.content) < 1000


@pytest.mark.parametrize("policy", [{"requests_per_minute": 2}], indirect=True)
def test_a_request_that_is_refused_early_is_counted(app: FastAPI, anyone: httpx.Client) -> None:
    refused: tuple[tuple[str, str, bytes, int], ...] = (
        ("GET", "/nothing", b"", 404),
        ("PUT", "/tokens", b"{}", 405),
        ("GET", "/problems?tagg=jax", b"", 422),
        ("POST", "/tokens", b"{", 400),
        ("POST", "/tokens", b"{}", 422),
        ("POST", "/tokens", b" " * 20_000, 413),
    )
    for method, path, body, status in refused:
        app.state.limits = Limits(requests_per_minute=lambda: 2)

        answers = [anyone.request(method, path, content=body, headers=JSON).status_code for _ in range(3)]

        assert answers == [status, status, 429]


@pytest.mark.parametrize("policy", [{"requests_per_minute": 2}], indirect=True)
def test_a_request_of_a_user_that_is_refused_early_is_counted_for_them(ada: httpx.Client, anyone: httpx.Client) -> None:
    answers = [ada.get(path).status_code for path in ("/nothing", "/me?x=1", "/me")]

    assert answers == [404, 422, 429]
    assert anyone.get("/problems").status_code == 200


@pytest.mark.parametrize("policy", [{"requests_per_minute": 3}], indirect=True)
def test_too_many_requests_from_one_address_are_stopped_for_every_token(anyone: httpx.Client) -> None:
    answers = [anyone.get("/me", headers={"Authorization": f"Bearer alc_{n:043}"}) for n in range(4)]

    assert [answer.status_code for answer in answers] == [401, 401, 401, 429]


def test_an_internal_error_shows_nothing_of_its_cause(app: FastAPI, anyone: httpx.Client) -> None:
    app.state.limits = "broken: the secret is xyzzy"

    answer = anyone.get("/me")

    assert_is_problem(answer, 500)
    assert "xyzzy" not in answer.text
    assert "Traceback" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_stopped_database_is_a_503(
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
