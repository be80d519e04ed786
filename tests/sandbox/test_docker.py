"""Properties of Docker's boxes beyond the contract, as seen by the engine, by the kernel and inside the box.

Also the messages about engines that can't make boxes.
"""

import io
import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import pytest

from sandbox.check.docker import check_docker
from sandbox.docker import engine_client
from sandbox.docker.engine_client import find_address
from sandbox.docker.launcher import OVERHEAD_BYTES, DockerLauncher, DockerOptions, open_docker
from sandbox.docker.orphans import LABEL
from sandbox.docker.seccomp_profile import docker_profile
from sandbox.guest_box import GuestBox
from sandbox.interface import MIB, BoxSpec, Ending, SandboxAway, SandboxUnavailable
from tests.sandbox.bench import make_request, run_in, value_of
from tests.sandbox.conftest import docker_launcher
from tests.sandbox.ordinary_user import PROJECT

if TYPE_CHECKING:
    from docker.models.containers import Container

ALLOCATION = "import numpy\ndef solve(mib):\n    return int(numpy.ones(mib * 2**20, numpy.uint8)[-1])\n"


@dataclass(frozen=True)
class Seen:
    """A running box, with its description by the engine and the kernel."""

    launcher: DockerLauncher
    box: GuestBox

    @property
    def container(self) -> "Container":
        found = self.launcher.engine.containers.list(filters={"label": LABEL}, ignore_removed=True)
        return next(one for one in found if one.attrs["State"]["Pid"] == self.box.vessel.pid)

    @property
    def settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = self.container.attrs["HostConfig"]
        return settings

    def status(self, name: str) -> str:
        """Return a field of the status of the box's first process."""
        text = Path(f"/proc/{self.box.vessel.pid}/status").read_text()
        return next(line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith(f"{name}:"))

    def call(self, source: str) -> Any:
        return value_of(run_in(self.box, make_request(source)).cases[0])


def look_at(launcher: DockerLauncher) -> Iterator[Seen]:
    box = launcher.launch(BoxSpec(()))
    assert isinstance(box, GuestBox)
    yield Seen(launcher, box)
    box.close()


@pytest.fixture(scope="module")
def seen() -> Iterator[Seen]:
    yield from look_at(docker_launcher("shared"))


@pytest.fixture
def fresh() -> Iterator[Seen]:
    yield from look_at(docker_launcher("any"))


@pytest.mark.parametrize(("isolation", "namespaces"), [("shared", False), ("any", True)])
def test_the_engine_gets_our_seccomp_profile(isolation: Any, namespaces: bool) -> None:
    for seen in look_at(docker_launcher(isolation)):
        options = dict(option.split("=", 1) for option in seen.settings["SecurityOpt"])

        assert json.loads(options["seccomp"]) == json.loads(docker_profile(namespaces=namespaces))
        assert options["no-new-privileges"] == "true"


def test_the_kernel_confirms_it(seen: Seen) -> None:
    assert [seen.status(f"Cap{name}") for name in ("Inh", "Prm", "Eff", "Bnd", "Amb")] == ["0" * 16] * 5
    assert seen.status("NoNewPrivs") == "1"
    assert seen.status("Seccomp") == "2"
    assert "0" not in seen.status("Uid").split()


def test_of_the_host_only_the_cache_is_mounted_and_cannot_be_written(tmp_path: Path) -> None:
    shared = docker_launcher("any")
    tmp_path.chmod(0o755)
    launcher = DockerLauncher(
        engine=shared.engine,
        image=shared.image,
        options=shared.options,
        facilities=shared.facilities,
        cache=tmp_path,
    )
    for seen in look_at(launcher):
        mounts = {one["Destination"]: (one["Source"], one["RW"]) for one in seen.container.attrs["Mounts"]}

        assert mounts == {"/dev/zero": ("/dev/null", False), "/cache": (str(tmp_path), False)}
        assert seen.call("import os\ndef solve():\n    return os.access('/cache', os.W_OK)\n") is False


def test_a_folder_for_files_is_of_memory_and_small(seen: Seen) -> None:
    source = """
        import os

        def solve():
            tmp, root = os.statvfs("/tmp"), os.statvfs("/")
            flags = [bool(tmp.f_flag & flag) for flag in (os.ST_NOSUID, os.ST_NODEV, os.ST_NOEXEC)]
            return [tmp.f_blocks * tmp.f_frsize, tmp.f_files, flags, bool(root.f_flag & os.ST_RDONLY)]
    """

    assert seen.call(source) == [64 * MIB, 4096, [True] * 3, True]


def test_limits_are_those_of_one_student(seen: Seen) -> None:
    settings, facilities = seen.settings, seen.launcher.facilities

    if facilities.memory:
        assert settings["Memory"] == settings["MemorySwap"] == 2**30 + OVERHEAD_BYTES
    if facilities.pids:
        assert 64 < settings["PidsLimit"] < 256
    if facilities.cpuset:
        assert re.fullmatch(r"\d+", settings["CpusetCpus"])
    assert len(os.sched_getaffinity(seen.box.vessel.pid)) <= len(os.sched_getaffinity(0))
    assert settings["LogConfig"]["Type"] == "none"


def skip_without_a_wall(seen: Seen) -> None:
    if not seen.launcher.facilities.memory:
        pytest.skip("this engine limits no memory")
    if seen.launcher.options.runtime is not None:
        pytest.skip("the boxes of another runtime get their room at once")


def test_a_box_of_a_nice_thread_weighs_as_little_as_the_kernel_weighs_niceness() -> None:
    launcher, weights = docker_launcher("any"), dict[int, int]()
    if not launcher.facilities.shares:
        pytest.skip("this engine weighs no boxes")

    def launch(niceness: int) -> None:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)
        for seen in look_at(launcher):
            weights[niceness] = seen.settings["CpuShares"]

    own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    for niceness in (own, own + 10):
        thread = threading.Thread(target=launch, args=(niceness,))
        thread.start()
        thread.join()

    assert weights[own + 10] in range(2, 120)
    assert weights[own] == 0 or weights[own] > 4 * weights[own + 10]


def test_a_request_for_more_memory_widens_the_wall(fresh: Seen) -> None:
    skip_without_a_wall(fresh)

    run = run_in(fresh.box, make_request(ALLOCATION, {"mib": 1}, memory_bytes=3 * 2**30))

    assert value_of(run.cases[0]) == 1
    assert fresh.settings["Memory"] == fresh.settings["MemorySwap"] == 3 * 2**30 + OVERHEAD_BYTES


def test_a_process_that_the_kernel_ends_for_want_of_memory_gets_a_verdict(fresh: Seen) -> None:
    skip_without_a_wall(fresh)
    fresh.container.update(mem_limit=300 * MIB, memswap_limit=300 * MIB)

    run = run_in(fresh.box, make_request(ALLOCATION, {"mib": 700}))

    assert run.cases[0].ending in (Ending.CRASHED, Ending.OUT_OF_MEMORY)
    assert run.cases[0].failure is not None
    assert run.cases[0].failure.kind == "SIGKILL"
    assert fresh.box.is_usable()
    assert value_of(run_in(fresh.box, make_request(ALLOCATION, {"mib": 1})).cases[0]) == 1


def test_boxes_of_another_runtime_have_their_room_at_once() -> None:
    """An engine that knows only its own runtime knows it by this name too."""
    launcher = open_docker(replace(docker_launcher("any").options, runtime="runc"))
    if not launcher.facilities.memory:
        pytest.skip("this engine limits no memory")
    for seen in look_at(launcher):
        assert seen.settings["Runtime"] == "runc"
        assert seen.settings["Memory"] == seen.settings["MemorySwap"] == launcher.facilities.host_bytes // 2


def test_boxes_stand_on_cores_that_the_engine_gives_them(fresh: Seen) -> None:
    cores = os.sched_getaffinity(fresh.box.vessel.pid)

    inside = fresh.call("import os\ndef solve():\n    return sorted(os.sched_getaffinity(0))\n")

    assert len(inside) == fresh.launcher.cores_per_box
    assert set(inside) <= cores


def test_a_runtime_that_the_engine_does_not_know_is_named() -> None:
    docker_launcher("any")

    with pytest.raises(SandboxUnavailable, match=r"no runtime runny \(it has .*runc.*ALLCLOSE_DOCKER_RUNTIME"):
        open_docker(DockerOptions(runtime="runny"))


def test_a_missing_image_is_named_with_what_makes_it() -> None:
    docker_launcher("any")

    with pytest.raises(SandboxUnavailable, match="has no image allclose-none: correct or unset ALLCLOSE_IMAGE_CPU"):
        open_docker(DockerOptions(cpu_image="allclose-none"))


def test_the_check_of_a_missing_image_names_one_way_out() -> None:
    docker_launcher("any")

    image = next(each for each in check_docker(DockerOptions(cpu_image="allclose-none")) if each.name == "image")

    assert image.text == "the Docker Engine has no image allclose-none"
    assert image.remedy == "correct or unset ALLCLOSE_IMAGE_CPU or ALLCLOSE_IMAGE_CUDA, which name allclose-none"


@pytest.mark.parametrize(
    ("label", "step", "is_ours"), [("another", "", False), ("", "", True), ("", "RUN echo >> zygote.py\n", False)]
)
def test_an_image_is_known_by_its_label_or_else_by_its_guest(label: str, step: str, is_ours: bool) -> None:
    launcher = docker_launcher("any")
    name = f"allclose-test-{token_hex(4)}"
    base = f"FROM {launcher.image.removeprefix('docker:')}\nLABEL org.allclose.guest={label}\n"
    recipe = f"{base}USER 0\nWORKDIR /allclose/sandbox/guest\n{step}"
    launcher.engine.images.build(fileobj=io.BytesIO(recipe.encode()), tag=name, rm=True, network_mode="none")

    refusal = nullcontext() if is_ours else pytest.raises(SandboxUnavailable, match="is from another version")
    with refusal:
        open_docker(DockerOptions(cpu_image=name))

    launcher.engine.images.remove(name)


@pytest.mark.parametrize("address", ["unix:///nowhere/docker.sock", "tcp://127.0.0.1:1", "tcp://"])
def test_an_engine_that_does_not_answer_is_away(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("DOCKER_HOST", address)

    with pytest.raises(SandboxAway, match=r"does not answer \(.+\): start it, correct or unset DOCKER_HOST"):
        open_docker(DockerOptions())


def test_an_address_that_cannot_be_used_is_no_engine_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "ssh://elsewhere")

    with pytest.raises(SandboxUnavailable, match="use a unix:// or tcp:// address") as raised:
        open_docker(DockerOptions())

    assert not isinstance(raised.value, SandboxAway)


OPENING = """
import os, sys
from sandbox.docker import engine_client
from sandbox.docker.launcher import DockerOptions, open_docker
from sandbox.interface import SandboxUnavailable
from tests.sandbox.ordinary_user import become_ordinary
engine_client.DEFAULT_SOCKET = engine_client.Path(sys.argv[1])
if os.geteuid() == 0:
    become_ordinary()
print(engine_client.find_address())
try:
    open_docker(DockerOptions())
except SandboxUnavailable as error:
    print(type(error).__name__, error)
"""


@pytest.fixture
def closed_socket(tmp_path: Path) -> Iterator[Path]:
    """A socket with a listener that this user may not use."""
    for folder in (tmp_path, *tmp_path.parents[:3]):  # as deep as a process of several makes it
        folder.chmod(0o755)
    path = tmp_path / "docker.sock"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        path.chmod(0)
        yield path


def open_as_ordinary_user(default: Path, runtime_folder: Path) -> list[str]:
    environment = {
        "PATH": "/usr/bin:/bin",
        "XDG_RUNTIME_DIR": str(runtime_folder),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    command = [sys.executable, "-c", OPENING, str(default)]
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_a_socket_that_the_user_may_not_use_is_told_with_the_two_ways_out(closed_socket: Path, tmp_path: Path) -> None:
    address, said = open_as_ordinary_user(closed_socket, tmp_path / "none")

    assert address == f"unix://{closed_socket}"
    assert said.startswith("SandboxUnavailable this user may not access the Docker Engine: ")
    assert "group docker" in said
    assert "rootless" in said


def test_an_own_engine_comes_before_one_that_the_user_may_not_use(closed_socket: Path, tmp_path: Path) -> None:
    folder = tmp_path / "runtime"
    folder.mkdir()
    (folder / "docker.sock").touch()
    (folder / "docker.sock").chmod(0o666)

    address, said = open_as_ordinary_user(closed_socket, folder)

    assert address == f"unix://{folder}/docker.sock"
    assert said.startswith("SandboxAway")


def test_without_any_engine_there_is_no_address(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(engine_client, "DEFAULT_SOCKET", tmp_path / "docker.sock")

    assert find_address() is None
    with pytest.raises(SandboxUnavailable, match="there is no Docker Engine"):
        open_docker(DockerOptions())
