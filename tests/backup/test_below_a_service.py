"""A real server with a worker that judges while a backup is restored below it."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serving import ADMIN, SLUG, Served, Student, serve

SLOW = "import time\ntime.sleep(8)\n"
# So that more wait than are judged at once.
ONE_SLOT = {"ALLCLOSE_SLOTS": "1"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("served"), ONE_SLOT) as served:
        yield served


@pytest.fixture(scope="module")
def admin(served: Served) -> Iterator[httpx.Client]:
    shown = ADMIN.search(served.text)
    assert shown
    with httpx.Client(base_url=f"{served.url}/api/v1", timeout=90) as client:
        account = {"username": "admin", "password": shown[1]}
        token = client.post("/tokens", json=account).raise_for_status().json()["token"]
        client.headers["Authorization"] = f"Bearer {token}"
        yield client


def patient(client: httpx.Client, path: str) -> httpx.Response:
    """Asks again while the database is away."""
    while True:
        try:
            answer = client.get(path)
        except httpx.TransportError:
            continue
        if answer.status_code != 503:
            return answer


def follow(admin: httpx.Client, name: str) -> dict[str, Any]:
    while True:
        view: dict[str, Any] = patient(admin, f"/backups/{name}?wait=20").raise_for_status().json()
        if view["state"] != "writing" and (view["restoration"] or {}).get("state") != "running":
            return view


def until(student: Student, submission: str, state: str) -> None:
    while patient(student.client, f"/submissions/{submission}").json()["state"] != state:
        time.sleep(0.1)


def listen(student: Student, submission: str, heard: list[str]) -> None:
    """Read the stream, and open it again when it breaks off."""
    while "done" not in heard:
        try:
            with student.client.stream("GET", f"/submissions/{submission}/events", timeout=90) as stream:
                heard += [line.removeprefix("event: ") for line in stream.iter_lines() if line.startswith("event: ")]
        except httpx.TransportError:
            heard.append("broken off")


def final(student: Student, submission: str) -> dict[str, Any]:
    while (view := patient(student.client, f"/submissions/{submission}?wait=20").json())["state"] != "done":
        pass
    found: dict[str, Any] = view
    return found


@pytest.mark.whole
@pytest.mark.timeout(600)
def test_what_waited_is_judged_and_nothing_of_what_ran_is_written(served: Served, admin: httpx.Client) -> None:
    ada = served.sign_up()
    running = ada.send(SLUG, SLOW)
    waiting = [ada.send(SLUG, f"x = {number}\n") for number in range(2)]
    until(ada, running, "judging")
    name = admin.post("/backups").raise_for_status().json()["name"]
    assert follow(admin, name)["state"] == "ready"
    later = ada.send(SLUG, "x = 9\n")
    late = served.sign_up("late")
    heard: list[str] = []
    listener = threading.Thread(target=listen, args=(ada, waiting[1], heard), daemon=True)
    listener.start()

    admin.post(f"/backups/{name}/restore", json={"replace": True}).raise_for_status()
    ended = follow(admin, name)
    results = [final(ada, submission) for submission in (running, *waiting)]
    listener.join(120)

    assert ended["restoration"]["state"] == "done", ended
    assert {result["verdict"] for result in results} == {"invalid_submission"}
    assert heard[-1] == "done"
    assert patient(ada.client, f"/submissions/{later}").status_code == 404
    assert patient(late.client, "/me").status_code == 401
    judgings = [patient(admin, f"/submissions/{each['id']}/all-judgings").json()["items"] for each in results]
    assert [len(each) for each in judgings] == [1, 1, 1]
    assert {judging["worker"] for each in judgings for judging in each} == {judgings[0][0]["worker"]}
    assert served.process.poll() is None
    assert len(served.worker_pids()) == 1


@pytest.mark.whole
@pytest.mark.timeout(600)
def test_a_server_that_is_killed_while_it_restores_has_everything_as_it_was(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serve(data) as served:
        shown = ADMIN.search(served.text)
        assert shown
        account = {"username": "admin", "password": shown[1]}
        client = httpx.Client(base_url=f"{served.url}/api/v1", timeout=90)
        client.headers["Authorization"] = "Bearer " + client.post("/tokens", json=account).json()["token"]
        name = client.post("/backups").json()["name"]
        follow(client, name)
        late = served.sign_up("late")
        client.post(f"/backups/{name}/restore", json={"replace": True}).raise_for_status()
        served.process.kill()
        served.process.wait()
    with serve(data) as again:
        client.base_url = httpx.URL(f"{again.url}/api/v1")
        late.client.base_url = client.base_url
        view = client.get(f"/backups/{name}").json()

        assert view["restoration"]["state"] == "failed"
        assert "ended before the task was complete" in view["restoration"]["notice"]
        assert late.client.get("/me").status_code == 200
        client.post(f"/backups/{name}/restore", json={"replace": True}).raise_for_status()
        assert follow(client, name)["restoration"]["state"] == "done"
        assert late.client.get("/me").status_code == 401
