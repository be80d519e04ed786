"""`allclose login` and `allclose submit` against a server that does not always answer."""

import json
import os
import threading
from collections.abc import Iterator
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from app.settings import ROOT
from tests.cli.test_commands import allclose
from tests.cli.test_table import make_view

SOLUTION = ROOT / "problems" / "microbatched_grads" / "starter.py"
ID = "00000000-0000-0000-0000-000000000123"
DONE = make_view(id=ID).model_dump(mode="json")
QUEUED = DONE | {"state": "queued", "verdict": None, "score": None}
TAKEN = {"id": ID, "state": "queued", "notice": None}
TOKEN: dict[str, Any] = {
    "id": ID,
    "name": "t",
    "token": "kept",
    "created_at": "2026-01-01T00:00:00Z",
    "scopes": [],
    "expires_at": None,
}
HANG_UP, CUT_OFF = 0, 1


def listed(slug: str) -> dict[str, Any]:
    """A problem of a list."""
    facts = {"title": slug, "summary": "", "difficulty": "beginner", "estimated_minutes": 5, "tags": []}
    return facts | {"slug": slug, "track": None, "position": None, "frameworks": ["numpy"], "state": None}


class Script:
    """A server that gives one answer, a status and a body, after the other, and keeps what it was sent."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, dict[str, Any] | str]] = []
        self.requests: list[tuple[Message, bytes]] = []
        self.paths: list[str] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        script = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers.get("Content-Length", 0))
                script.requests.append((self.headers, self.rfile.read(size)))
                script.paths.append(self.path)
                status, body = script.answers.pop(0)
                if status == HANG_UP:
                    return
                self.send_response(200 if status == CUT_OFF else status)
                self.send_header("Retry-After", "0")
                if status == CUT_OFF:
                    self.send_header("Content-Length", "1000000")
                self.end_headers()
                self.wfile.write((body if isinstance(body, str) else json.dumps(body)).encode())

            do_GET = do_POST  # noqa: N815

            def log_message(self, *_: object) -> None:
                return

        return Handler


@pytest.fixture
def script() -> Iterator[Script]:
    script = Script()
    threading.Thread(target=script.server.serve_forever, daemon=True).start()
    yield script
    script.server.shutdown()
    script.server.server_close()


def test_a_request_that_failed_on_the_way_is_sent_again_with_the_same_key(script: Script) -> None:
    script.answers = [(503, {"title": "away"}), (HANG_UP, {}), (429, {"title": "many"}), (202, TAKEN), (200, DONE)]

    submitted = allclose("submit", "some", SOLUTION, ALLCLOSE_SERVER=script.url, ALLCLOSE_TOKEN="t")

    assert submitted.returncode == 0, submitted.stderr
    keys = [headers["idempotency-key"] for headers, _ in script.requests[:-1]]
    assert (len(keys), len(set(keys))) == (4, 1)


def test_several_files_are_sent_one_after_another(script: Script, tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text("x = 1")
    refusal = {"title": "Limit reached", "status": 409, "code": "limit_reached", "detail": "20 are not judged yet"}
    script.answers = [(202, TAKEN), (409, refusal), (200, QUEUED), (200, DONE)]

    submitted = allclose("submit", "some", SOLUTION, other, ALLCLOSE_SERVER=script.url, ALLCLOSE_TOKEN="t")

    assert (submitted.returncode, len(script.requests)) == (1, 4), submitted.stderr
    assert [json.loads(body)["source"] for _, body in script.requests[:2]] == [SOLUTION.read_text(), "x = 1"]
    assert f"starter.py: accepted, score 0, {script.url}/submissions/{ID}" in submitted.stdout
    assert "other.py: 20 are not judged yet" in submitted.stderr


@pytest.mark.whole
def test_a_hint_that_follows_the_verdict_is_waited_for(script: Script) -> None:
    wrong = DONE | {"verdict": "wrong_answer", "hint": None, "hint_pending": True}
    script.answers = [(202, TAKEN), (200, wrong), (200, wrong | {"hint": "sums for means", "hint_pending": False})]

    submitted = allclose("submit", "some", SOLUTION, ALLCLOSE_SERVER=script.url, ALLCLOSE_TOKEN="t")

    assert "Sums for means" in submitted.stdout
    assert "known mistake" in submitted.stderr


def test_a_terminal_asks_again_if_the_event_stream_ends_early_and_says_so(script: Script) -> None:
    script.answers = [(202, TAKEN), (200, QUEUED), (200, {}), (200, QUEUED), (200, DONE)]

    submitted = allclose("submit", "some", SOLUTION, ALLCLOSE_SERVER=script.url, ALLCLOSE_TOKEN="t", TTY_COMPATIBLE="1")

    assert submitted.returncode == 0
    assert "ended the event stream before the verdict. Asking every 5 s instead." in submitted.stderr
    assert script.paths[2:4] == [f"/api/v1/submissions/{ID}/events?progress=true", f"/api/v1/submissions/{ID}"]


def test_a_terminal_follows_a_broken_stream_after_its_last_event(script: Script) -> None:
    case: dict[str, Any] = {"name": "first", "visibility": "sample", "verdict": "accepted", "report": {}}
    case |= {"wall_seconds": 0.1, "memory_bytes": 1024}
    begun = f"event: case\nid: 0\ndata: {json.dumps(case)}\n\n"
    ended = f"event: done\ndata: {json.dumps(DONE)}\n\n"
    script.answers = [(202, TAKEN), (200, QUEUED), (CUT_OFF, begun), (200, ended)]

    submitted = allclose("submit", "some", SOLUTION, ALLCLOSE_SERVER=script.url, ALLCLOSE_TOKEN="t", TTY_COMPATIBLE="1")

    assert submitted.returncode == 0, submitted.stderr
    assert [headers["last-event-id"] for headers, _ in script.requests[2:]] == [None, "0"]


def test_a_solution_is_handed_in_for_the_assignment_that_is_named(script: Script) -> None:
    script.answers = [(202, TAKEN), (200, DONE)]
    known = {"ALLCLOSE_SERVER": script.url, "ALLCLOSE_TOKEN": "t"}

    submitted = allclose("submit", "some", SOLUTION, "--assignment", "deep-learning/homework-1", **known)
    nameless = allclose("submit", "some", SOLUTION, "--assignment", "homework-1", **known)
    sample = allclose("submit", "some", SOLUTION, "--assignment", "deep-learning/homework-1", "--sample", **known)

    assert submitted.returncode == 0, submitted.stderr
    assert script.paths[0] == "/api/v1/courses/deep-learning/assignments/homework-1/problems/some/submissions"
    assert json.loads(script.requests[0][1]) == {"source": SOLUTION.read_text()}
    assert (nameless.returncode, sample.returncode) == (2, 2)
    assert "no assignment" in nameless.stderr
    assert "no hand-in" in sample.stderr


def test_what_was_handed_in_for_is_said_and_practice_can_be_asked_for(script: Script) -> None:
    taken = TAKEN | {"assignment": "deep-learning/homework-1"}
    script.answers = [(202, taken), (200, DONE), (202, TAKEN), (200, DONE)]
    known = {"ALLCLOSE_SERVER": script.url, "ALLCLOSE_TOKEN": "t"}

    handed_in = allclose("submit", "some", SOLUTION, **known)
    practised = allclose("submit", "some", SOLUTION, "--practice", **known)
    both = allclose("submit", "some", SOLUTION, "--practice", "--assignment", "deep-learning/homework-1", **known)

    assert "Handed in for deep-learning/homework-1." in handed_in.stderr
    assert "Handed in" not in practised.stderr
    assert [json.loads(script.requests[at][1]).get("assignment") for at in (0, 2)] == [None, "none"]
    assert both.returncode == 2


def test_courses_are_listed_with_what_is_due(script: Script) -> None:
    course = {"slug": "deep-learning", "title": "[red]Deep learning", "state": "open", "role": "student"}
    due = {"course": "deep-learning", "assignment": "homework-1", "title": "Homework 1"}
    late = {"is_late": True, "until": "2026-11-02T12:00:00Z"}
    script.answers = [(200, {"items": [course]}), (200, {"items": [due | late]})]

    listed = allclose("course", "list", ALLCLOSE_SERVER=script.url, ALLCLOSE_TOKEN="t", TZ="UTC")

    assert listed.returncode == 0, listed.stderr
    assert "deep-learning  [red]Deep learning  student  open" in listed.stdout
    assert "deep-learning/homework-1: Homework 1, late, closes Mon 2026-11-02 12:00 UTC" in listed.stdout


def test_a_mistyped_problem_is_guessed(script: Script) -> None:
    found = [listed("other"), listed("clip_by_norm")]
    script.answers = [(404, {"title": "none"}), (200, {"items": found, "next": None})]

    submitted = allclose("submit", "clip-by-nrom", SOLUTION, ALLCLOSE_SERVER=script.url, ALLCLOSE_TOKEN="t")

    assert submitted.returncode == 2
    assert "did you mean 'clip_by_norm'?" in submitted.stderr


@pytest.mark.whole
def test_a_server_of_another_version_is_named_and_the_submission_too(script: Script) -> None:
    script.answers = [(202, TAKEN), (200, DONE | {"verdict": "splendid"})]

    submitted = allclose("submit", "some", SOLUTION, ALLCLOSE_SERVER=script.url, ALLCLOSE_TOKEN="t")

    assert submitted.returncode == 2
    assert "same version" in submitted.stderr
    assert f"allclose show {ID}" in submitted.stderr


def test_answers_of_a_server_can_not_control_the_terminal(script: Script) -> None:
    script.answers = [(422, {"title": "x", "detail": "\x1b[2J\x9b31m\u202egone"})]

    submitted = allclose("submit", "some", SOLUTION, ALLCLOSE_SERVER=script.url, ALLCLOSE_TOKEN="t")

    assert r"\x1b[2J\x9b31m\u202egone" in submitted.stderr


def test_a_source_is_sent_as_python_reads_it(script: Script, tmp_path: Path) -> None:
    script.answers = [(202, TAKEN), (200, DONE)]
    file = tmp_path / "solution.py"
    file.write_bytes("# coding: latin-1\nname = 'é'\n".encode("latin-1"))

    allclose("submit", "some", file, ALLCLOSE_SERVER=script.url, ALLCLOSE_TOKEN="t")

    assert json.loads(script.requests[0][1])["source"] == file.read_text("latin-1")


@pytest.mark.whole
def test_a_slash_at_the_end_names_the_same_server(script: Script, tmp_path: Path) -> None:
    script.answers = [(201, TOKEN), (202, TAKEN), (200, DONE)]

    allclose("login", "ada", "--password", "secret", "--server", f"{script.url}/", HOME=str(tmp_path))
    submitted = allclose("submit", "some", SOLUTION, ALLCLOSE_SERVER=script.url, HOME=str(tmp_path))

    assert submitted.returncode == 0, submitted.stderr
    assert script.requests[1][0]["authorization"] == "Bearer kept"


@pytest.mark.parametrize("content", ["{", "[]"])
def test_a_damaged_token_file_is_named(tmp_path: Path, content: str) -> None:
    file = tmp_path / ".config" / "allclose" / "tokens.json"
    file.parent.mkdir(parents=True)
    file.write_text(content)

    submitted = allclose("submit", "some", SOLUTION, HOME=str(tmp_path))

    assert submitted.returncode == 2
    assert f"{file} is damaged" in submitted.stderr


@pytest.mark.whole
def test_a_home_that_is_none_is_said() -> None:
    submitted = allclose("submit", "some", SOLUTION, HOME=os.devnull)

    assert submitted.returncode == 2
    assert "ALLCLOSE_TOKEN" in submitted.stderr
    assert "Traceback" not in submitted.stderr


@pytest.mark.whole
def test_a_notice_is_shown_once_while_no_worker_judges(script: Script) -> None:
    waiting = QUEUED | {"notice": "No GPU worker is running now."}
    script.answers = [(202, TAKEN), (200, waiting), (200, waiting), (200, DONE)]

    submitted = allclose("submit", "some", SOLUTION, ALLCLOSE_SERVER=script.url, ALLCLOSE_TOKEN="t")

    assert submitted.returncode == 0
    assert submitted.stderr.count("No GPU worker is running now.") == 1
