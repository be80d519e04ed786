"""The magics in a real IPython shell, against the real application; what a worker would write is written by hand."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import CapturedIO, capture_output
from sqlalchemy import select

from app.accounts.token import create_token
from app.catalog.publish import publish
from app.database.engine import Database
from app.judging.report import AnswerFault
from app.judging.verdicts import CaseResult, Verdict
from app.queue.model import Job
from app.settings import Settings
from tests.application import open_application
from tests.catalog.packages import SOLUTION, make_package
from tests.factories import make_user
from tests.hostile_text import SAID, list_harm, list_markup
from tests.http_server import serving
from tests.web.judged import all_right, failed, judge

PASSWORD = "correct horse battery"
CELL = f"%%allclose scaled_sum\n{SOLUTION}"


REFUSED = {
    "%%allclose scaled_smu\npass": "did you mean 'scaled_sum'?",
    "%%allclose\npass": "usage: %%allclose",
    "%%allclose scaled_sum --exec\n1 / 0": "the cell failed in the notebook, so it was not sent",
    f"%%allclose scaled_sum\n# {'l' * 300_000}": "the limit is 262144",
    "%%allclose scaled_sum --server nowhere\npass": "begins with http://",
    "%allclose_starter nothing_of_that_name": "/problems lists them",
}


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InteractiveShell]:
    os.environ["IPYTHONDIR"] = str(tmp_path_factory.mktemp("ipython"))
    shell = InteractiveShell.instance()
    shell.run_cell("%load_ext allclose")
    yield shell
    shell.history_manager.end_session()
    InteractiveShell.clear_instance()
    del os.environ["IPYTHONDIR"]


@pytest.fixture(autouse=True)
def address(database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server to which the magics are signed in."""
    with database.transaction() as session:
        publish(session, make_package())
        monkeypatch.setenv("ALLCLOSE_TOKEN", create_token(session, make_user(session, "ada").id, "test").secret)
    app: FastAPI = open_application(Settings(), database)
    with serving(app) as address:
        monkeypatch.setenv("ALLCLOSE_SERVER", address)
        yield address


def run(shell: InteractiveShell, cell: str) -> CapturedIO:
    with capture_output() as captured:
        shell.run_cell(cell)
    return captured


@contextmanager
def worker(database: Database, *results: CaseResult) -> Iterator[None]:
    """Judges what is sent within the block so."""
    is_over = threading.Event()

    def work() -> None:
        while not is_over.wait(0.05):
            with database.transaction() as session:
                if session.scalar(select(Job.id).where(Job.lease_until.is_(None))) is None:
                    continue
            judge(database, *results)

    thread = threading.Thread(target=work)
    thread.start()
    yield
    is_over.set()
    thread.join()


def test_a_cell_is_sent_and_its_results_are_shown_in_one_place(
    shell: InteractiveShell, address: str, database: Database
) -> None:
    with worker(database, *all_right()):
        shown = run(shell, CELL)

    last = shown.outputs[-1].data
    assert [output.update for output in shown.outputs] == [False] + [True] * (len(shown.outputs) - 1)
    assert "Accepted – 3 of 3 cases accepted" in last["text/plain"]
    assert "<strong>3 of 3</strong>" in last["text/html"]
    assert f'href="{address}/submissions/' in last["text/html"]
    assert "<form" not in last["text/html"]
    assert "scaled_sum" not in shell.user_ns


def test_with_run_the_samples_and_with_exec_the_cell_here_too(shell: InteractiveShell, database: Database) -> None:
    with worker(database, all_right()[0]):
        shown = run(shell, CELL.replace("scaled_sum", "scaled_sum --run --exec", 1))

    assert "Submit to run the hidden cases too" in shown.outputs[-1].data["text/plain"]
    assert callable(shell.user_ns.pop("scaled_sum"))


def test_output_of_a_program_is_shown_as_text(shell: InteractiveShell, database: Database) -> None:
    fault = AnswerFault(category="exception", message=SAID, exception=SAID, traceback=SAID)

    with worker(database, *(failed(place, Verdict.RUNTIME_ERROR, fault, text=SAID) for place in range(3))):
        last = run(shell, CELL).outputs[-1].data

    assert list_harm(last["text/html"] + last["text/plain"]) + list_markup(last["text/html"]) == []
    assert len(last["text/html"]) < 350_000


def test_a_cell_that_can_not_be_sent_is_told_in_a_sentence(shell: InteractiveShell) -> None:
    told = {cell: run(shell, cell).stderr for cell in REFUSED}

    assert {cell: said for cell, said in told.items() if "UsageError" not in said or REFUSED[cell] not in said} == {}


def test_problems_are_listed_and_begun_and_people_sign_in(
    shell: InteractiveShell, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("app.cli.notebook.getpass", lambda _: PASSWORD)
    httpx.post(f"{address}/api/v1/users", json={"username": "grace", "password": PASSWORD}).raise_for_status()

    listed, begun, signed_in = (
        run(shell, f"%allclose_{what}") for what in ("problems", "starter scaled_sum", "login grace")
    )

    assert "scaled_sum  Scaled sum (beginner)" in listed.stdout
    assert begun.stderr == ""
    assert "Signed in to" in signed_in.stdout
    assert (tmp_path / ".config/allclose/tokens.json").stat().st_mode & 0o077 == 0
