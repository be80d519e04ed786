"""A Unix socket through which workers can use the host's engine for their boxes only.

    python -m sandbox.docker.socket_proxy SOCKET

`Gate` lists the requests that may pass; they concern containers with a box's label. `box_request.py` checks the
definition of a new container. Each connection carries one request, so that no unchecked request can follow a checked
one. A worker in a container sees its cache at another path than the host does. CACHE is the path where this proxy and
the workers mount the same volume. The proxy asks the engine for the volume's path on the host and replaces CACHE by it.
"""

import http.client
import json
import logging
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingUnixStreamServer
from typing import Any
from urllib.parse import parse_qs, quote

from sandbox.docker.box_request import BoxRules, RequestRefused, check_more_memory
from sandbox.docker.orphans import LABEL

ENGINE = "/var/run/docker.sock"
ANSWER_SECONDS = 60
BODY_BYTES = 2**20
PIECE_BYTES = 2**16
GUEST = "/allclose/sandbox/guest"
_VERSION = r"(?:/v1\.\d{1,3})?"
_BOX = r"/containers/(?P<box>[A-Za-z0-9][A-Za-z0-9_.-]{0,127})"
_NAME = re.compile(r"allclose-[0-9a-f]{12}")

_log = logging.getLogger("socket_proxy")


class Engine:
    """The host's engine, reached by its socket. Raises OSError."""

    def __init__(self, path: str = ENGINE) -> None:
        self.path = path

    def connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(ANSWER_SECONDS)
        connection.connect(self.path)
        return connection

    def ask(self, method: str, path: str, body: bytes | None = None) -> tuple[int, str, bytes]:
        """Return the status, content type and body of the answer."""
        connection = http.client.HTTPConnection("docker", timeout=ANSWER_SECONDS)
        connection.sock = self.connect()
        try:
            headers = {"Connection": "close"} | ({} if body is None else {"Content-Type": "application/json"})
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.getheader("Content-Type", "application/json"), answer.read()
        finally:
            connection.close()

    def find(self, path: str) -> dict[str, Any] | None:
        status, _, answer = self.ask("GET", path)
        return json.loads(answer) if status == 200 else None


class NoSuchBox(Exception):
    """The engine has no container of this name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineCall:
    """A request that may pass. `query`: a check for each parameter. `body`: checks the body and writes it again."""

    method: str
    path: re.Pattern[str]
    query: dict[str, Callable[[str], bool]] = field(default_factory=dict)
    body: Callable[[bytes], bytes] | None = None
    is_attaching: bool = False


class Gate:
    """Decides which requests pass. `images` are names, so an image that is built later is recognised."""

    def __init__(
        self, engine: Engine, images: tuple[str, ...], cache: tuple[Path, Path] | None = None, **own: str | None
    ) -> None:
        self.engine, self._images, self._cache, self._own = engine, images, cache, own
        images_here = "|".join(map(re.escape, images))
        call = partial(_call, images_here)
        self._calls = (
            call("GET", "/_ping"),
            call("GET", "/version"),
            call("GET", "/info"),
            call("GET", "/images/(?:{images})/json"),
            call("GET", "/containers/json", query={"filters": _asks_for_boxes, "all": _any, **_LIST}),
            call("POST", "/containers/create", query={"name": _is_name}, body=self._check_box),
            call("GET", "{box}/json"),
            call("GET", "{box}/archive", query={"path": GUEST.__eq__}),
            call("POST", "{box}/start", body=_nothing),
            call("POST", "{box}/update", body=check_more_memory),
            call("POST", "{box}/attach", query=dict.fromkeys(("stdin", "stdout", "stderr", "stream", "logs"), _any)),
            call("DELETE", "{box}", query={"v": _any, "force": _any, "link": _is_false}),
        )

    def find(self, method: str, target: str) -> tuple[EngineCall, str]:
        """Return the call that matches the request, and the target with the box's full ID. Raises RequestRefused."""
        path, _, query = target.partition("?")
        if ";" in query:  # some engines treated it as `&`
            raise RequestRefused("a query must not contain a semicolon")
        for call in self._calls:
            found = call.path.fullmatch(path) if call.method == method else None
            if found is None:
                continue
            for name, values in parse_qs(query, keep_blank_values=True).items():
                if name not in call.query or not all(map(call.query[name], values)):
                    raise RequestRefused(f"{path} does not accept this value of {name}")
            if "filters" in call.query and "filters" not in parse_qs(query):
                raise RequestRefused("only boxes can be listed")
            if box := found.groupdict().get("box"):
                target = target[: found.start("box")] + self._id_of_box(box) + target[found.end("box") :]
            return call, target
        raise RequestRefused(f"{method} {path} is not allowed for workers")

    def _check_box(self, body: bytes) -> bytes:
        found = (self.engine.find(f"/images/{quote(name)}/json") for name in self._images)
        ids = frozenset(str(image["Id"]) for image in found if image is not None)
        return BoxRules(images=ids, cache=self._cache, **self._own).check(body)

    def _id_of_box(self, name: str) -> str:
        """Return the full ID: the engine may give the name to another container. Raises NoSuchBox, RequestRefused."""
        container = self.engine.find(f"/containers/{name}/json")
        if container is None:
            raise NoSuchBox(name)
        if LABEL not in (container["Config"]["Labels"] or {}):
            raise RequestRefused(f"{name} is not a box")
        return str(container["Id"])


def _call(images: str, method: str, path: str, **rules: Any) -> EngineCall:
    pattern = _VERSION + path.replace("{images}", images).replace("{box}", _BOX)
    return EngineCall(method=method, path=re.compile(pattern), is_attaching=path.endswith("/attach"), **rules)


def _any(_: str) -> bool:
    return True


_LIST: dict[str, Callable[[str], bool]] = dict.fromkeys(("limit", "size", "trunc_cmd"), _any)


def _is_false(value: str) -> bool:
    return value.lower() in ("", "0", "false")


def _is_name(value: str) -> bool:
    return _NAME.fullmatch(value) is not None


def _asks_for_boxes(value: str) -> bool:
    return value == json.dumps({"label": [LABEL]})


def _nothing(body: bytes) -> bytes:
    """Engines once accepted a new configuration with the start."""
    if body.strip() not in (b"", b"{}", b"null"):
        raise RequestRefused("a start must not have a body")
    return b""


class _Handler(BaseHTTPRequestHandler):
    """Handles one HTTP/1.0 request per connection, and reads no byte beyond it."""

    rbufsize = 0
    gate: Gate

    def handle_one_request(self) -> None:
        # http.server dispatches to do_GET and the like; here one function handles all methods.
        self.raw_requestline = self.rfile.readline(PIECE_BYTES + 1)
        if not self.raw_requestline or not self.parse_request():
            return
        try:
            self._pass_on()
        except RequestRefused as refusal:
            _log.warning("refused: %s", refusal)
            self._answer(
                403, "application/json", json.dumps({"message": f"the socket proxy refuses: {refusal}"}).encode()
            )
        except NoSuchBox as missing:
            self._answer(404, "application/json", json.dumps({"message": f"No such container: {missing}"}).encode())
        except (OSError, http.client.HTTPException) as error:
            text = f"the socket proxy can't reach the engine ({error}): transport"
            self._answer(503, "application/json", json.dumps({"message": text}).encode())

    def _pass_on(self) -> None:
        body = self._read_body()
        call, target = self.gate.find(self.command, self.path)
        if call.is_attaching:
            self._attach(target)
            return
        if call.body is None and body:
            raise RequestRefused("this call must not have a body")
        sent = None if call.body is None else call.body(body)
        self._answer(*self.gate.engine.ask(self.command, target, sent))

    def _read_body(self) -> bytes:
        if self.headers.get("Transfer-Encoding"):
            raise RequestRefused("the body needs a Content-Length")
        length = self.headers.get("Content-Length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > BODY_BYTES:
            raise RequestRefused(f"the body may have at most {BODY_BYTES} bytes")
        body = bytearray()
        while len(body) < int(length):
            part = self.rfile.read(int(length) - len(body))
            if not part:
                raise RequestRefused("the body is incomplete")
            body += part
        return bytes(body)

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        with suppress(OSError):  # the worker has closed the connection
            self.send_response_only(status)
            self.send_header("Content-Type", kind)
            if status not in (204, 304):
                self.send_header("Content-Length", str(len(body)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)

    def _attach(self, target: str) -> None:
        """Forward both directions once the engine has confirmed the upgrade."""
        with self.gate.engine.connect() as engine:
            head = f"POST {target} HTTP/1.1\r\nHost: docker\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n"
            engine.sendall(head.encode("ascii"))
            answer = b""
            while not answer.endswith(b"\r\n\r\n"):
                part = engine.recv(1)
                if not part or len(answer) > PIECE_BYTES:
                    raise OSError("the engine's answer has no end")
                answer += part
            status = int(answer.split(b" ", 2)[1])
            if status != 101:
                self._answer(status, "application/json", b'{"message": "there is no such box to attach to"}')
                return
            self.connection.sendall(answer)
            _copy_both_ways(self.connection, engine)

    def log_message(self, *_: object) -> None:
        """Silence the default log: only refusals are logged."""


def _copy_both_ways(worker: socket.socket, engine: socket.socket) -> None:
    """Copy until either side ends: a box ends with its worker's connection."""
    worker.settimeout(None)
    engine.settimeout(None)
    threading.Thread(target=_copy, args=(engine, worker), daemon=True).start()
    _copy(worker, engine)


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(PIECE_BYTES):
            target.sendall(piece)
    for connection in (source, target):
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)


class _Server(ThreadingUnixStreamServer):
    daemon_threads = True
    request_queue_size = 128


def serve(gate: Gate, path: Path) -> _Server:
    """Listen on `path`. Any process that sees the socket may use it, so only workers mount its folder."""
    path.unlink(missing_ok=True)
    server = _Server(str(path), type("Handler", (_Handler,), {"gate": gate}))
    path.chmod(0o666)
    return server


def find_on_host(engine: Engine, folder: Path) -> Path:
    """Return the host path of the volume mounted at `folder` in this container. Raises LookupError."""
    container = engine.find(f"/containers/{socket.gethostname()}/json")
    for mount in (container or {}).get("Mounts", ()):
        if mount["Destination"] == str(folder):
            return Path(mount["Source"])
    raise LookupError(f"the engine has no container {socket.gethostname()} with a volume at {folder}")


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    engine = Engine()
    images = (
        os.environ.get("ALLCLOSE_IMAGE_CPU", "allclose-cpu"),
        os.environ.get("ALLCLOSE_IMAGE_CUDA", "allclose-cuda"),
    )
    folder = os.environ.get("CACHE")
    cache = None if folder is None else (Path(folder), find_on_host(engine, Path(folder)))
    own = {name: os.environ.get(f"ALLCLOSE_DOCKER_{name.upper()}") for name in ("runtime", "apparmor")}
    with serve(Gate(engine, images, cache, **own), Path(sys.argv[1])) as server, suppress(KeyboardInterrupt):
        _log.info("Workers may make boxes of %s through %s", " and ".join(images), sys.argv[1])
        server.serve_forever()


if __name__ == "__main__":
    main()
