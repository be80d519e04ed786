"""The deployment of docker-compose.yml, from nothing: `make test-compose`.

Everything is as a newcomer's `docker compose up --build` makes it, but for the port and, where no registry of images
is reached, the base image.
"""

import os
import re
import subprocess
from collections.abc import Iterator

import pytest

from tests.compose.deployment import ACCOUNT, Deployment, deployed
from tests.compose.faults import run
from tests.help_pages import open_help_pages

FAULTS = 8

pytestmark = [
    pytest.mark.timeout(1800),
    pytest.mark.skipif("TEST_COMPOSE" not in os.environ, reason="`make test-compose` runs it"),
]


@pytest.fixture(scope="module")
def deployment() -> Iterator[Deployment]:
    with deployed() as deployment:
        yield deployment


def test_a_submission_is_accepted_and_again_with_two_workers(deployment: Deployment) -> None:
    admin, student = deployment.admin(), deployment.token(ACCOUNT)

    assert deployment.judge(student) == "accepted"

    deployment.up("--no-build", "--scale", "web=2", "--scale", "worker=2")
    deployment.wait_for_workers(2, admin)

    assert deployment.judge(student) == "accepted"
    assert "Traceback" not in deployment.compose("logs", "--no-color", "worker", "web", "engine")


def test_the_image_holds_every_help_page(deployment: Deployment) -> None:
    pages = open_help_pages(deployment.site)

    assert {page.status_code for page in pages.values()} == {200}
    assert len(pages) > 3


def test_killed_containers_and_overload_lose_no_submission(deployment: Deployment) -> None:
    report = run(deployment, faults=FAULTS, seed=1)

    assert report.broken == []
    assert report.given_up == []
    assert sum(report.kills.values()) == FAULTS
    assert report.accepted
    assert report.refused
    assert report.bare_refusals == 0


def test_a_stopped_deployment_ends_by_its_signals_and_comes_back_with_its_data(deployment: Deployment) -> None:
    deployment.compose("stop")

    containers = deployment.compose("ps", "--quiet", "--all").split()
    question = ["docker", "inspect", "--format", "{{.Name}} {{.State.ExitCode}}", *containers]
    codes = subprocess.run(question, capture_output=True, text=True, check=True).stdout
    assert not re.search(r" 137$", codes, re.MULTILINE), f"not all ended by themselves:\n{codes}"

    deployment.up("--no-build")
    assert deployment.token(ACCOUNT)
