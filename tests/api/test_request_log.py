"""Requests in the log and in their own answers: one name for both, and nothing that must not be there."""

import json
import logging
import re
from collections.abc import Iterator
from io import StringIO
from urllib.parse import quote

import httpx
import pytest
from fastapi import FastAPI

from app.database.engine import Database
from app.log import JsonLines, TextLines
from app.settings import Settings
from app.web_process import build_application, set_state
from tests.api.conftest import SignedIn
from tests.factories import make_problem
from tests.queue.fleet import wait_until

OWN_NAME = re.compile("[0-9a-f]{32}")


class Lines:
    """The log lines of the process while a test runs, as JSON for programs and as text for people."""

    def __init__(self) -> None:
        self.json, self.text = StringIO(), StringIO()

    @property
    def objects(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.json.getvalue().splitlines()]

    def of(self, name: str) -> list[dict[str, object]]:
        return [line for line in self.objects if line.get("request_id") == name]

    def access(self, count: int) -> list[dict[str, object]]:
        """Wait for the lines of so many requests: a line is written once the answer is sent."""
        wait_until(lambda: len(self._access()) >= count)
        return self._access()

    def _access(self) -> list[dict[str, object]]:
        return [line for line in self.objects if line["logger"] == "allclose.access"]


@pytest.fixture
def lines() -> Iterator[Lines]:
    written, root = Lines(), logging.getLogger()
    handlers = (logging.StreamHandler(written.json), logging.StreamHandler(written.text))
    handlers[0].setFormatter(JsonLines("serve"))
    handlers[1].setFormatter(TextLines("serve"))
    before = root.level
    root.setLevel(logging.INFO)
    client = logging.getLogger("httpx")  # the test's own, in the same process
    client.setLevel(logging.WARNING)
    for handler in handlers:
        root.addHandler(handler)
    yield written
    for handler in handlers:
        root.removeHandler(handler)
    root.setLevel(before)
    client.setLevel(logging.NOTSET)


@pytest.fixture(scope="module")
def application() -> FastAPI:
    """An application of this module's own, with an endpoint that fails and repeats what the client sent."""
    app = build_application()

    def fail(said: str = "") -> None:
        raise RuntimeError(f"can't\n{said}")

    app.add_api_route("/api/v1/broken", fail)
    app.add_api_route("/broken", fail)
    return app


@pytest.fixture
def app(application: FastAPI, settings: Settings, database: Database) -> FastAPI:
    set_state(application, settings, database)
    return application


@pytest.mark.parametrize("path", ["/healthz", "/problems", "/api/v1/problems", "/api/v1/me", "/nothing-here"])
def test_a_response_repeats_the_request_id(address: str, path: str) -> None:
    answer = httpx.get(address + path, headers={"X-Request-ID": "from-the-proxy_1"})

    assert answer.headers["x-request-id"] == "from-the-proxy_1"


@pytest.mark.parametrize("brought", ["", "two words", "a" * 65, "x\tforged", "ünïcode", "a;b"])
def test_an_invalid_request_id_is_replaced(address: str, brought: str) -> None:
    answer = httpx.get(f"{address}/healthz", headers={b"X-Request-ID": brought.encode()})

    assert OWN_NAME.fullmatch(answer.headers["x-request-id"])


def test_errors_show_the_request_id(anyone: httpx.Client, address: str) -> None:
    refused = anyone.get("/me", headers={"X-Request-ID": "asked-1"})
    missing = httpx.get(f"{address}/nothing", headers={"X-Request-ID": "asked-2"})

    assert refused.json()["request_id"] == "asked-1"
    assert "<code>asked-2</code>" in missing.text


def test_an_unforeseen_error_is_logged_with_its_request_id(anyone: httpx.Client, address: str, lines: Lines) -> None:
    answer, page = anyone.get("/broken"), httpx.get(f"{address}/broken")

    for shown in (answer, page):
        assert shown.status_code == 500
        name = shown.headers["x-request-id"]
        assert name in shown.text
        wait_until(lambda: len(lines.of(name)) == 2)  # noqa: B023
        told = {str(line["logger"]): line for line in lines.of(name)}
        assert "RuntimeError" in str(told["uvicorn.error"]["error"])
        assert told["allclose.access"]["status"] == 500


def test_each_request_is_one_line_with_its_route_and_who_asked(signed_in: SignedIn, lines: Lines) -> None:
    ada = signed_in("ada")
    me = ada.get("/me").json()
    ada.get("/submissions/00000000-0000-0000-0000-000000000001?wait=0")

    first, second = lines.access(2)
    assert (first["method"], first["route"], first["status"]) == ("GET", "/api/v1/me", 200)
    assert (second["route"], second["status"]) == ("/api/v1/submissions/{submission_id}", 404)
    assert second["submission_id"] == "00000000-0000-0000-0000-000000000001"
    assert first["user_id"] == second["user_id"] == me["id"]
    assert isinstance(first["seconds"], float)


def test_a_judging_stores_the_request_id(signed_in: SignedIn, database: Database, lines: Lines) -> None:
    with database.transaction() as session:
        make_problem(session, "sum")
    ada = signed_in("ada")
    sent = ada.post("/problems/sum/submissions", json={"source": "def solve(): ...", "mode": "submit"})

    (line,) = lines.access(1)
    assert line["submission_id"] == sent.json()["id"]
    with database.engine.connect() as connection:
        stored = connection.exec_driver_sql("SELECT request_id FROM judgings").scalar_one()
    assert stored == line["request_id"] == sent.headers["x-request-id"]


def test_no_password_token_source_or_query_is_logged(
    signed_in: SignedIn, anyone: httpx.Client, address: str, database: Database, lines: Lines
) -> None:
    with database.transaction() as session:
        make_problem(session, "sum")
    ada = signed_in("ada")
    secrets = ["correct-horse-battery", "def hush_hush()", "in-the-query", "in-the-path", "in-the-cookie"]

    anyone.post("/users", json={"username": "grace", "password": secrets[0]})
    token = anyone.post("/tokens", json={"username": "grace", "password": secrets[0]}).json()["token"]
    anyone.post("/tokens", json={"username": "grace", "password": secrets[0] + "-wrong"})
    anyone.get("/me", headers={"Authorization": f"Bearer {token}x"})
    ada.post("/problems/sum/submissions", json={"source": secrets[1] + ": ...", "mode": "submit"})
    ada.post("/problems/sum/submissions", json={"source": secrets[1] + "\0", "mode": "submit"})
    anyone.get("/problems", params={"q": secrets[2]})
    httpx.get(f"{address}/reset-password/{secrets[3]}")
    httpx.get(f"{address}/me", cookies={"allclose_session": secrets[4]})

    written = lines.json.getvalue() + lines.text.getvalue()
    assert len(lines.access(9)) == 9
    for secret in (*secrets, token, str(ada.headers["authorization"]).removeprefix("Bearer ")):
        assert secret not in written


def test_a_client_can_forge_no_line(address: str, lines: Lines) -> None:
    forged = "\r\n2026-01-01 00:00:00,000 INFO serve forged: all is well\u2028next"

    httpx.get(f"{address}/broken", params={"said": forged})
    httpx.get(f"{address}/problems/{quote(forged)}")

    wait_until(lambda: len(lines.objects) == 3)
    assert all(set(line) >= {"time", "level", "process", "logger", "message"} for line in lines.objects)
    begins = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} [A-Z]+ serve (?!forged)|    ")
    assert [line for line in lines.text.getvalue().splitlines() if not begins.match(line)] == []


def test_a_token_that_a_line_should_hold_is_left_out(lines: Lines) -> None:
    logging.getLogger("some.library").warning("sent %s with %s", "alc_abc-DEF_123", "Authorization: Bearer abc.def")

    assert [line["message"] for line in lines.objects] == ["sent … with Authorization: Bearer …"]
    assert "abc" not in lines.text.getvalue()
