"""The ten calls of docs/api.md, as they are written, on a real server with a worker."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.settings import ROOT
from tests.serving import Served, serve

PAGE = (ROOT / "docs" / "api.md").read_text()
CALL = re.compile(r"\*\*(\d+)\. .*?```bash\n(.*?)```", re.DOTALL)
# A variable that the reader sets to a field of the answer.
KEPT = re.compile(r'^(\w+)=…\s+# "(\w+)" of the answer$', re.MULTILINE)
UNFINISHED = {"queued", "judging", "verifying"}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    shutil.copytree(ROOT / "problems" / "layer_norm", tmp_path / "problems" / "layer_norm")
    with serve(tmp_path / "data", {"ALLCLOSE_PROBLEMS": str(tmp_path / "problems")}) as served:
        yield served


@pytest.mark.whole
@pytest.mark.timeout(900)
def test_the_ten_calls_of_the_page_do_what_it_says(served: Served, tmp_path: Path) -> None:
    variables = {"API": f"{served.url}/api/v1"}
    answers = {}

    for number, command in CALL.findall(PAGE):
        if number == "9":
            make_author(served, "ada")
        answers[int(number)] = said = repeat(command, variables, tmp_path)
        variables |= {name: str(json.loads(said)[field]) for name, field in KEPT.findall(command)}

    assert list(answers) == list(range(1, 11))
    result = json.loads(answers[6])
    assert [problem["slug"] for problem in json.loads(answers[3])["items"]] == ["layer_norm"]
    assert json.loads(answers[4])["entry_point"] == "layer_norm"
    assert result["verdict"] == "wrong_answer"
    assert answers[7].count("event: case") == len(result["cases"])
    assert answers[7].count("event: done") == 1
    assert [each["id"] for each in json.loads(answers[8])["items"]] == [variables["SUBMISSION"]]
    assert json.loads(answers[10])["state"] == "passed"


def repeat(command: str, variables: dict[str, str], folder: Path) -> str:
    """Run the command until nothing is unfinished, if it waits. Return what it printed."""
    while True:
        shell = ["bash", "-c", KEPT.sub("", command).replace("curl ", "curl --silent --show-error --fail-with-body ")]
        done = subprocess.run(
            shell, env=os.environ | variables, cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        if "wait=" not in command or json.loads(done.stdout)["state"] not in UNFINISHED:
            return done.stdout


def make_author(served: Served, username: str) -> None:
    with served.admin() as admin:
        (user,) = admin.get("/users", params={"q": username}).raise_for_status().json()["items"]
        admin.patch(f"/users/{user['id']}", json={"role": "author"}).raise_for_status()
