"""`allclose judge`, run as a command."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from app.settings import ROOT
from app.submissions.view import SubmissionView
from tests.catalog.test_parts_and_sizes import WITH_PARTS
from tests.serving import ONE_PROBLEM, RIGHT, SLUG, WRONG

NOTEBOOK = b'{"cells": [{"cell_type": "code", "source": ["x = 1"]}], "nbformat": 4}'
KNOWN = ROOT / "problems" / "microbatched_grads" / "submissions"

ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/nowhere",
    "COLUMNS": "200",
    "LANG": "C.UTF-8",
    "PYTHONPATH": str(ROOT),
}


def allclose(
    *arguments: str | Path, folder: Path | None = None, sandbox: str = "auto", options: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """`options`: of the interpreter."""
    command = [sys.executable, *options, "-m", "app.cli", *map(str, arguments)]
    environment = ENVIRONMENT | {"HOME": str(folder or "/nowhere"), "ALLCLOSE_SANDBOX": sandbox}
    return subprocess.run(command, capture_output=True, text=True, cwd=folder or ROOT, env=environment)


def test_an_accepted_file_ends_with_0_and_a_line_for_each_case() -> None:
    judged = allclose("judge", "microbatched_grads", KNOWN / "accepted" / "scan_with_jit.py")

    assert judged.returncode == 0, judged.stderr
    assert "worked_example" in judged.stdout
    assert "Accepted – 108 of 108 cases accepted" in judged.stdout
    assert re.match(r"Boxes: (bubblewrap, Python 3\.\d+\.\d+ and the frameworks of|Docker, the image) ", judged.stderr)


@pytest.mark.whole
def test_json_is_the_object_of_the_rest_api() -> None:
    judged = allclose("judge", "microbatched_grads", KNOWN / "wrong_answer" / "mean_for_sum.py", "--json")

    assert judged.returncode == 1
    view = SubmissionView.model_validate(json.loads(judged.stdout))
    assert view.verdict == "wrong_answer"
    assert view.problem == "microbatched_grads"
    assert all(set(case.report) == {"category"} for case in view.cases if case.visibility == "hidden")
    assert view.hint is not None
    assert view.hint.startswith("the loss takes the mean over a micro-batch")


@pytest.mark.whole
def test_a_wrong_sample_says_what_is_off_and_where() -> None:
    judged = allclose("judge", "microbatched_grads", KNOWN / "wrong_answer" / "mean_for_sum.py", "--sample")

    assert judged.returncode == 1
    assert "expected 182" in judged.stdout
    assert "This looks like a known mistake: The loss takes the mean" in judged.stdout


def test_custom_inputs_are_named_as_on_the_page(tmp_path: Path) -> None:
    inputs, solution = tmp_path / "inputs.yaml", tmp_path / "solution.py"
    inputs.write_text("x: [1, 2]\neps: 0.1\n")
    solution.write_text(WRONG)

    judged = allclose("judge", ONE_PROBLEM / SLUG, solution, "--inputs", inputs)

    assert judged.returncode == 1, judged.stderr
    assert judged.stdout.count("Custom input") == 2
    assert "own_inputs" not in judged.stdout


@pytest.mark.whole
def test_the_same_seed_draws_the_same_hidden_cases(tmp_path: Path) -> None:
    chancy = tmp_path / "chancy.py"
    chancy.write_text(RIGHT.replace("return", "return 0 * x if x.sum() % 1 < 0.5 else"))

    said = [allclose("judge", ONE_PROBLEM / SLUG, chancy, "--seed", seed, "--json").stdout for seed in "778"]

    verdicts = [[case["verdict"] for case in json.loads(each)["cases"]] for each in said]
    assert verdicts[0] == verdicts[1]
    assert verdicts[0] != verdicts[2]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (NOTEBOOK, "is a Jupyter notebook, not Python code. Copy the cell with your solution"),
        (b"\xff\xfe\x00", "save it as UTF-8"),
        pytest.param(b"# coding: nonsense\n", "save it as UTF-8", marks=pytest.mark.whole),
        pytest.param(b"#" * 300 * 1024, "262144", marks=pytest.mark.whole),
    ],
)
def test_a_file_that_is_no_source_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    file = tmp_path / ("mine.ipynb" if content is NOTEBOOK else "solution.py")
    file.write_bytes(content)

    judged = allclose("judge", ONE_PROBLEM / SLUG, file)

    assert judged.returncode == 2
    assert words in judged.stderr


@pytest.mark.parametrize(
    ("content", "title"),
    [
        (b"x = 1\x00\n", "Syntax error"),
        pytest.param(b"", "Function not found", marks=pytest.mark.whole),
        pytest.param(b"def standardise(:\n", "Syntax error", marks=pytest.mark.whole),
    ],
)
def test_a_source_that_can_not_run_is_an_invalid_submission(tmp_path: Path, content: bytes, title: str) -> None:
    file = tmp_path / "solution.py"
    file.write_bytes(content)

    judged = allclose("judge", ONE_PROBLEM / SLUG, file)

    assert judged.returncode == 1
    assert f"{title} – 0 of" in judged.stdout


def test_an_unknown_problem_is_named_beside_the_known_ones() -> None:
    judged = allclose("judge", "nothing", KNOWN / "accepted" / "scan_with_jit.py")

    assert judged.returncode == 2
    assert "'nothing'" in judged.stderr
    assert "microbatched_grads" in judged.stderr


@pytest.mark.whole
def test_judging_leaves_no_folder_behind(tmp_path: Path) -> None:
    judged = allclose("judge", ROOT / "problems" / "train_with_accumulation", ROOT / "Makefile", folder=tmp_path)

    assert judged.returncode == 1
    assert [path.name for path in tmp_path.iterdir()] == [".cache"]


def test_judging_imports_neither_the_database_nor_the_web() -> None:
    judged = allclose(
        "judge", ONE_PROBLEM / SLUG, ROOT / "Makefile", sandbox="bubblewrap", options=("-X", "importtime")
    )

    imported = {line.rpartition("|")[2].strip() for line in judged.stderr.splitlines()}
    assert "Syntax error" in judged.stdout
    assert "app.engine.judge" in imported
    assert not {"sqlalchemy", "psycopg", "starlette", "fastapi", "docker", "httpx"} & imported


@pytest.mark.whole
def test_a_problem_with_parts_tells_what_each_part_earned(tmp_path: Path) -> None:
    problem, solution = tmp_path / "double.yaml", tmp_path / "solution.py"
    problem.write_text(WITH_PARTS)
    solution.write_text("def double(x):\n    return 2 * x if len(x) == 1 else x + 0\n")

    judged = allclose("judge", problem, solution)
    view = SubmissionView.model_validate(json.loads(allclose("judge", problem, solution, "--json").stdout))

    assert "A single number: 30 of 30 points\nMany numbers: 0 of 70 points" in judged.stdout
    assert "Wrong answer – 30 of 100 points" in judged.stdout
    assert view.score == 30
    assert [(part.name, part.earned, part.accepted, part.cases) for part in view.parts] == [
        ("one", 30, 1, 1),
        ("many", 0, 0, 1),
    ]
