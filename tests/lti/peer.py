"""The learning platform of the tests, and a browser that walks between it and Allclose.

Its packages are installed once, into an environment of its own below `build/`. They are under AGPL, and nothing imports
them here.
"""

import base64
import html
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fcntl import LOCK_EX, flock
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from tests.lacking import do_without

PACKAGES = ("lti-consumer-xblock==11.4.4", "cryptography")
ENVIRONMENT = Path(__file__).parents[2] / "build" / "lti-peer"
CONTEXT = "course-v1:uni+ML+2026"
PROCESS = Path(__file__).parent / "peer_process.py"
HIDDEN = re.compile(r'<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"')


@cache
def install() -> Path:
    """Return the platform's Python. Skips the test where its packages can't be installed."""
    python = ENVIRONMENT / "bin" / "python"
    ENVIRONMENT.parent.mkdir(exist_ok=True)
    with (ENVIRONMENT.parent / "lti-peer.lock").open("w") as file:
        flock(file, LOCK_EX)  # several processes share a run of the tests
        done = ENVIRONMENT / "done"
        if not done.exists() or done.read_text() != str(PACKAGES):
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)], check=True)
            pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES]
            installed = subprocess.run(pip, capture_output=True, text=True)
            if installed.returncode:
                do_without(f"needs {PACKAGES[0]}, the learning platform: {installed.stderr[-300:]}")
            done.write_text(str(PACKAGES))
    return python


@dataclass
class Peer:
    url: str

    def ask(self, path: str, **query: object) -> Any:
        return httpx.get(f"{self.url}/{path}", params=query, timeout=30).raise_for_status().json()  # type: ignore[arg-type]

    def sign(self, claims: dict[str, Any]) -> str:
        return str(httpx.post(f"{self.url}/sign", json=claims, timeout=30).raise_for_status().json()["token"])


@contextmanager
def running(tool: str) -> Iterator[Peer]:
    """The platform, in which Allclose at `tool` is installed."""
    port = find_port()
    command = [str(install()), str(PROCESS), str(port), tool]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ALLCLOSE", "PYTHON"))}
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    )
    assert process.stdout is not None
    try:
        assert "ready" in process.stdout.readline()
        yield Peer(f"http://127.0.0.1:{port}")
    finally:
        process.kill()
        process.wait()


def find_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@dataclass
class Walk:
    """One browser: its cookies for Allclose, and what it sends. A form of another site brings no lax cookie."""

    tool: str
    cookies: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self._send("GET", path, headers, self.cookies)

    def post(self, path: str, form: dict[str, str], *, is_foreign: bool = False) -> httpx.Response:
        site = "cross-site" if is_foreign else "same-origin"
        sent = {
            name: value for name, value in self.cookies.items() if not is_foreign or name.startswith("allclose_lti")
        }
        return self._send("POST", path, {"Sec-Fetch-Site": site}, sent, form)

    def _send(
        self,
        method: str,
        path: str,
        headers: dict[str, str],
        cookies: dict[str, str],
        form: dict[str, str] | None = None,
    ) -> httpx.Response:
        url = path if path.startswith("http") else f"{self.tool}{path}"
        said = "; ".join(f"{name}={value}" for name, value in cookies.items())
        sent = {**self.headers, **headers, **({"Cookie": said} if said else {})}
        answer = httpx.request(method, url, headers=sent, data=form, timeout=60)
        for line in answer.headers.get_list("set-cookie"):
            name, _, value = line.partition(";")[0].partition("=")
            if "Max-Age=0" in line or value in ("", '""'):
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        return answer

    def log_in(self, peer: Peer, **asked: str) -> tuple[str, dict[str, str]]:
        """Follow a link in the platform. Return its address at the platform and the form that it sends back."""
        login = peer.ask("start", json=1, **asked)["address"]
        answer = self.get(login)
        assert answer.status_code == 303, answer.text
        return answer.headers["location"], read_form(httpx.get(answer.headers["location"], timeout=30).text)

    def launch(self, peer: Peer, **asked: str) -> httpx.Response:
        """Follow a link in the platform, up to the first page here that is no redirect."""
        _, form = self.log_in(peer, **asked)
        return self.follow(self.post("/lti/launch", form, is_foreign=True))

    def follow(self, answer: httpx.Response) -> httpx.Response:
        while answer.status_code == 303:
            answer = self.get(answer.headers["location"])
        return answer


def read_form(page: str) -> dict[str, str]:
    return {html.unescape(name): html.unescape(value) for name, value in HIDDEN.findall(page)}


def read_claims(token: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    return found
