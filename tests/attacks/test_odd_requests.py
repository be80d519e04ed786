"""Requests that no browser sends: each is answered quickly, and the answer shows nothing of the server's internals."""

import re
import socket
from contextlib import ExitStack
from urllib.parse import quote, urlsplit

import pytest

from app.api import request_limits
from app.limits import MAX_BODY_BYTES
from tests.attacks.conftest import PASSWORD, SLUG, Site

SCRIPT = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
RAW = re.compile(r"<script>alert|<img src=x")
HALF_SENT = 150


@pytest.mark.parametrize(
    "path",
    ["/static/..%2f..%2f..%2fpyproject.toml", "/static/%2e%2e/render.py", "/static//etc/passwd", "/static/a%00b"],
)
def test_no_file_outside_of_static_is_served(site: Site, path: str) -> None:
    assert site.browser().get(path).status_code == 404


@pytest.mark.parametrize("target", ["//evil.example", "/%5cevil.example", "https:evil.example", "/\r\nSet-Cookie: a=b"])
def test_signing_in_leads_nowhere_else(site: Site, target: str) -> None:
    victim = site.user(password=PASSWORD)
    form = {"username": victim.name, "password": PASSWORD, "next": target}

    answer = site.browser().post("/sign-in", data=form)

    assert urlsplit(answer.headers["location"])[:2] == ("", "")
    assert not answer.headers["location"].startswith(("//", "/\\"))
    cookies = [each.split("=")[0] for each in answer.headers.get_list("set-cookie")]
    assert cookies == ["allclose_session", "allclose_browser"]


def test_a_host_that_the_client_names_is_in_no_answer(site: Site) -> None:
    admin = site.user("admin")
    forged = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example"}

    link = admin.browser.post(f"/admin/users/{site.user().id}/reset-link", headers=forged)
    answers = [
        link,
        admin.token.get("/openapi.json", headers=forged),
        site.browser().get("/admin/users", headers=forged),
        site.browser().get("/", headers=forged),
    ]

    assert link.status_code == 201
    assert not any("evil.example" in answer.text + str(answer.headers) for answer in answers)


def test_a_script_that_was_stored_is_text_on_every_page(site: Site) -> None:
    admin, victim = site.user("admin", password=PASSWORD), site.user()
    admin.token.patch("/settings", json={"announcement": SCRIPT}).raise_for_status()
    invited = {"role": "student", "days": "7", "note": SCRIPT, "email": '"><img/src=x>@x.example'}
    admin.browser.post("/admin/invitations", data=invited).raise_for_status()
    form = {"token_name": SCRIPT, "everything": "true", "token_password": PASSWORD}
    admin.browser.post("/account/tokens", data=form).raise_for_status()
    sent = victim.token.post(f"/problems/{SLUG}/submissions", json={"source": f"x = '''{SCRIPT}'''"}).json()["id"]
    asked = quote(SCRIPT)
    pages = ["/", "/problems", f"/problems?q={asked}", f"/nothing/{asked}", f"/sign-in?next={asked}", "/account"]
    pages += [f"/submissions/{sent}", f"/submissions/{sent}/result", f"/submissions/{sent}/diff"]
    pages += [f"/admin/{name}" for name in ("users", "invitations", "audit", "settings", "submissions", "rejudgings")]
    pages += [
        f"/admin/users?q={asked}",
        f"/admin/audit?actor={asked}&action={asked}",
        f"/admin/submissions?user={asked}",
    ]

    for path in pages:
        answer = admin.browser.get(path)
        assert answer.status_code in (200, 404, 422), path
        assert not RAW.search(answer.text), path
        assert answer.headers["cache-control"] == "no-store", path
        assert "default-src 'self'" in answer.headers["content-security-policy"], path


def test_metrics_and_health_checks_tell_strangers_nothing(site: Site) -> None:
    student = site.user()
    for client in (site.client(), student.token):
        assert client.get(f"{site.url}/metrics").status_code in (401, 403)
    assert site.browser().get("/healthz").json() == {"status": "ok"}
    assert set(site.browser().get("/readyz").json()["checks"]) == {"database", "schema", "worker"}


def test_unfinished_bodies_do_not_delay_other_requests(site: Site) -> None:
    address = urlsplit(site.url)
    kind = b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 900\r\n\r\n"
    head = b"POST /sign-in HTTP/1.1\r\nHost: x\r\n" + kind
    with ExitStack() as stack:
        for _ in range(HALF_SENT):
            client = stack.enter_context(socket.create_connection((address.hostname, address.port)))
            client.sendall(head + b"username=a")

        assert site.browser().get("/").status_code == 200


@pytest.mark.parametrize(
    ("path", "kind", "sent"),
    [
        ("/sign-in", "application/x-www-form-urlencoded", b"username=a"),
        ("/api/v1/tokens", "application/json", b'{"username": "a'),
    ],
)
def test_a_body_that_does_not_arrive_ends_its_connection(
    site: Site, monkeypatch: pytest.MonkeyPatch, path: str, kind: str, sent: bytes
) -> None:
    monkeypatch.setattr(request_limits, "BODY_SECONDS", 0.3)
    address = urlsplit(site.url)
    head = f"POST {path} HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Type: {kind}\r\nContent-Length: 99\r\n\r\n"

    with socket.create_connection((address.hostname, address.port), timeout=10) as client:
        client.sendall(head.encode() + sent)
        answer = b"".join(iter(lambda: client.recv(4096), b""))

    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"of the body arrived in time" in answer


def test_a_form_of_escapes_is_refused_before_it_is_decoded(site: Site) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded", "Origin": site.url}
    browser = site.user().browser

    many = browser.post(f"/problems/{SLUG}/submissions", content=b"source=" + b"%" * 400_000, headers=form)
    usual = browser.post(f"/problems/{SLUG}/submissions", data={"source": "# é\n" * 20_000}, headers=form)

    assert many.status_code == 413
    assert "more than 300000 escaped bytes" in many.text
    assert usual.status_code != 413


def test_only_packages_may_have_large_bodies(site: Site) -> None:
    author, large = site.user("author"), b"a" * (MAX_BODY_BYTES + 1)
    form = {"Content-Type": "application/x-www-form-urlencoded", "Origin": site.url}
    files = form | {"Content-Type": "multipart/form-data; boundary=b"}

    settings = author.token.patch("/settings", content=large)
    package = author.token.put("/problems/unknown", content=large)
    escaped, parts = (author.browser.post("/author/check", content=large, headers=kind) for kind in (form, files))

    assert (settings.status_code, escaped.status_code) == (413, 413)
    assert 413 not in (package.status_code, parts.status_code)
