"""Guessing and crowding out: from many addresses of one network, and with the e-mail address of another user."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from app.accounts.model import User
from app.accounts.password_reset import MAX_ACCOUNTS
from app.limits import network_of
from tests.attacks.conftest import PASSWORD, Site

# Seconds for the outbox's thread, on a busy machine.
SOON = 30
# A client that waits this many seconds for an answer gets none from a sign-in that is slowed down.
WAITS = 6.0


def assert_slowed_down(guess: Callable[[int], int]) -> None:
    """Ten guesses and the first slow one are answered at once. The next one waits 10 s."""
    assert [guess(number) for number in range(1, 12)] == [401] * 11
    with pytest.raises(httpx.ReadTimeout):
        guess(12)


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("unknown", "unknown"),
    ],
)
def test_an_ipv6_address_counts_as_its_network(address: str, network: str) -> None:
    assert network_of(address) == network


@pytest.mark.parametrize(
    ("address", "spelling"),
    [
        pytest.param("198.51.100.1, 2001:db8::{:x}", "{}", id="of the same network"),
        pytest.param("203.0.113.{}, 198.51.100.7", " {}\t", id="forged"),
    ],
)
def test_another_client_address_is_no_new_chance_to_guess(site: Site, address: str, spelling: str) -> None:
    """The server trusts its proxy on the loopback interface, which says that each guess came from another address."""
    name = spelling.format(site.user().name.upper())

    def guess(number: int) -> int:
        headers = {"X-Forwarded-For": address.format(number), "X-Real-IP": f"203.0.113.{number}"}
        wrong = {"username": name, "password": f"wrong {number}"}
        return site.client().post("/tokens", json=wrong, headers=headers, timeout=WAITS).status_code

    assert_slowed_down(guess)


def test_later_accounts_with_the_same_email_do_not_crowd_out_its_first_owner(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    victim = site.user()
    with site.database.transaction() as session:
        owner = session.get_one(User, victim.id)
        owner.email, owner.created_at = "ada@example.org", datetime.now(UTC) - timedelta(days=1)
    for number in range(MAX_ACCOUNTS * 2):
        new = {"username": f"crowd-{number}", "password": PASSWORD, "email": "ada@example.org"}
        assert site.client().post("/users", json=new).status_code == 201

    assert site.browser().post("/forgot-password", data={"account": "ada@example.org"}).status_code == 200

    deadline = time.monotonic() + SOON
    while victim.name not in caplog.text and time.monotonic() < deadline:
        time.sleep(0.05)
    assert f"{victim.name} asks for a new password" in caplog.text
