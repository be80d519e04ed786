"""Find and call a container engine that speaks Docker's API."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.interface import SandboxAway, SandboxUnavailable

if TYPE_CHECKING:
    from docker import DockerClient

DEFAULT_SOCKET = Path("/var/run/docker.sock")
ANSWER_SECONDS = 60
# Characters kept of an engine's refusal: some runtimes print long help texts.
WORDS = 400
OTHERWISE = "or set ALLCLOSE_SANDBOX=bubblewrap"
_WORDS_OF_A_RESTART = ("shutting down", "containerd", "transport", "Service Unavailable")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facilities:
    """Which limits the engine can set: a rootless one has few, or none without cgroup v2.

    `host_bytes`: the memory of the engine's host.
    """

    memory: bool
    pids: bool
    cpuset: bool
    shares: bool
    host_bytes: int


def find_address() -> str | None:
    """Return DOCKER_HOST, or the system's socket if this user may use it, or a rootless engine's socket."""
    if host := os.environ.get("DOCKER_HOST"):
        return host
    rootless = Path(os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}"), "docker.sock")
    sockets = [path for path in (DEFAULT_SOCKET, rootless) if os.access(path, os.F_OK)]
    usable = [path for path in sockets if os.access(path, os.W_OK)]
    return next((f"unix://{path}" for path in (*usable, *sockets)), None)


def connect() -> "DockerClient":
    """Connect to an engine that answers.

    Raises SandboxAway when an engine should be there but does not answer, otherwise SandboxUnavailable. The library is
    imported here so that hosts without an engine do not wait for it.
    """
    address = find_address()
    if address is None:
        raise SandboxUnavailable(f"there is no Docker Engine (no {DEFAULT_SOCKET}, and DOCKER_HOST is not set)")
    if not address.startswith(("unix://", "tcp://", "https://")):
        raise SandboxUnavailable(f"DOCKER_HOST={address} is not supported: use a unix:// or tcp:// address")
    import docker
    from docker.utils import kwargs_from_env

    with answering("a connection"):
        keys = kwargs_from_env().get("tls") or False
        client = docker.DockerClient(base_url=address, tls=keys, version="auto", timeout=ANSWER_SECONDS)
        client.ping()
    return client


def read_facilities(engine: "DockerClient", runtime: str | None) -> Facilities:
    """Raises SandboxUnavailable, also when the engine lacks the runtime that boxes should have."""
    with answering("to report its limits"):
        info = engine.info()
    known = sorted(info.get("Runtimes") or ())
    if runtime is not None and runtime not in known and not runtime.startswith("io.containerd."):
        text = f"the Docker Engine has no runtime {runtime} (it has {', '.join(known)})"
        raise SandboxUnavailable(
            f"{text}: add it to /etc/docker/daemon.json, or correct or unset ALLCLOSE_DOCKER_RUNTIME"
        )
    return Facilities(
        memory=bool(info.get("MemoryLimit")),
        pids=bool(info.get("PidsLimit")),
        cpuset=bool(info.get("CPUSet")),
        shares=bool(info.get("CPUShares")),
        host_bytes=info["MemTotal"],
    )


@contextmanager
def answering(what: str) -> Iterator[None]:
    """Translate the library's errors. Raises SandboxAway, or SandboxUnavailable when the engine refuses."""
    from docker.errors import APIError, DockerException
    from requests.exceptions import RequestException

    try:
        yield
    except APIError as error:
        if error.is_server_error() and any(word in str(error) for word in _WORDS_OF_A_RESTART):
            raise SandboxAway(f"the Docker Engine is stopping or starting: {_remedy()}") from None
        explanation = " ".join(str(error.explanation or error).split())[:WORDS]
        raise SandboxUnavailable(f"the Docker Engine refuses {what}: {explanation}") from None
    except (DockerException, RequestException, OSError) as error:
        if _is_forbidden(error):
            remedy = "add the user to the group docker (which is as good as root), or use a rootless engine"
            raise SandboxUnavailable(f"this user may not access the Docker Engine: {remedy}") from None
        raise SandboxAway(f"the Docker Engine does not answer ({_reason(error)}): {_remedy()}") from None


def _remedy() -> str:
    if host := os.environ.get("DOCKER_HOST"):
        return f"start it, correct or unset DOCKER_HOST (it is {host}), {OTHERWISE}"
    return f"start it (sudo systemctl start docker), {OTHERWISE}"


def _is_forbidden(error: BaseException) -> bool:
    return any(isinstance(cause, PermissionError) for cause in _causes(error)) or "Permission denied" in str(error)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _reason(error: BaseException) -> str:
    """Return the innermost error, which is the shortest."""
    innermost = list(_causes(error))[-1]
    return " ".join(str(innermost).split()) or type(innermost).__name__
