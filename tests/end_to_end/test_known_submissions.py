"""Every file under `problems/*/submissions/` gets its folder's verdict: through REST, queue, worker, and either box.

The quick run judges those of packages that have changed since `problems/verified.json`, or else one.
"""

import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from app.catalog.verified import list_changed
from app.settings import ROOT
from tests.end_to_end.conftest import LIMITS
from tests.sandbox.conftest import docker_launcher
from tests.serving import Student, serve

PROBLEMS = ROOT / "problems"
FRAMEWORKS = re.compile(r"^frameworks: (.*)$", re.M)


@dataclass(frozen=True)
class Known:
    """Reading the path costs nothing while tests are collected; loading every package would take seconds."""

    file: Path

    @property
    def slug(self) -> str:
        return self.file.parents[2].name

    @property
    def verdict(self) -> str:
        return self.file.parent.name

    @property
    def frameworks(self) -> str:
        found = FRAMEWORKS.search((PROBLEMS / self.slug / "problem.yaml").read_text())
        return found[1] if found else ""


ALL = [Known(file) for file in sorted(PROBLEMS.glob("*/submissions/*/*.py"))]
# What a box does with frameworks shows in one submission for each verdict.
SOME = list({(known.frameworks, known.verdict): known for known in reversed(ALL)}.values())
CHANGED = list_changed(PROBLEMS)
MOST_QUICKLY = 40
USUAL = PROBLEMS / "microbatched_grads" / "submissions" / "accepted" / "scan_with_jit.py"
QUICK = [known for known in ALL if known.slug in CHANGED][:MOST_QUICKLY] or [
    known for known in ALL if known.file == USUAL
]


@dataclass(frozen=True)
class Sent:
    """All of them at once, so that every slot of the worker has something to do."""

    student: Student
    ids: dict[Known, str]

    def check(self, known: Known) -> None:
        judged = self.student.result(self.ids[known])

        assert judged["verdict"] == known.verdict, [(case["name"], case["verdict"]) for case in judged["cases"]]
        if known.verdict == "wrong_answer":
            wrong = [case["name"] for case in judged["cases"] if case["verdict"] == "wrong_answer"]
            assert len(wrong) >= 2, "one case is luck: a mistake shows in at least two"


@contextmanager
def send(all_known: Sequence[Known], sandbox: str, folder: Path) -> Iterator[Sent]:
    """Publish the problems of these submissions and no other, since a worker prepares all that are published.

    Each has one variant: preparing three takes longer than judging.
    """
    problems = folder / "problems"
    for slug in {known.slug for known in all_known}:
        shutil.copytree(PROBLEMS / slug, problems / slug)
        manifest = problems / slug / "problem.yaml"
        manifest.write_text(f"{re.sub(r'^variants:.*$', '', manifest.read_text(), flags=re.M)}\nvariants: 1\n")
    settings = {"ALLCLOSE_SANDBOX": sandbox, "ALLCLOSE_PROBLEMS": str(problems)}
    with serve(folder / "data", settings, policy=LIMITS) as served:
        student = served.sign_up()
        yield Sent(student, {known: student.send(known.slug, known.file.read_text()) for known in all_known})


RUNS = {"quickly": (QUICK, "auto"), "in bubblewrap": (ALL, "bubblewrap"), "in Docker": (SOME, "docker")}


def parameters(run: str) -> list[ParameterSet]:
    marks = [] if run == "quickly" else [pytest.mark.whole]
    return [
        pytest.param(run, known, id=f"{run}: {known.slug}/{known.verdict}/{known.file.stem}", marks=marks)
        for known in RUNS[run][0]
    ]


@pytest.fixture(scope="module")
def sent(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sent]:
    all_known, sandbox = RUNS[request.param]
    if sandbox == "docker":
        docker_launcher("namespaces")  # skips where there is none
    with send(all_known, sandbox, tmp_path_factory.mktemp("served")) as sent:
        yield sent


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("sent", "known"), [each for run in RUNS for each in parameters(run)], indirect=["sent"])
def test_a_known_submission_gets_the_verdict_of_its_folder(sent: Sent, known: Known) -> None:
    sent.check(known)
