"""The requests from this server to addresses that others name."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from app.lti.fetch import MAX_BYTES, AddressRefused, AddressRule, Fetcher, PlatformAway, PlatformRefused, Request

LOCAL = AddressRule(private_hosts=frozenset(), is_local=True)
PUBLIC = AddressRule(private_hosts=frozenset({"lms.campus.example"}), is_local=False)


def resolve_to(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """Let every host name have these addresses."""
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443)) for address in addresses]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)


@contextmanager
def answering(*answers: bytes) -> Iterator[str]:
    """A server that gives each connection the next answer."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            for answer in answers:
                connection, _ = server.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"


def fetch(url: str, rule: AddressRule = LOCAL) -> object:
    return Fetcher(rule).fetch(Request(url=url, headers={})).document


@pytest.mark.parametrize(
    "url",
    [
        *("http://lms.example.org/", "ftp://lms.example.org/", "file:///etc/passwd", "lms.example.org", "https://"),
        *("https://user:secret@lms.example.org/", "http://127.0.0.1/", "http://127.0.0.1.evil.example/", "https://[::"),
    ],
)
def test_only_https_is_asked(url: str) -> None:
    with pytest.raises(AddressRefused):
        fetch(url, PUBLIC)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1"),
        *("::1", "fd00::1", "fe80::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "64:ff9b:1::1"),
    ],
)
def test_a_host_with_a_private_address_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    resolve_to(monkeypatch, "93.184.215.14", address)

    with pytest.raises(AddressRefused, match="ALLCLOSE_LTI_PRIVATE_HOSTS"):
        fetch("https://lms.example.org/", PUBLIC)


def test_the_operator_may_list_a_host_with_a_private_address(monkeypatch: pytest.MonkeyPatch) -> None:
    resolve_to(monkeypatch, "127.0.0.1")

    with pytest.raises(PlatformAway, match="does not answer"):
        fetch("https://lms.campus.example:1/", PUBLIC)


def test_the_connection_goes_to_the_address_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second look-up of the name, which an attacker would answer otherwise, never happens."""
    resolve_to(monkeypatch, "127.0.0.1")
    asked: list[tuple[str, int]] = []

    def connect(address: tuple[str, int], *_: object, **__: object) -> socket.socket:
        asked.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(PlatformAway):
        fetch("https://lms.campus.example/", PUBLIC)

    assert asked == [("127.0.0.1", 443)]


def test_a_redirect_is_not_followed() -> None:
    redirect = b"HTTP/1.1 302 Found\r\nLocation: https://other.example/\r\nContent-Length: 0\r\n\r\n"

    with answering(redirect) as url, pytest.raises(PlatformRefused, match="a redirect"):
        fetch(url)


def test_a_long_answer_is_cut_off() -> None:
    long = b"HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n" + b" " * (MAX_BYTES + 1)

    with answering(long) as url, pytest.raises(PlatformRefused, match="more than"):
        fetch(url)


@pytest.mark.parametrize("body", [b"<html>", b"[" * 100_000, b"\xff"])
def test_an_answer_that_is_no_json_is_refused(body: bytes) -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body

    with answering(answer) as url, pytest.raises(PlatformRefused, match="not with JSON"):
        fetch(url)


def test_an_answer_that_asks_to_wait_says_for_how_long() -> None:
    busy = b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n"

    with answering(busy) as url, pytest.raises(PlatformAway) as raised:
        fetch(url)

    assert raised.value.retry_after.total_seconds() == 7
