"""`allclose problem preview` in a real browser: the page follows the files."""

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from app.settings import ROOT
from tests.cli.test_commands import allclose
from tests.web.browser import PATIENCE_MS, chromium, visit

pytestmark = pytest.mark.browser
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def package(tmp_path: Path) -> Path:
    written = allclose("problem", "new", "mine", "--folder", tmp_path)
    assert written.returncode == 0, written.stderr
    return tmp_path / "mine"


@contextmanager
def previewed(package: Path) -> Iterator[str]:
    """The address that the command prints; it ends at Ctrl-C, with a page still open."""
    command = [sys.executable, "-u", "-m", "app.cli", "problem", "preview", str(package), "--port", "0"]
    running = subprocess.Popen(command, stdout=-1, stderr=-1, text=True, cwd=ROOT, start_new_session=True)
    try:
        assert running.stdout is not None
        said = re.search(r"http://\S+", running.stdout.readline())
        assert said
        yield said[0].rpartition("/problems/")[0]
    finally:
        running.send_signal(signal.SIGINT)
        _, complaints = running.communicate(timeout=60)
    assert running.returncode == 0
    assert "Traceback" not in complaints
    assert "ERROR" not in complaints


@pytest.mark.whole
def test_the_page_shows_what_students_see_and_follows_the_files(browser: Browser, package: Path) -> None:
    with previewed(package) as address, browser.new_context() as context:
        visitor = visit(context, address)
        visitor.open("/")
        page = visitor.page

        expect(page.get_by_role("heading", name="Expected output")).to_be_visible()
        assert httpx.get(f"{address}/", headers={"Host": "elsewhere.example"}).status_code == 400
        hidden = package.joinpath("problem.yaml").read_text().partition("more_columns_than_rows")[1]
        assert hidden not in page.content()
        assert "deviations" not in page.content()  # a word of the reference

        statement = package / "statement.md"
        statement.write_text(statement.read_text().replace("## Problem", "## Problem\n\nNow with a new sentence."))
        expect(page.get_by_text("Now with a new sentence.")).to_be_visible()

        manifest = package / "problem.yaml"
        sound = manifest.read_text()
        manifest.write_text(sound.replace("difficulty: beginner", "difficulty: easy"))
        expect(page.get_by_role("heading", name="1 error")).to_be_visible()
        expect(page.get_by_text("problem.yaml:4")).to_be_visible()
        expect(page.get_by_text("Use one of beginner, intermediate, advanced")).to_be_visible()

        manifest.write_text(sound)
        expect(page.get_by_role("heading", name="Mine")).to_be_visible()
        assert visitor.complaints == []


@pytest.mark.whole
def test_a_reference_that_fails_is_said_on_the_page(browser: Browser, package: Path) -> None:
    (package / "reference.py").write_text("def standardise_columns(x, eps):\n    return x / undefined\n")

    with previewed(package) as address, browser.new_context() as context:
        visitor = visit(context, address)
        visitor.open("/problems/mine")

        failure = visitor.page.get_by_role("alert")
        expect(failure).to_contain_text('File "reference.py", line 2')
        expect(failure).to_contain_text("undefined")
        expect(visitor.page.get_by_role("heading", name="Mine")).to_be_visible()


@pytest.mark.whole
def test_a_taken_port_and_an_unknown_folder_are_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = allclose("problem", "preview", "microbatched_grads", "--port", str(taken.getsockname()[1]))

    assert "choose another with --port" in refused.stderr
    assert "no problem" in allclose("problem", "preview", tmp_path / "nothing").stderr
