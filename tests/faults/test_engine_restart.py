"""The container engine restarts while submissions are judged, and no student gets a wrong verdict for it."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.catalog.package import load_package
from app.settings import ROOT
from sandbox.docker.launcher import DockerOptions
from tests.engine import Engine, own_engine
from tests.sandbox.conftest import docker_launcher
from tests.serving import Served, serve

PROBLEMS = ROOT / "tests" / "hostile" / "problems"  # those are judged in no time
SLUG = "standardise"
SUBMISSIONS = 50


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    docker_launcher("namespaces")  # skips where there is no image to load
    image = os.environ.get("ALLCLOSE_IMAGE_CPU", DockerOptions().cpu_image)
    with own_engine(tmp_path_factory.mktemp("engine"), image) as engine:
        yield engine


@pytest.fixture
def served(engine: Engine, tmp_path: Path) -> Iterator[Served]:
    settings = {"DOCKER_HOST": engine.address, "ALLCLOSE_SANDBOX": "docker"}
    with serve(
        tmp_path / "data", {**settings, "ALLCLOSE_PROBLEMS": str(PROBLEMS)}, policy={"max_pending": 100}
    ) as served:
        yield served


@pytest.mark.whole
@pytest.mark.timeout(900)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["stopped", "killed"])
def test_every_submission_gets_its_verdict_when_the_engine_restarts(
    engine: Engine, served: Served, number: signal.Signals
) -> None:
    student = served.sign_up()
    known = load_package(PROBLEMS / SLUG).submissions
    wanted = [known[n % len(known)] for n in range(SUBMISSIONS)]
    sent = [student.send(SLUG, each.source) for each in wanted]
    student.result(sent[0])  # judging has begun

    engine.stop(number)
    states = [student.client.get(f"/submissions/{submission}").json()["state"] for submission in sent]
    time.sleep(3)  # long enough that boxes are asked for while it is away
    engine.start()

    assert states.count("done") < SUBMISSIONS
    assert [student.result(submission)["verdict"] for submission in sent] == [each.verdict for each in wanted]
