"""Check whether this host's Docker Engine can make boxes."""

import os
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

from sandbox.check.finding import HostFinding, Level
from sandbox.docker.engine_client import answering, connect, find_address
from sandbox.docker.launcher import DockerOptions, find_image
from sandbox.docker.orphans import find_orphans
from sandbox.interface import SandboxUnavailable

if TYPE_CHECKING:
    from docker import DockerClient

OLDEST_API = (1, 41)
# Text after a # in a command explains it.
INSTALL = "sudo apt-get install docker.io && make images  # Debian, Ubuntu; others: docs.docker.com/engine/install"
START = "sudo systemctl start docker  # or correct or unset DOCKER_HOST"
BUILD = "make images"
DELEGATE = (
    "sudo mkdir -p /etc/systemd/system/user@.service.d && printf '[Service]\\nDelegate=cpu cpuset io memory pids\\n'"
    " | sudo tee /etc/systemd/system/user@.service.d/delegate.conf && sudo systemctl daemon-reload"
)
UNIFIED = "boot with systemd.unified_cgroup_hierarchy=1 on the kernel's command line"
ACCOUNTING = "boot with `cgroup_enable=memory swapaccount=1` on the kernel's command line"
GVISOR = "sudo runsc install -- --network=none --oci-seccomp && sudo systemctl restart docker  # or unset it"
LIMITS = {"MemoryLimit": "memory", "SwapLimit": "swap", "PidsLimit": "processes", "CPUSet": "cores"}


def check_docker(options: DockerOptions) -> Iterator[HostFinding]:
    """Check everything except whether a box opens; `check_host` does that."""
    try:
        with closing(connect()) as engine:
            yield from _check_engine(engine, options)
    except SandboxUnavailable as error:
        yield _finding("engine", "missing", str(error), _remedy_without_engine())


def _check_engine(engine: "DockerClient", options: DockerOptions) -> Iterator[HostFinding]:
    with answering("to describe itself"):
        info, version = engine.info(), engine.version()
    yield check_version(info, version)
    yield check_limits(info)
    yield from check_walls(info, options)
    if options.runtime is not None:
        yield check_runtime(info, options.runtime)
    yield check_image(engine, options.cpu_image)
    yield _check_leftovers(engine)


def check_version(info: Mapping[str, Any], version: Mapping[str, Any]) -> HostFinding:
    kind = "rootless" if "rootless" in security_options(info) else "rootful: access to it is as good as root"
    text = f"{info['ServerVersion']} at {find_address()}, cgroup v{info.get('CgroupVersion', '1')}, {kind}"
    if tuple(map(int, version["ApiVersion"].split("."))) < OLDEST_API:
        return _finding("engine", "weak", f"{text}; older than 20.10, which is untested", INSTALL)
    return _finding("engine", "fine", text)


def check_limits(info: Mapping[str, Any]) -> HostFinding:
    lacking = [what for key, what in LIMITS.items() if not info.get(key)]
    if not lacking:
        return _finding("limits", "fine", f"the engine can limit {', '.join(LIMITS.values())}")
    text = f"the engine can't limit {', '.join(lacking)}: only the guest's own limits hold"
    return _finding("limits", "weak", text, _remedy_of_limits(info))


def _remedy_of_limits(info: Mapping[str, Any]) -> str:
    if "rootless" not in security_options(info):
        return ACCOUNTING
    return UNIFIED if info.get("CgroupVersion", "1") == "1" else DELEGATE


def check_walls(info: Mapping[str, Any], options: DockerOptions) -> Iterator[HostFinding]:
    on = security_options(info)
    if "seccomp" not in on:
        text = "the engine has no seccomp: it refuses every box with a filter"
        yield _finding("seccomp", "missing", text, "use the kernel and the engine of your distribution")
    else:
        yield _finding("seccomp", "fine", "available; boxes have their own profile")
    if "apparmor" in on:
        profile = options.apparmor or "docker-default, which refuses mounts"
        yield _finding("AppArmor", "fine", f"on; boxes run under {profile}")
    if "selinux" in on:
        yield _finding("SELinux", "fine", "on; untested with boxes")


def security_options(info: Mapping[str, Any]) -> frozenset[str]:
    """Return the names: the engine writes each option as `name=seccomp,profile=default`."""
    return frozenset(str(option).split(",")[0].removeprefix("name=") for option in info.get("SecurityOptions") or ())


def check_runtime(info: Mapping[str, Any], name: str) -> HostFinding:
    known = sorted(info.get("Runtimes") or ())
    if name in known:
        return _finding("runtime", "fine", f"{name}, set by ALLCLOSE_DOCKER_RUNTIME")
    text = f"ALLCLOSE_DOCKER_RUNTIME={name}, but the engine has only {', '.join(known)}"
    remedy = GVISOR if name == "runsc" else "set it to one of them, or unset ALLCLOSE_DOCKER_RUNTIME"
    return _finding("runtime", "missing", text, remedy)


def check_image(engine: "DockerClient", name: str) -> HostFinding:
    try:
        image = find_image(engine, name)
    except SandboxUnavailable as error:
        text, _, remedy = str(error).rpartition(": ")
        return _finding("image", "missing", text, BUILD if BUILD in remedy else remedy)
    return _finding("image", "fine", f"{name}, from this version's guest ({image[: len('docker:sha256:') + 12]})")


def _check_leftovers(engine: "DockerClient") -> HostFinding:
    names = [str(box.short_id) for box in find_orphans(engine)]
    if not names:
        return _finding("leftovers", "fine", "no boxes of dead workers")
    text = f"{len(names)} boxes of dead workers; the next worker removes them too"
    return _finding("leftovers", "weak", text, f"docker rm --force {' '.join(names)}")


def _remedy_without_engine() -> str:
    address = find_address()
    if address is None:
        return INSTALL
    path = address.removeprefix("unix://")
    if address.startswith("unix://") and os.path.exists(path) and not os.access(path, os.W_OK):  # noqa: PTH110
        return 'sudo usermod -aG docker "$USER"  # then log in again; or dockerd-rootless-setuptool.sh install'
    return START


def _finding(name: str, level: Level, text: str, remedy: str = "") -> HostFinding:
    return HostFinding(part="docker", name=name, level=level, text=text, remedy=remedy)
