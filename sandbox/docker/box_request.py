"""Check that a request creates a container that is a box, with no rights beyond one.

A user who may create any container on a host's engine can become root there. So each key is checked against a list of
rules, and any other key is refused. The request is then written again, so that the engine reads exactly what was
checked.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox.docker.launcher import COVERED, COVERED_BESIDE_GPU, MASKED, TMP_OPTIONS, ZERO
from sandbox.docker.orphans import LABEL
from sandbox.docker.seccomp_profile import docker_profile
from sandbox.environment import CACHE_IN_BOX, GUEST_UID

_PROFILES = frozenset(
    f"seccomp={docker_profile(namespaces=namespaces, gpu=gpu)}" for namespaces in (True, False) for gpu in (True, False)
)
_TMPFS = ({"/tmp": TMP_OPTIONS, **COVERED}, {"/tmp": TMP_OPTIONS, **COVERED_BESIDE_GPU})
_ZERO = {"Target": ZERO, "Source": "/dev/null", "Type": "bind", "ReadOnly": True}
_CORES = re.compile(r"\d{1,4}(,\d{1,4})*")
_NEEDED = frozenset({"User", "Labels"})
_NEEDED_OF_HOST = frozenset(
    {"NetworkMode", "IpcMode", "ReadonlyRootfs", "AutoRemove", "CapDrop", "LogConfig", "MaskedPaths", "SecurityOpt"}
)


class RequestRefused(Exception):
    """A request that no worker sends. The text names the refused part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxRules:
    """`images`: IDs of the boxes' images. `cache`: the cache folder's path for workers, and its path on the host."""

    images: frozenset[str]
    cache: tuple[Path, Path] | None = None
    runtime: str | None = None
    apparmor: str | None = None

    def check(self, body: bytes) -> bytes:
        """Return the request, written again. Raises RequestRefused."""
        asked = _read_object(body)
        host = asked.get("HostConfig")
        if not isinstance(host, dict):
            raise RequestRefused("HostConfig is missing")
        mounts = host.get("Mounts")
        rules: dict[str, Callable[[Any], bool]] = {
            **_CONTAINER,
            "Image": lambda image: isinstance(image, str) and image in self.images,
            "HostConfig": lambda _: True,
        }
        host_rules: dict[str, Callable[[Any], bool]] = {
            **_HOST,
            "Runtime": lambda runtime: runtime == self.runtime,
            "SecurityOpt": self._are_security_options,
            "Mounts": lambda mounts: isinstance(mounts, list) and all(map(self._is_mount, mounts)),
        }
        kept = _keep(asked, rules, needed=_NEEDED | {"Image"}, place="")
        needed_of_host = _NEEDED_OF_HOST | ({"Runtime"} if self.runtime else set())
        kept_host = _keep(host, host_rules, needed=needed_of_host, place="HostConfig.")
        if mounts is not None:
            kept_host["Mounts"] = [self._as_the_host_sees(mount) for mount in mounts]
        return json.dumps({**kept, "HostConfig": kept_host}).encode()

    def _are_security_options(self, options: object) -> bool:
        if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
            return False
        own = set() if self.apparmor is None else {f"apparmor={self.apparmor}"}
        demanded = own | {"no-new-privileges=true"}
        rest = set(options) - demanded
        return demanded <= set(options) and len(rest) == 1 and rest <= _PROFILES

    def _is_mount(self, mount: object) -> bool:
        return mount == _ZERO or (
            isinstance(mount, dict) and self.cache is not None and mount == self._cache_mount(self.cache[0])
        )

    def _as_the_host_sees(self, mount: dict[str, Any]) -> dict[str, Any]:
        return mount if self.cache is None or mount == _ZERO else self._cache_mount(self.cache[1])

    @staticmethod
    def _cache_mount(source: Path) -> dict[str, Any]:
        return {"Target": str(CACHE_IN_BOX), "Source": str(source), "Type": "bind", "ReadOnly": True}


def check_more_memory(body: bytes) -> bytes:
    """Check a request that may only raise a box's memory limit. Raises RequestRefused."""
    numbers = {"Memory": _is_positive, "MemorySwap": _is_positive}
    return json.dumps(_keep(_read_object(body), numbers, needed=frozenset(), place="")).encode()


def _read_object(body: bytes) -> dict[str, Any]:
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        raise RequestRefused("the body is not JSON") from None
    if not isinstance(asked, dict):
        raise RequestRefused("the body is not a JSON object")
    return asked


def _keep(
    asked: Mapping[str, Any], rules: Mapping[str, Callable[[Any], bool]], *, needed: frozenset[str], place: str
) -> dict[str, Any]:
    """Check each key and leave out null and empty values, which ask for nothing."""
    kept = {key: value for key, value in asked.items() if value is not None and value not in ("", [], {}, False)}
    for key, value in kept.items():
        if key not in rules:
            raise RequestRefused(f"{place}{key} is not allowed for a box")
        if not rules[key](value):
            raise RequestRefused(f"{place}{key} has a value that is not allowed for a box")
    if lacking := sorted(needed - kept.keys()):
        raise RequestRefused(f"{place}{lacking[0]} is missing")
    return kept


def _exactly(value: object) -> Callable[[Any], bool]:
    return lambda given: type(given) is type(value) and bool(given == value)


def _is_positive(number: object) -> bool:
    return type(number) is int and number > 0


def _are_texts(texts: object) -> bool:
    return isinstance(texts, list) and all(isinstance(text, str) for text in texts)


def _are_gpus(requests: object) -> bool:
    return isinstance(requests, list) and all(
        isinstance(request, dict)
        and {key for key, value in request.items() if value} <= {"Driver", "DeviceIDs", "Capabilities"}
        and request.get("Driver") == "nvidia"
        and request.get("Capabilities") == [["gpu", "compute", "utility"]]
        for request in requests
    )


def _has_label(labels: object) -> bool:
    """The label must be a JSON object: workers parse it when they look for boxes of dead workers."""
    try:
        return isinstance(labels, dict) and labels.keys() == {LABEL} and isinstance(json.loads(labels[LABEL]), dict)
    except (TypeError, ValueError, RecursionError):
        return False


_CONTAINER: dict[str, Callable[[Any], bool]] = {
    "User": _exactly(f"{GUEST_UID}:{GUEST_UID}"),
    "Hostname": _exactly("box"),
    "WorkingDir": _exactly("/tmp"),
    "StopSignal": _exactly("SIGKILL"),
    "Labels": _has_label,
    "Cmd": _are_texts,
    "Env": _are_texts,
    **dict.fromkeys(("OpenStdin", "StdinOnce", "AttachStdin", "AttachStdout", "AttachStderr"), _exactly(True)),
}
_HOST: dict[str, Callable[[Any], bool]] = {
    "NetworkMode": _exactly("none"),
    "IpcMode": _exactly("none"),
    "ReadonlyRootfs": _exactly(True),
    "AutoRemove": _exactly(True),
    "CapDrop": _exactly(["ALL"]),
    "LogConfig": _exactly({"Type": "none", "Config": {}}),
    "Dns": _exactly(["127.0.0.1"]),
    "DnsSearch": _exactly(["."]),
    "MaskedPaths": _exactly(list(MASKED)),
    "Tmpfs": lambda tmpfs: tmpfs in _TMPFS,
    "DeviceRequests": _are_gpus,
    "Memory": _is_positive,
    "MemorySwap": _is_positive,
    "PidsLimit": _is_positive,
    "CpuShares": _is_positive,
    "OomScoreAdj": _is_positive,
    "CpusetCpus": lambda cores: isinstance(cores, str) and _CORES.fullmatch(cores) is not None,
}
