"""The socket proxy gives a worker its boxes on the host's engine, and nothing that gives control of the host."""

import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest

from sandbox.docker import socket_proxy
from sandbox.docker.box_request import BoxRules, RequestRefused, check_more_memory
from sandbox.docker.engine_client import find_address
from sandbox.docker.launcher import COVERED, MASKED, TMP_OPTIONS, DockerLauncher, DockerOptions, open_docker
from sandbox.docker.orphans import LABEL
from sandbox.docker.seccomp_profile import docker_profile
from sandbox.interface import BoxSpec, SandboxUnavailable
from tests.sandbox.bench import make_request, run_in, value_of
from tests.sandbox.conftest import docker_launcher

IMAGE = "sha256:ours"
CACHE = Path("/data/compilation-cache")
RULES = BoxRules(images=frozenset({IMAGE}), cache=(CACHE, Path("/host/volume")))
BOX: dict[str, Any] = {
    "Image": IMAGE,
    "User": "65532:65532",
    "Labels": {LABEL: "{}"},
    "Cmd": ["/allclose/runtime/bin/python"],
    "NetworkDisabled": False,
    "Entrypoint": None,
    "HostConfig": {
        "NetworkMode": "none",
        "IpcMode": "none",
        "ReadonlyRootfs": True,
        "AutoRemove": True,
        "CapDrop": ["ALL"],
        "LogConfig": {"Type": "none", "Config": {}},
        "MaskedPaths": list(MASKED),
        "SecurityOpt": ["no-new-privileges=true", f"seccomp={docker_profile(namespaces=True)}"],
        "Tmpfs": {"/tmp": TMP_OPTIONS, **COVERED},
        "Mounts": [{"Target": "/cache", "Source": str(CACHE), "Type": "bind", "ReadOnly": True}],
        "Memory": 2**30,
    },
}
WIDER: list[tuple[str, Any]] = [
    ("Image", "alpine"),
    ("User", "0:0"),
    ("Entrypoint", ["/bin/sh"]),
    ("Labels", {}),
    ("Volumes", {"/host": {}}),
    ("hostconfig", {"Privileged": True}),
    ("NetworkingConfig", {"EndpointsConfig": {"bridge": {}}}),
    ("HostConfig.Privileged", True),
    ("HostConfig.Binds", ["/:/host"]),
    ("HostConfig.CapAdd", ["SYS_ADMIN"]),
    ("HostConfig.CapDrop", []),
    ("HostConfig.PidMode", "host"),
    ("HostConfig.IpcMode", "host"),
    ("HostConfig.UsernsMode", "host"),
    ("HostConfig.CgroupParent", "/"),
    ("HostConfig.NetworkMode", "host"),
    ("HostConfig.NetworkMode", None),
    ("HostConfig.Devices", [{"PathOnHost": "/dev/sda", "PathInContainer": "/dev/sda", "CgroupPermissions": "rwm"}]),
    ("HostConfig.DeviceCgroupRules", ["a *:* rwm"]),
    ("HostConfig.DeviceRequests", [{"Driver": "cdi", "DeviceIDs": ["vendor/all"]}]),
    ("HostConfig.VolumesFrom", ["database"]),
    ("HostConfig.ReadonlyRootfs", False),
    ("HostConfig.MaskedPaths", []),
    ("HostConfig.ReadonlyPaths", ["/nowhere"]),
    ("HostConfig.Sysctls", {"kernel.core_pattern": "|/tmp/x"}),
    ("HostConfig.Runtime", "another"),
    ("HostConfig.RestartPolicy", {"Name": "always"}),
    ("HostConfig.LogConfig", {"Type": "syslog", "Config": {"syslog-address": "tcp://elsewhere"}}),
    ("HostConfig.SecurityOpt", ["no-new-privileges=true", "seccomp=unconfined"]),
    ("HostConfig.SecurityOpt", [f"seccomp={docker_profile(namespaces=True)}"]),
    ("HostConfig.SecurityOpt", [*BOX["HostConfig"]["SecurityOpt"], "apparmor=unconfined"]),
    ("HostConfig.Tmpfs", {"/tmp": "exec"}),
    ("HostConfig.Mounts", [{"Target": "/host", "Source": "/", "Type": "bind", "ReadOnly": True}]),
    ("HostConfig.Mounts", [{"Target": "/cache", "Source": str(CACHE), "Type": "bind", "ReadOnly": False}]),
    ("HostConfig.Mounts", [{"Target": "/cache", "Source": f"{CACHE}/../..", "Type": "bind", "ReadOnly": True}]),
]


def _with(place: str, value: object) -> bytes:
    asked = deepcopy(BOX)
    *parents, key = place.split(".")
    (asked[parents[0]] if parents else asked)[key] = value
    return json.dumps(asked).encode()


def test_a_box_passes_and_its_cache_is_where_the_host_has_it() -> None:
    written = json.loads(RULES.check(json.dumps(BOX).encode()))

    assert written["HostConfig"]["Mounts"][0]["Source"] == "/host/volume"
    assert written["HostConfig"]["SecurityOpt"] == BOX["HostConfig"]["SecurityOpt"]
    assert "Entrypoint" not in written


@pytest.mark.parametrize(("place", "value"), WIDER, ids=lambda part: str(part)[:60])
def test_a_container_that_is_more_than_a_box_is_refused(place: str, value: object) -> None:
    with pytest.raises(RequestRefused, match=place.split(".")[-1]):
        RULES.check(_with(place, value))


@pytest.mark.parametrize(
    ("key", "value"), [("Runtime", None), ("SecurityOpt", BOX["HostConfig"]["SecurityOpt"])], ids=["runtime", "profile"]
)
def test_a_box_without_the_options_that_the_operator_demands_is_refused(key: str, value: object) -> None:
    strict = replace(RULES, runtime="runsc", apparmor="strict")
    demanded = [*BOX["HostConfig"]["SecurityOpt"], "apparmor=strict"]
    box = {**BOX, "HostConfig": {**BOX["HostConfig"], "Runtime": "runsc", "SecurityOpt": demanded}}
    strict.check(json.dumps(box).encode())

    with pytest.raises(RequestRefused, match=key):
        strict.check(json.dumps({**box, "HostConfig": {**box["HostConfig"], key: value}}).encode())


def test_of_a_key_that_is_named_twice_the_checked_one_is_sent() -> None:
    text = json.dumps(BOX).replace('"User": ', '"User": "0:0", "User": ')

    assert json.loads(RULES.check(text.encode()))["User"] == "65532:65532"
    assert b"0:0" not in RULES.check(text.encode())


def test_a_running_box_gets_more_memory_and_no_device() -> None:
    assert json.loads(check_more_memory(b'{"Memory": 5, "MemorySwap": 5}')) == {"Memory": 5, "MemorySwap": 5}
    with pytest.raises(RequestRefused, match="Devices"):
        check_more_memory(b'{"Memory": 5, "Devices": [{"PathOnHost": "/dev/sda"}]}')


@pytest.fixture(scope="module")
def direct() -> DockerLauncher:
    """A connection to the engine itself; skips without one."""
    launcher = docker_launcher("any")
    if not (find_address() or "").startswith("unix://"):
        pytest.skip("the socket proxy speaks to an engine's Unix socket")
    return launcher


@pytest.fixture(scope="module")
def gate_socket(direct: DockerLauncher, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("engine") / "docker.sock"
    engine = socket_proxy.Engine((find_address() or "").removeprefix("unix://"))
    gate = socket_proxy.Gate(engine, (direct.options.cpu_image, direct.options.cuda_image))
    with socket_proxy.serve(gate, path) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield path
        server.shutdown()


@pytest.fixture
def beside(direct: DockerLauncher) -> Iterator[str]:
    """A container that is not a box, and was never started."""
    name = f"allclose-test-{token_hex(4)}"
    made = direct.engine.containers.create(direct.image.removeprefix("docker:"), ["true"], name=name)
    yield name
    made.remove(force=True)


def _ask(path: Path, text: str) -> str:
    """Send the text and return the whole answer."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(60)
        connection.connect(str(path))
        connection.sendall(text.replace("\n", "\r\n").encode())
        answer = b""
        with suppress(ConnectionResetError):  # something of it was left unread
            while piece := connection.recv(65536):
                answer += piece
        return answer.decode()


def test_a_box_is_opened_used_and_closed_through_the_proxy(
    direct: DockerLauncher, gate_socket: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{gate_socket}")

    launcher = open_docker(direct.options)
    box = launcher.launch(BoxSpec(()))
    outcome = run_in(box, make_request("def solve(x):\n    return x + 1\n", {"x": 41}))
    box.close()

    assert value_of(outcome.cases[0]) == 42
    assert all(each.name != box.name for each in direct.engine.containers.list(all=True, ignore_removed=True))


def test_a_box_is_asked_for_by_its_whole_id_and_what_is_not_known_for_nothing(
    direct: DockerLauncher, gate_socket: Path
) -> None:
    gate = socket_proxy.Gate(socket_proxy.Engine((find_address() or "").removeprefix("unix://")), ("allclose-cpu",))
    box = direct.launch(BoxSpec(()))
    name = direct.engine.containers.list(filters={"label": LABEL})[0].name

    _, target = gate.find("POST", f"/v1.41/containers/{name}/attach?stream=1")
    answer = _ask(gate_socket, "DELETE /containers/nothing-of-this-name?force=1 HTTP/1.1\nHost: docker\n\n")
    box.close()

    assert re.fullmatch(r"/v1\.41/containers/[0-9a-f]{64}/attach\?stream=1", target)
    assert "No such container: nothing-of-this-name" in answer
    with pytest.raises(RequestRefused, match="semicolon"):
        gate.find("GET", "/containers/json?limit=1;filters={}")


def test_other_images_are_no_images(gate_socket: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{gate_socket}")

    with pytest.raises(SandboxUnavailable, match="the socket proxy refuses"):
        open_docker(DockerOptions(cpu_image="postgres"))


@pytest.mark.parametrize(
    "request_line",
    [
        "GET /containers/{}/json",
        "POST /containers/{}/attach?stdin=1&stream=1",
        "POST /containers/{}/start",
        "POST /containers/{}/update",
        "POST /containers/{}/exec",
        "POST /containers/{}/rename?name=allclose-000000000000",
        "DELETE /containers/{}?force=true",
        "GET /containers/{}/archive?path=/",
        "GET /containers/json",
        "GET /containers/json?all=1&filters=%7B%22name%22%3A%5B%22x%22%5D%7D",
        "POST /containers/create?name={}",
        "POST /containers/create?name=allclose-000000000000",
        "POST /images/create?fromImage=alpine",
        "POST /build",
        "POST /volumes/create",
        "POST /swarm/init",
        "POST /commit?container={}",
        "GET /v1.41/../containers/{}/json",
        "GET /%63ontainers/json",
        "GET http://docker/containers/json",
        "POST /grpc",
    ],
)
def test_requests_that_no_worker_needs_are_refused(gate_socket: Path, beside: str, request_line: str) -> None:
    answer = _ask(gate_socket, f"{request_line.format(beside)} HTTP/1.1\nHost: docker\nContent-Length: 2\n\n{{}}")

    assert " 403 " in answer.splitlines()[0], answer
    assert "the socket proxy refuses" in answer


@pytest.mark.parametrize("first", ["GET /_ping", "POST /containers/allclose-ffffffffffff/attach?stdin=1&stream=1"])
def test_nothing_follows_a_request_that_was_checked(
    direct: DockerLauncher, gate_socket: Path, beside: str, first: str
) -> None:
    heads = f"{first} HTTP/1.1\nHost: docker\nConnection: Upgrade\nUpgrade: tcp\n\n"
    removal = f"DELETE /containers/{beside}?force=1 HTTP/1.1\nHost: docker\n\n"

    answer = _ask(gate_socket, heads + removal)

    assert answer.count("HTTP/1.0 ") == 1
    assert direct.engine.containers.get(beside).name == beside


def test_a_body_of_unknown_length_is_refused(gate_socket: Path) -> None:
    head = "POST /containers/create HTTP/1.1\nHost: docker\nTransfer-Encoding: chunked\n\n"

    assert "the body needs a Content-Length" in _ask(gate_socket, head + "2\n{}\n0\n\n")
