"""A Docker Engine of a test's own: stopping and starting it harms no other containers."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

START_SECONDS = 60
STOP_SECONDS = 60


class Engine:
    """`address` is for DOCKER_HOST. Everything that it keeps lies in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.address = f"unix://{folder}/engine.sock"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        options = [f"--{name}={self._folder / name}" for name in ("data-root", "exec-root")]
        options += [f"--pidfile={self._folder / 'engine.pid'}", f"--host={self.address}"]
        options += ["--bridge=none", "--iptables=false", "--ip-forward=false", "--ip-masq=false"]
        with (self._folder / "engine.log").open("ab") as log:
            # In a network of its own: an engine removes what another has made there.
            command = ["unshare", "--net", "dockerd", *options]
            self._process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        self._wait_until_it_answers()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(STOP_SECONDS)
            self._process = None

    def send(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)

    def boxes(self) -> dict[str, int]:
        """The process ID of each running container's first process, by the container's ID."""
        environment = {**os.environ, "DOCKER_HOST": self.address}
        listed = subprocess.run(["docker", "ps", "--quiet"], env=environment, capture_output=True, text=True)
        shown = subprocess.run(
            ["docker", "inspect", "--format", "{{.Id}} {{.State.Pid}}", *listed.stdout.split()],
            env=environment,
            capture_output=True,
            text=True,
        )
        # Docker prints an empty line if a container has gone in between.
        return {line.split()[0]: int(line.split()[1]) for line in shown.stdout.splitlines() if line}

    def load(self, image: str) -> None:
        """Copy an image from the engine that the tests use."""
        environment = {**os.environ, "DOCKER_HOST": self.address}
        with subprocess.Popen(["docker", "save", image], stdout=subprocess.PIPE) as saving:
            subprocess.run(["docker", "load", "--quiet"], stdin=saving.stdout, env=environment, check=True)
        assert saving.returncode == 0

    def remove(self) -> None:
        """The images take gigabytes. An engine leaves its folder mounted onto itself, once for each start."""
        for mounted in self._folder.glob("*-root"):
            while subprocess.run(["umount", "--lazy", mounted], capture_output=True, check=False).returncode == 0:
                pass
            shutil.rmtree(mounted, ignore_errors=True)

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        command = ["docker", "--host", self.address, "version"]
        while subprocess.run(command, capture_output=True, check=False).returncode != 0:
            assert time.monotonic() < deadline, (self._folder / "engine.log").read_text()[-2000:]
            time.sleep(0.2)


@contextmanager
def own_engine(folder: Path, image: str | None) -> Iterator[Engine]:
    """Start an engine with this image, or with none. Skips for an ordinary user, and where Docker is not installed."""
    if os.geteuid() != 0 or shutil.which("dockerd") is None:
        pytest.skip("starting an engine of its own takes root and dockerd")
    engine = Engine(folder)
    engine.start()
    try:
        if image is not None:
            engine.load(image)
        yield engine
    finally:
        engine.stop()
        engine.remove()
