"""The client against the real server: what its page shows, what it sends again, what it keeps, and its errors."""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

import httpx
import pytest

from app.catalog.publish import publish
from app.client.client import Client
from app.client.error import AddressUnfit, Invalid, NotSignedIn, Unreachable
from app.client.model import CaseView, NewSubmission, SubmissionView
from app.database.engine import Database
from tests.catalog.packages import SOLUTION, make_package
from tests.web.judged import all_right, judge

PAGE = Path(__file__).parents[2] / "docs/client.md"


@contextmanager
def judging(database: Database) -> Iterator[None]:
    """Accept every submission that is sent within the block."""
    is_over = Event()

    def work() -> None:
        while not is_over.wait(0.1):
            with suppress(ValueError):  # nothing waits
                judge(database, *all_right())

    thread = Thread(target=work)
    thread.start()
    yield
    is_over.set()
    thread.join()


@pytest.fixture
def client(address: str, ada: httpx.Client, database: Database) -> Iterator[Client]:
    """Ada's; one problem is published."""
    with database.transaction() as session:
        publish(session, make_package())
    with Client(address, token=ada.headers["Authorization"].split()[1]) as client:
        yield client


def test_the_program_of_the_page_runs(
    address: str,
    anyone: httpx.Client,
    database: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with database.transaction() as session:
        publish(session, make_package())
    anyone.post("/users", json={"username": "ada", "password": "correct horse battery"}).raise_for_status()
    (tmp_path / "solution.py").write_text(SOLUTION)
    monkeypatch.chdir(tmp_path)
    program = re.findall("```python\n(.*?)```", PAGE.read_text(), re.DOTALL)[0].replace(
        "http://127.0.0.1:8000", address
    )
    with judging(database):
        exec(compile(program, str(PAGE), "exec"), {})

    said = capsys.readouterr().out
    assert "scaled_sum Scaled sum" in said
    assert "accepted 100" in said
    assert "problem_not_found - There is no problem" in said


def test_cases_come_in_one_by_one_and_last_the_submission(client: Client, database: Database) -> None:
    sent = client.submit("scaled_sum", NewSubmission(source=SOLUTION))
    judge(database, *all_right())

    *cases, last = client.stream_cases(sent.id)

    assert [type(case) for case in cases] == [CaseView] * 3
    assert isinstance(last, SubmissionView)
    assert last.verdict == "accepted"


def test_the_whole_submission_comes_whenever_it_changes(client: Client, database: Database) -> None:
    sent = client.submit("scaled_sum", NewSubmission(source=SOLUTION))
    views = client.stream_views(sent.id)

    first, second = next(views), next(views)
    judge(database, *all_right())
    *_, last = views

    assert (first.state, second.state, second.wait is not None) == ("queued", "queued", True)
    assert (last.state, last.verdict, len(last.cases)) == ("done", "accepted", 3)


def test_the_same_key_is_the_same_submission_and_every_call_has_one_of_its_own(client: Client) -> None:
    new = NewSubmission(source=SOLUTION)

    same = {client.submit("scaled_sum", new, idempotency_key="mine").id for _ in range(2)}
    other = client.submit("scaled_sum", new).id

    assert len(same) == 1
    assert other not in same


def test_what_did_not_change_is_known_already(client: Client) -> None:
    first, again = client.get_me(), client.get_me()

    assert first.etag is not None
    assert again == first
    assert again.etag == first.etag


def test_a_refusal_carries_its_code_and_the_fields(client: Client) -> None:
    with pytest.raises(Invalid) as refused:
        client.list_problems(limit=1000)

    assert (refused.value.code, refused.value.status) == ("invalid", 422)
    assert refused.value.errors[0].field == "limit"


def test_who_is_unknown_and_what_is_no_server_are_said(address: str) -> None:
    with Client(address, token="alc_unknown") as stranger, pytest.raises(NotSignedIn):
        stranger.get_me()
    with Client("http://127.0.0.1:9") as nowhere, pytest.raises(Unreachable, match="is the server running"):
        nowhere.sign_in("ada", "correct horse battery", "x")
    with pytest.raises(AddressUnfit):
        Client("http://judge:port")
