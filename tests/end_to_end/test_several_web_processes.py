"""Two real web processes on one database: it does not matter which of them answers a request."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import uuid4

import httpx
import psycopg
import pytest
from sqlalchemy import URL, make_url

from app.database.embedded_server import EmbeddedPostgres
from tests.serving import NO_WORKER, ONE_PROBLEM, RIGHT, SLUG, STOP_SECONDS, Served, serve

PASSWORD = "correct horse battery"

pytestmark = pytest.mark.whole


@pytest.fixture(scope="module")
def shared_url(postgres: EmbeddedPostgres) -> str:
    """The URL of an empty database, as an admin gives it to Allclose."""
    name = f"several_{uuid4().hex[:8]}"
    address = make_url(postgres.url).set(drivername="postgresql")
    with psycopg.connect(_shown(address.set(database="postgres")), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return _shown(address.set(database=name))


@pytest.fixture(scope="module")
def servers(shared_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Served]]:
    settings = {"ALLCLOSE_DATABASE_URL": shared_url}
    with ExitStack() as stack:
        one, other = (
            stack.enter_context(serve(tmp_path_factory.mktemp(name), settings, options=NO_WORKER))
            for name in ("one", "other")
        )
        yield one, other


def test_a_session_made_at_one_process_works_and_ends_at_the_other(servers: tuple[Served, Served]) -> None:
    one, other = servers
    name = f"ada-{uuid4().hex[:8]}"
    one.sign_up(name)

    with httpx.Client(timeout=90) as browser:
        browser.post(f"{one.url}/sign-in", data={"username": name, "password": PASSWORD, "next": "/"})
        cookies = dict(browser.cookies)
        at_the_other = _open_account(other, cookies)
        browser.post(f"{one.url}/sign-out")
        afterwards = _open_account(other, cookies)

    assert at_the_other.status_code == 200
    assert name in at_the_other.text
    assert afterwards.status_code == 303


def test_a_long_poll_at_one_process_ends_when_the_other_cancels(servers: tuple[Served, Served]) -> None:
    one, other = servers
    student = one.sign_up()
    submission = student.send(SLUG, RIGHT)
    at_the_other = httpx.Client(base_url=f"{other.url}/api/v1", headers=student.client.headers, timeout=90)

    with ThreadPoolExecutor(1) as pool:
        polled = pool.submit(at_the_other.get, f"/submissions/{submission}?wait=60")
        student.client.post(f"/submissions/{submission}/cancel").raise_for_status()
        view = polled.result().json()

    assert view["verdict"] == "cancelled"


def test_an_event_stream_at_one_process_sees_the_verdict_of_a_submission_sent_to_the_other(
    servers: tuple[Served, Served], shared_url: str, tmp_path: Path
) -> None:
    one, other = servers
    student = one.sign_up()
    submission = student.send(SLUG, RIGHT)

    with httpx.stream(
        "GET", f"{other.url}/api/v1/submissions/{submission}/events", headers=student.client.headers, timeout=120
    ) as stream:
        opened = stream.status_code  # before any worker runs
        with _worker({"ALLCLOSE_DATABASE_URL": shared_url, "ALLCLOSE_DATA": str(tmp_path)}):
            events = [line.removeprefix("event: ") for line in stream.iter_lines() if line.startswith("event: ")]
    view = student.client.get(f"/submissions/{submission}").json()

    assert opened == 200
    assert events[-1] == "done"
    assert events.count("case") == len(view["cases"]) > 0
    assert view["verdict"] == "accepted"


@contextmanager
def _worker(settings: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A real worker with real boxes, which drains at the end of the block."""
    environment = {**os.environ, "ALLCLOSE_PROBLEMS": str(ONE_PROBLEM), **settings}
    process = subprocess.Popen([sys.executable, "-m", "app.cli", "worker"], env=environment)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_SECONDS)
        finally:
            process.kill()


def _open_account(served: Served, cookies: Mapping[str, str]) -> httpx.Response:
    return httpx.get(f"{served.url}/account", cookies=dict(cookies), timeout=90)


def _shown(address: URL) -> str:
    return address.render_as_string(hide_password=False)
