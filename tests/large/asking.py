"""A client that requests a list of addresses in turn: pages with a cookie, the API with a token."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx

from app.web.visit import COOKIE
from tests.large.address import Address
from tests.large.fill import SignedInUser

PATIENCE = 120


@dataclass(frozen=True, slots=True)
class Asker:
    who: SignedInUser
    client: httpx.Client

    def ask(self, address: Address) -> httpx.Response:
        """Request the address, and assert that the server does not fail. Other errors are allowed."""
        token, cookie = {"Authorization": f"Bearer {self.who.token}"}, {"Cookie": f"{COOKIE}={self.who.cookie}"}
        answer = self.client.get(address.url, headers=token if address.is_api or _is_for_machines(address) else cookie)
        assert answer.status_code < 500, f"{address.url}: {answer.status_code} {answer.text[:500]}"
        return answer

    def next_page(self, address: Address, answer: httpx.Response) -> Address | None:
        """Return the address of the next page of an API list, or None after the last one."""
        if not address.is_api or not answer.headers.get("content-type", "").startswith("application/json"):
            return None
        body = answer.json()
        cursor = body.get("next") if isinstance(body, dict) else None
        if not isinstance(cursor, str):
            return None
        return Address(path=address.path, url=str(httpx.URL(address.url).copy_merge_params({"cursor": cursor})))


@contextmanager
def asking(server: str, who: SignedInUser) -> Iterator[Asker]:
    with httpx.Client(base_url=server, timeout=PATIENCE) as client:
        yield Asker(who, client)


def _is_for_machines(address: Address) -> bool:
    return address.path == "/metrics"
