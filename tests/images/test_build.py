"""Messages of `make images` and `deploy/container/wheels.sh` when they can't begin."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.images.lock import FOLDER
from tests.lacking import do_without

if not shutil.which("docker"):
    do_without("there is no docker here (Debian, Ubuntu: sudo apt-get install docker.io)")


BUILD = [str(FOLDER / "build.sh"), "cpu"]
COLLECT = [str(FOLDER.parents[1] / "deploy/container/wheels.sh")]


@pytest.mark.parametrize("command", [BUILD, COLLECT])
def test_without_an_engine_it_says_where_it_looked(tmp_path: Path, command: list[str]) -> None:
    host = f"unix://{tmp_path}/none.sock"

    done = run(command, {"DOCKER_HOST": host})

    assert done.returncode == 1
    assert f"No Docker Engine answers at DOCKER_HOST={host}: start it, or correct or unset DOCKER_HOST" in done.stderr


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("command", [BUILD, COLLECT])
def test_without_a_base_it_says_how_to_make_one(command: list[str]) -> None:
    done = run(command, {"BASE": "127.0.0.1:1/nowhere"})

    assert done.returncode == 1
    assert "make one from this machine's own release with `sudo sandbox/images/make_base.sh`" in done.stderr


def run(command: list[str], settings: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, timeout=60, check=False)
