"""The kind of box of a data folder, and the runtime that boxes take."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.engine.boxes import find_kept_sandbox, keep_sandbox, open_launcher
from app.settings import BadSetting, Settings
from sandbox.docker.launcher import GUEST_LABEL
from sandbox.environment import guest_digest
from sandbox.interface import SandboxUnavailable
from tests.engine import own_engine
from tests.sandbox.bench import RUNTIME

NOWHERE = "unix:///nowhere/docker.sock"


@pytest.fixture(scope="module")
def engine_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an engine with an image of this version, which no test starts."""
    with own_engine(tmp_path_factory.mktemp("engine"), None) as engine:
        label = f"LABEL {GUEST_LABEL}={guest_digest()}"
        command = ["docker", "--host", engine.address, "import", "--change", label, "-", "allclose-cpu"]
        subprocess.run(command, input=bytes(1024), capture_output=True, check=True)
        yield engine.address


def test_an_engine_that_appears_does_not_change_the_boxes_of_a_data_folder(
    tmp_path: Path, engine_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(data=tmp_path / "old")
    monkeypatch.setenv("DOCKER_HOST", NOWHERE)
    keep_sandbox(settings, open_launcher(settings, cache=None))

    monkeypatch.setenv("DOCKER_HOST", engine_address)

    assert open_launcher(settings, cache=None).name == "bubblewrap"
    assert open_launcher(Settings(data=tmp_path / "new"), cache=None).name == "docker"


def test_boxes_of_docker_stay_so_while_the_engine_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", NOWHERE)
    (tmp_path / "sandbox").write_text("docker\n")

    with pytest.raises(SandboxUnavailable, match="keeps the first choice, docker; ALLCLOSE_SANDBOX changes it"):
        open_launcher(Settings(data=tmp_path), cache=None)


def test_a_setting_counts_more_than_the_choice_of_the_data_folder(tmp_path: Path) -> None:
    (tmp_path / "sandbox").write_text("docker\n")
    settings = Settings(data=tmp_path, sandbox="bubblewrap")

    launcher = open_launcher(settings, cache=None)
    keep_sandbox(settings, launcher)

    assert launcher.name == "bubblewrap"
    assert find_kept_sandbox(Settings(data=tmp_path)) == "docker"


def test_a_runtime_that_docker_boxes_would_ignore_is_an_error(
    tmp_path: Path, engine_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", engine_address)

    with pytest.raises(BadSetting, match="unset it, or set ALLCLOSE_SANDBOX=bubblewrap"):
        open_launcher(Settings(data=tmp_path, runtime=RUNTIME), cache=None)
    assert (
        open_launcher(Settings(data=tmp_path, runtime=RUNTIME, sandbox="bubblewrap"), cache=None).name == "bubblewrap"
    )
