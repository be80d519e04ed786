"""`allclose serve` from the first start to the last."""

import asyncio
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import pytest
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from app.cli import server
from app.cli.server import MOST_FILES, Connection, _listen, _raise_file_limit
from app.settings import ROOT, Settings
from tests.serving import ADMIN, NO_WORKER, SLUG, WRONG, Served, serve, wait_for


@pytest.mark.whole
def test_the_admin_password_is_shown_at_the_first_start_only(tmp_path: Path) -> None:
    with serve(tmp_path, options=NO_WORKER) as first:
        shown = ADMIN.search(first.text)
    with serve(tmp_path, options=NO_WORKER) as second:
        pass

    assert shown
    assert not ADMIN.search(second.text)


@pytest.mark.parametrize("number", [pytest.param(signal.SIGINT, marks=pytest.mark.whole), signal.SIGTERM])
def test_a_signal_ends_everything_that_was_started(tmp_path: Path, number: signal.Signals) -> None:
    with serve(tmp_path) as served:
        started = [*psutil.Process(served.process.pid).children(recursive=True)]
        status = served.stop(number)

    assert started
    assert status in (0, -number)
    assert not any(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in started)
    assert not _postgres_in(tmp_path)


@pytest.mark.whole
def test_a_killed_server_leaves_nothing_that_stops_the_next(tmp_path: Path) -> None:
    with serve(tmp_path) as killed:
        student = killed.sign_up("ada")
        submission = student.send(SLUG, WRONG)
        worker = killed.worker_pids()
        os.kill(killed.process.pid, signal.SIGKILL)
        killed.process.wait()
    wait_for(lambda: not any(map(psutil.pid_exists, worker)))

    with serve(tmp_path) as served:
        student.client.base_url = f"{served.url}/api/v1"
        assert student.result(submission)["verdict"] == "wrong_answer"


@pytest.mark.whole
def test_a_worker_that_dies_is_started_again(served: Served) -> None:
    (worker,) = served.worker_pids()
    os.kill(worker, signal.SIGKILL)
    student = served.sign_up()

    judged = student.submit(SLUG, WRONG)

    assert judged["verdict"] == "wrong_answer"
    assert served.worker_pids() != [worker]


def test_a_database_that_is_killed_is_started_again_and_nothing_is_lost(served: Served) -> None:
    student = served.sign_up()
    submission = student.send(SLUG, "import time\ndef standardise(x, eps):\n    time.sleep(0.5)\n    return x\n")
    wait_for(lambda: student.client.get(f"/submissions/{submission}").json()["state"] == "judging")
    worker = served.worker_pids()

    (postgres,) = [each for each in psutil.Process(served.process.pid).children() if each.name() == "postgres"]
    postgres.kill()
    wait_for(lambda: not postgres.is_running() or postgres.status() == psutil.STATUS_ZOMBIE)
    wait_for(lambda: student.client.get(f"/submissions/{submission}").status_code == 200)

    judged = student.result(submission)
    assert judged["verdict"] == "wrong_answer"
    assert not judged["is_again"]
    assert served.worker_pids() == worker
    assert "the embedded PostgreSQL ended with status -9; starting it again" in served.text


@pytest.mark.whole
def test_no_client_of_this_machine_can_choose_its_address(served: Served) -> None:
    account = {"username": "ada-of-elsewhere", "password": "correct horse battery"}
    forged = {"X-Forwarded-For": "203.0.113.9"}
    with httpx.Client(base_url=served.url, timeout=90, headers=forged) as client:
        client.post("/api/v1/users", json=account).raise_for_status()
        client.post("/sign-in", data=account)
        page = client.get("/account").text

    assert "127.0.0.1" in page
    assert "203.0.113.9" not in page


@pytest.mark.whole
def test_two_servers_do_not_share_a_data_folder(tmp_path: Path) -> None:
    with (
        serve(tmp_path, options=NO_WORKER) as served,
        pytest.raises(AssertionError, match="in use by another Allclose"),
        serve(tmp_path, options=NO_WORKER),
    ):
        pass
    assert re.match("http", served.url)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_an_answer_leaves_at_once_and_waits_for_no_acknowledgement(host: str) -> None:
    async def accept(listening: socket.socket) -> int:
        accepted = asyncio.get_running_loop().create_future()
        server = await asyncio.start_server(lambda _reader, writer: accepted.set_result(writer), sock=listening)
        _, client = await asyncio.open_connection(host, listening.getsockname()[1])
        answering = await accepted
        has_no_delay = answering.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        answering.close()
        client.close()
        server.close()
        return int(has_no_delay)

    with _listen(Settings(host=host, port=0)) as listening:
        assert asyncio.run(accept(listening)) == 1


@contextmanager
def connected(app: ASGIApp) -> Iterator[socket.socket]:
    """A client's connection to the application, with a small buffer for what the client has not read."""
    with _listen(Settings(port=0)) as listening, socket.socket() as client:
        config = uvicorn.Config(app, http=Connection, lifespan="off", log_config=None, timeout_graceful_shutdown=1)
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(20)
        client.connect(listening.getsockname())
        try:
            yield client
        finally:
            running.should_exit = True
            thread.join()


REQUEST = b"GET / HTTP/1.1\r\nHost: allclose\r\n\r\n"


@pytest.mark.parametrize(("whole", "part"), [(b"", b""), (b"", REQUEST[:-2]), (REQUEST, REQUEST[:-2])])
def test_a_connection_ends_if_a_head_does_not_arrive(
    monkeypatch: pytest.MonkeyPatch, whole: bytes, part: bytes
) -> None:
    monkeypatch.setattr(server, "HEAD_SECONDS", 1.0)

    async def answer(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 204})
        await send({"type": "http.response.body"})

    with connected(answer) as client:
        client.sendall(whole)
        received = client.recv(4096) if whole else b""
        client.sendall(part)
        received += b"".join(iter(lambda: client.recv(4096), b""))

    assert received.count(b"HTTP/1.1 204") == bool(whole)


def test_a_request_with_two_lengths_is_refused_and_what_follows_is_no_request() -> None:
    answered = []

    async def answer(scope: Scope, _receive: Receive, send: Send) -> None:
        answered.append(scope["path"])
        await send({"type": "http.response.start", "status": 204})
        await send({"type": "http.response.body"})

    with connected(answer) as client:
        head = b"POST /first HTTP/1.1\r\nHost: allclose\r\ncontent-length: 44\r\nTRANSFER-ENCODING: chunked\r\n\r\n"
        client.sendall(head + b"0\r\n\r\n" + b"GET /smuggled HTTP/1.1\r\nHost: allclose\r\n\r\n")
        received = b"".join(iter(lambda: client.recv(4096), b""))

    assert received.startswith(b"HTTP/1.1 400 ")
    assert answered == []


def test_a_connection_ends_if_its_client_does_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "READ_SECONDS", 0.3)
    ended = threading.Event()

    async def answer(_scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200})
        for _ in range(512):
            await send({"type": "http.response.body", "body": bytes(64 * 1024), "more_body": True})
        while (await receive())["type"] != "http.disconnect":
            pass
        ended.set()

    with connected(answer) as client:
        client.sendall(REQUEST)

        assert ended.wait(20)


def test_a_server_may_open_more_connections_than_a_shell_allows() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (512, hard))
        _raise_file_limit()
        raised, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert raised == (MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES))


@pytest.mark.whole
def test_web_pages_that_do_not_start_are_an_error(tmp_path: Path) -> None:
    program = "from app.cli import main; from app.submissions.progress import Progress; Progress.start = None; main()"
    arguments = ["serve", "--no-worker", "--port", "0", "--data", str(tmp_path)]

    started = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, cwd=ROOT)

    assert started.returncode == 2
    assert "the web pages did not start" in started.stderr
    assert ADMIN.search(started.stdout), "the password is printed when it is made"


def _postgres_in(folder: Path) -> list[psutil.Process]:
    processes = psutil.process_iter(["cmdline"])
    return [process for process in processes if str(folder) in " ".join(process.info["cmdline"] or [])]
