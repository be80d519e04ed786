"""The provider's side of single sign-on, and visits to it."""

import subprocess
from typing import Any

import httpx
from fastapi.testclient import TestClient

SITE = "http://testserver"


class Away:
    """The provider's side."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.process = process
        self.issuer = process.stdout.readline().strip()

    def says(self, **changes: Any) -> None:
        httpx.post(f"{self.issuer}/test", json=changes).raise_for_status()

    def visit(self, url: str) -> str:
        """Visit the provider, and return the path on Allclose to which it sends the browser back."""
        back = httpx.get(url).headers["location"]
        assert back.startswith(f"{SITE}/sign-in/oidc/callback?")
        return back.removeprefix(SITE)


def begin(browser: TestClient, path: str = "/sign-in/oidc") -> str:
    answer = browser.get(path)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def sign_in(browser: TestClient, provider: Away, path: str = "/sign-in/oidc") -> httpx.Response:
    answer: httpx.Response = browser.get(provider.visit(begin(browser, path)))
    return answer


def begin_link(browser: TestClient) -> str:
    page = browser.post("/account/identities")
    assert page.status_code == 200
    delay, _, url = page.headers["refresh"].partition(";url=")
    assert delay == "0"
    return str(url)
