"""Check whether this host can open boxes, and which launcher the settings choose."""

import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from sandbox.check.bubblewrap import MORE_NAMESPACES, check_bubblewrap
from sandbox.check.docker import check_docker
from sandbox.check.finding import HostFinding, Level, examine, lacks, needless
from sandbox.check.gpu import check_gpu
from sandbox.docker.launcher import DockerLauncher, DockerOptions
from sandbox.interface import BoxSpec, Isolation
from sandbox.launcher_choice import choose_launcher

Sandbox: TypeAlias = Literal["docker", "bubblewrap"]

MACHINES = ("x86_64", "aarch64")
SHARED = "opens, without namespaces for each submission: only the system call filter separates two submissions"
WITHOUT_BOX: dict[Sandbox, str] = {
    "docker": "journalctl -u docker  # shows why; export ALLCLOSE_SANDBOX=bubblewrap avoids Docker",
    "bubblewrap": "run `allclose doctor` outside a container, or allow user namespaces in it",
}
NO_PROFILE = "export ALLCLOSE_DOCKER_APPARMOR=unconfined  # the filter, capability limits and namespaces stay"


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxSettings:
    """The sandbox settings to check this host against."""

    runtime: Path
    sandbox: Literal["auto", "docker", "bubblewrap"] = "auto"
    isolation: Literal["any", "namespaces"] = "any"
    docker: DockerOptions = field(default_factory=DockerOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostReport:
    """`chosen`: the launcher that these settings choose here; `why`: the reason. `isolation`: of the box that it
    opened, if any. `instead`: the other launcher, if only that one opens boxes.
    """

    chosen: Sandbox
    why: str
    isolation: Isolation | None
    instead: Sandbox | None
    findings: tuple[HostFinding, ...]


def check_host(wanted: SandboxSettings) -> HostReport:
    """Check the machine and both launchers, and open a box with each launcher that can work."""
    chosen = choose(wanted)
    machine = list(examine("machine", check_platform))
    found: dict[Sandbox, list[HostFinding]] = {
        "docker": list(examine("docker", lambda: check_docker(wanted.docker))),
        "bubblewrap": list(examine("bubblewrap", lambda: check_bubblewrap(wanted.runtime))),
    }
    opened = {name: open_box_by(name, wanted) for name in found if not lacks(machine) and not lacks(found[name])}
    for name, outcome in opened.items():
        found[name].append(check_box(name, outcome, wanted))
    other: Sandbox = "bubblewrap" if chosen == "docker" else "docker"
    gpu = examine("gpu", lambda: check_gpu(wanted.docker))
    return HostReport(
        chosen=chosen,
        why=explain(wanted, chosen, found["docker"]),
        isolation=_isolation(opened.get(chosen)),
        instead=other if _isolation(opened.get(other)) and not _isolation(opened.get(chosen)) else None,
        findings=(*machine, *found[chosen], *needless([*found[other], *gpu])),
    )


def _isolation(outcome: Isolation | Exception | None) -> Isolation | None:
    return None if isinstance(outcome, Exception) else outcome


def choose(wanted: SandboxSettings) -> Sandbox:
    """Choose as a worker does; bubblewrap if neither launcher works."""
    if wanted.sandbox != "auto":
        return wanted.sandbox
    try:
        launcher = choose_launcher("auto", wanted.runtime, docker=wanted.docker)
    except Exception:  # the checks of each launcher say why
        return "bubblewrap"
    return "docker" if isinstance(launcher, DockerLauncher) else "bubblewrap"


def explain(wanted: SandboxSettings, chosen: Sandbox, docker: list[HostFinding]) -> str:
    if wanted.sandbox != "auto":
        return f"ALLCLOSE_SANDBOX={chosen}"
    if chosen == "docker":
        return f"a Docker Engine answers and has the image {wanted.docker.cpu_image}"
    return next(
        (finding.text.partition(": ")[0] for finding in docker if finding.level == "missing"),
        "Docker did not answer",
    )


def check_platform() -> Iterator[HostFinding]:
    system, machine = platform.system(), platform.machine()
    if system == "Linux" and machine in MACHINES and hasattr(os, "pidfd_open"):
        yield HostFinding(
            part="machine", name="platform", level="fine", text=f"Linux {platform.release()} on {machine}"
        )
        return
    text = f"boxes need Linux 5.3 or later on {' or '.join(MACHINES)}; this is {system} on {machine}"
    remedy = "run Allclose in a Linux machine or VM"
    yield HostFinding(part="machine", name="platform", level="missing", text=text, remedy=remedy)


def open_box_by(name: Sandbox, wanted: SandboxSettings) -> Isolation | Exception:
    """Open a box with this launcher; return its isolation, or the exception for the finding."""
    try:
        box = choose_launcher(name, wanted.runtime, docker=wanted.docker).launch(BoxSpec(()))
    except Exception as error:
        return error
    box.close()
    return box.ready.isolation


def check_box(part: Sandbox, outcome: Isolation | Exception, wanted: SandboxSettings) -> HostFinding:
    level: Level = "fine"
    text, remedy = "opens, with fresh namespaces for each submission", ""
    if isinstance(outcome, Exception):
        level, text, remedy = "missing", str(outcome) or repr(outcome), WITHOUT_BOX[part]
    elif outcome == "shared":
        level, text, remedy = "weak", SHARED, _remedy_for_namespaces(part, wanted.docker)
        if wanted.isolation == "namespaces":
            level, text = "missing", f"{SHARED}, but ALLCLOSE_ISOLATION requires namespaces"
    return HostFinding(part=part, name="box", level=level, text=text, remedy=remedy)


def _remedy_for_namespaces(part: Sandbox, docker: DockerOptions) -> str:
    if part == "bubblewrap":
        return MORE_NAMESPACES
    if docker.runtime is not None:
        return "unset ALLCLOSE_DOCKER_RUNTIME  # some runtimes can't nest namespaces"
    return NO_PROFILE if has_apparmor() and docker.apparmor is None else MORE_NAMESPACES


def has_apparmor() -> bool:
    """Whether AppArmor is enabled: the engine's default profile then refuses mounts."""
    try:
        return Path("/sys/module/apparmor/parameters/enabled").read_text().startswith("Y")
    except OSError:
        return False
