"""The choice of a launcher: isolation that was asked for is never given up silently."""

import pytest

from sandbox.docker.launcher import DockerOptions
from sandbox.interface import SandboxUnavailable
from sandbox.launcher_choice import choose_launcher
from tests.sandbox.bench import RUNTIME


@pytest.fixture(autouse=True)
def engine_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")


def test_without_an_engine_boxes_are_bubblewraps_and_the_log_says_so(caplog: pytest.LogCaptureFixture) -> None:
    assert choose_launcher("auto", RUNTIME).name == "bubblewrap"
    assert "Using bubblewrap for boxes: the Docker Engine does not answer" in caplog.text


@pytest.mark.parametrize(
    "options", [DockerOptions(runtime="runsc"), DockerOptions(apparmor="own"), DockerOptions(cpu_image="own")]
)
def test_an_option_for_docker_asks_for_docker(options: DockerOptions) -> None:
    with pytest.raises(SandboxUnavailable, match="does not answer"):
        choose_launcher("auto", RUNTIME, docker=options)
