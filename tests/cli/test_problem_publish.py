"""`allclose problem publish` where it does not end in a published problem, and `problem availability`."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.settings import ROOT
from tests.cli.test_commands import allclose
from tests.serving import Served, serve

TEMPLATE = ROOT / "app" / "catalog" / "template"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("publish")
    shutil.copytree(TEMPLATE, folder / "problems" / "standardise")
    with serve(folder / "data", {"ALLCLOSE_PROBLEMS": str(folder / "problems")}) as served:
        yield served


@pytest.mark.whole
def test_a_student_is_told_how_to_become_an_author(served: Served) -> None:
    student = served.sign_up("sam")

    refused = allclose("problem", "publish", TEMPLATE, "--server", served.url, "--token", student.token)

    assert refused.returncode == 2
    assert "allclose admin user role sam author" in refused.stderr


@pytest.mark.whole
def test_a_package_that_fails_its_verification_is_not_published(served: Served, tmp_path: Path) -> None:
    author = served.sign_up("ada")
    allclose("admin", "user", "role", "ada", "author", "--data", served.data)
    package = tmp_path / "weak"
    shutil.copytree(TEMPLATE, package)
    mistake = '"""Mistake: none at all."""\n' + (package / "reference.py").read_text()
    (package / "submissions/wrong_answer/right.py").write_text(mistake)

    refused = allclose("problem", "publish", package, "--server", served.url, "--token", author.token)

    assert refused.returncode == 1, refused.stderr
    assert "weak refused" in refused.stdout
    assert "submissions/wrong_answer/right.py" in refused.stdout
    assert "gets accepted; expected wrong_answer" in refused.stdout
    assert "Not published" in refused.stdout
    assert author.client.get("/problems/weak").status_code == 404


@pytest.mark.whole
def test_a_problem_that_is_published_as_a_draft_is_hidden_from_students(served: Served, tmp_path: Path) -> None:
    author, student = served.sign_up("mia"), served.sign_up("leo")
    allclose("admin", "user", "role", "mia", "author", "--data", served.data)
    shutil.copytree(TEMPLATE, tmp_path / "hidden_at_first")
    server = ("--server", served.url, "--token", author.token)

    published = allclose("problem", "publish", tmp_path / "hidden_at_first", "--availability", "draft", *server)

    assert published.returncode == 0, published.stdout + published.stderr
    assert "Published as revision 1" in published.stdout
    assert "hidden_at_first is draft: only authors can open it and submit." in published.stdout
    assert student.client.get("/problems/hidden_at_first").status_code == 404
    assert author.client.get("/problems/hidden_at_first").json()["availability"] == "draft"


def test_faults_of_the_files_are_told_without_a_server(tmp_path: Path) -> None:
    shutil.copytree(TEMPLATE, tmp_path / "mine")
    (tmp_path / "mine" / "reference.py").unlink()

    refused = allclose("problem", "publish", tmp_path / "mine", "--server", "http://127.0.0.1:1", "--token", "alc_x")

    assert refused.returncode == 2
    assert "reference.py: is missing" in refused.stderr


@pytest.mark.whole
def test_who_has_no_token_and_a_server_that_is_away_are_said(tmp_path: Path) -> None:
    nowhere = {"HOME": str(tmp_path), "ALLCLOSE_SERVER": "http://127.0.0.1:1"}

    unknown = allclose("problem", "publish", TEMPLATE, **nowhere)
    away = allclose("problem", "publish", TEMPLATE, "--token", "alc_x", **nowhere)

    assert (unknown.returncode, away.returncode) == (2, 2)
    assert "allclose login" in unknown.stderr
    assert "can't be reached" in away.stderr


@pytest.mark.whole
def test_an_author_withdraws_a_problem_by_command(served: Served) -> None:
    author = served.sign_up("emil")
    allclose("admin", "user", "role", "emil", "author", "--data", served.data)
    server = ("--server", served.url, "--token", author.token)

    withdrawn = allclose("problem", "availability", "standardise", "withdrawn", *server)
    listed = allclose("problem", "availability", "standardise", "listed", *server)
    wrong = allclose("problem", "availability", "standardise", "gone", *server)

    assert withdrawn.stdout.startswith("standardise is withdrawn: everyone can still read it;")
    assert listed.stdout.startswith("standardise is listed: it is in the catalogue")
    assert wrong.returncode == 2
