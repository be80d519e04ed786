"""Images of boxes: building them, their list of versions, and what one holds."""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sandbox.environment import GUEST, GUEST_UID, guest_digest
from tests.framework_runtime import PYTHON
from tests.images.conftest import INSIDE, Ask
from tests.images.lock import FOLDER, normalise, public, read_lock
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


def test_a_gpu_has_the_same_versions_of_everything_that_both_have() -> None:
    cpu, cuda = read_lock("cpu"), read_lock("cuda")

    differing = {name: (version, cuda[name]) for name, version in cpu.items() if cuda[name] != version}

    assert differing == {}
    assert {cuda[name] for name in ("jax-cuda13-plugin", "jax-cuda13-pjrt", "jaxlib")} == {cpu["jax"]}


def test_bubblewrap_boxes_see_the_versions_of_the_list() -> None:
    if not PYTHON.exists():
        do_without(f"{PYTHON} is missing: `make test` makes it")

    said = subprocess.run([PYTHON, INSIDE / "versions.py"], capture_output=True, check=True).stdout

    installed = {normalise(name): public(version) for name, version in json.loads(said).items()}
    named = read_lock("cpu")
    # PyTorch's default build brings its CUDA libraries, which the list does not name.
    assert {name: installed.get(name) for name in named} == named


if TYPE_CHECKING:
    from docker.models.images import Image

EXPECTED = {
    "jax": 64.0,
    "flax": 2,
    "optax": 0.0,
    "torch": 64.0,
    "torch.compile, eager": 3.0,
    "torch.compile, aot_eager": 3.0,
}


def test_an_image_says_what_it_is(image: "Image", flavour: str) -> None:
    labels = image.labels

    assert labels["org.allclose.flavour"] == flavour
    assert labels["org.allclose.guest"] == guest_digest(), "built from other sources of the guest: run `make images`"


def test_an_image_runs_as_the_guest_user_and_starts_nothing_by_itself(image: "Image") -> None:
    config = image.attrs["Config"]

    assert config["User"] == f"{GUEST_UID}:{GUEST_UID}"
    assert not config["Entrypoint"]


@pytest.mark.whole
def test_every_framework_works_without_root_network_or_a_writable_root(ask: Ask) -> None:
    facts = ask("frameworks", "")

    assert facts["answers"] == EXPECTED
    assert (facts["uid"], facts["gid"]) == (GUEST_UID, GUEST_UID)


@pytest.mark.whole
def test_everything_that_python_loads_is_compiled(ask: Ask) -> None:
    facts = ask("frameworks", "")

    assert facts["loaded"] > 1000
    assert facts["not compiled"] == []


def test_the_versions_are_those_of_the_lock(ask: Ask, flavour: str) -> None:
    installed = {normalise(name): public(version) for name, version in ask("versions", "").items()}

    optional = read_lock("triton") if "triton" in installed else {}
    assert installed == read_lock(flavour) | optional


def test_the_guest_is_that_of_this_checkout(ask: Ask) -> None:
    here = [path for path in GUEST.rglob("*") if path.is_file() and path.suffix != ".pyc"]

    inside = ask("guest", "")

    assert inside == {str(path.relative_to(GUEST)): hashlib.sha256(path.read_bytes()).hexdigest() for path in here}


def test_nothing_in_an_image_gives_rights_or_can_be_written_to(ask: Ask) -> None:
    facts = ask("files", "root")

    assert facts["privileged"] == []
    assert facts["writable"] == []
    assert facts["not root's or not readable"] == []


def test_an_image_holds_no_compiler_and_no_leftovers(ask: Ask) -> None:
    facts = ask("files", "root")

    assert facts["compilers"] == []
    assert facts["caches"] == []
    assert facts["cache of boxes"] == []
