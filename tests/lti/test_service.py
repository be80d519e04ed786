"""The public keys of a platform: how often it is asked for them."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from time import monotonic

import pytest
from joserfc.jwk import RSAKey

from app.lti import service
from app.lti.fetch import AddressRule, PlatformAway
from app.lti.model import Platform
from app.lti.service import ASK_AGAIN_SECONDS, KEYS_SECONDS, PlatformClient

PUBLIC = RSAKey.generate_key(2048).as_dict(private=False)


class KeyServer(HTTPServer):
    """Publishes keys with these IDs; without any it is away."""

    asked = 0
    key_ids: tuple[str, ...] = ("first",)


class Answer(BaseHTTPRequestHandler):
    server: KeyServer

    def do_GET(self) -> None:
        self.server.asked += 1
        self.send_response(200 if self.server.key_ids else 503)
        self.end_headers()
        self.wfile.write(json.dumps({"keys": [{**PUBLIC, "kid": each} for each in self.server.key_ids]}).encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[KeyServer]:
    with KeyServer(("127.0.0.1", 0), Answer) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def platform(server: KeyServer) -> Platform:
    return Platform(name="Peer", keys_url=f"http://127.0.0.1:{server.server_port}/")


@pytest.fixture
def client() -> PlatformClient:
    return PlatformClient(AddressRule(private_hosts=frozenset(), is_local=True), lambda _: "")


def pass_time(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setattr(service, "monotonic", lambda: monotonic() + seconds)


def test_keys_are_kept_for_an_hour(
    client: PlatformClient, platform: Platform, server: KeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        assert client.find_key(platform, "first") is not None
    in_the_hour = server.asked
    pass_time(monkeypatch, KEYS_SECONDS)
    client.find_key(platform, "first")

    assert (in_the_hour, server.asked) == (1, 2)


def test_an_unknown_key_asks_once_a_minute_and_finds_a_new_one(
    client: PlatformClient, platform: Platform, server: KeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.find_key(platform, "first")
    server.key_ids = ("first", "second")

    within_the_minute = [client.find_key(platform, "second") for _ in range(3)]
    pass_time(monkeypatch, ASK_AGAIN_SECONDS)

    assert within_the_minute == [None] * 3
    assert client.find_key(platform, "second") is not None
    assert server.asked == 2


def test_a_platform_that_is_away_is_asked_once_a_minute(
    client: PlatformClient, platform: Platform, server: KeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.key_ids = ()
    for _ in range(3):
        with pytest.raises(PlatformAway):
            client.find_key(platform, "first")
    in_the_minute, server.key_ids = server.asked, ("first",)
    pass_time(monkeypatch, ASK_AGAIN_SECONDS)

    assert in_the_minute == 1
    assert client.find_key(platform, "first") is not None


def test_old_keys_hold_while_the_platform_is_away(
    client: PlatformClient, platform: Platform, server: KeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.find_key(platform, "first")
    server.key_ids = ()
    pass_time(monkeypatch, KEYS_SECONDS)

    assert client.find_key(platform, "first") is not None
