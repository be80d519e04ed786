"""A site under attack: the application on a port, a database with one problem, and clients as strangers have them.

One for each file, since what is attacked is that many things meet: so every test makes users of its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from uuid import UUID

import httpx
import psycopg
import pytest
from sqlalchemy import URL, make_url
from sqlalchemy.orm import Session

from app.accounts.model import Role, User
from app.accounts.session import start_session
from app.accounts.token import Bounds, create_token
from app.accounts.user import SignUp, sign_up
from app.catalog.publish import publish
from app.database.embedded_server import EmbeddedPostgres
from app.database.engine import Database
from app.settings import Settings
from app.web.visit import COOKIE
from tests.api.conftest import PATIENCE
from tests.application import open_application
from tests.catalog.packages import make_package
from tests.factories import make_user, set_policy
from tests.http_server import serving

PASSWORD = "correct horse battery"
SLUG = "scaled_sum"
SOURCE = "def scaled_sum(x, y, scale, options):\n    return x.sum() * scale\n"

_numbers = count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Victim:
    """A user with a token and a browser; `name` is unique."""

    id: UUID
    name: str
    token: httpx.Client = field(repr=False)
    browser: httpx.Client = field(repr=False)


@dataclass(slots=True)
class Site:
    url: str
    database: Database
    clients: list[httpx.Client] = field(default_factory=list)

    def user(self, role: Role = "student", *, password: str | None = None) -> Victim:
        """Create a user. A password costs a hash; without one, the user can't sign in by password."""
        name = f"{role}-{next(_numbers)}"
        with self.database.transaction() as session:
            user = self._make(session, name, role, password)
            secret = create_token(session, user.id, "test").secret
            cookie = start_session(session, user.id)
        return Victim(id=user.id, name=name, token=self.client(secret), browser=self.browser(cookie))

    def token(self, user: Victim, *scopes: str) -> httpx.Client:
        """Create one more token of the user, for these scopes only."""
        with self.database.transaction() as session:
            return self.client(create_token(session, user.id, "test", Bounds(scopes=scopes)).secret)

    def client(self, token: str | None = None) -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self._kept(httpx.Client(base_url=f"{self.url}/api/v1", headers=headers, timeout=PATIENCE))

    def browser(self, cookie: str | None = None) -> httpx.Client:
        cookies = {COOKIE: cookie} if cookie else {}
        return self._kept(httpx.Client(base_url=self.url, cookies=cookies, timeout=PATIENCE))

    def send(self, user: Victim) -> str:
        """Send a submission that no worker judges, and return its ID."""
        answer = user.token.post(f"/problems/{SLUG}/submissions", json={"source": SOURCE})
        return str(answer.raise_for_status().json()["id"])

    def _make(self, session: Session, name: str, role: Role, password: str | None) -> User:
        if password is None:
            return make_user(session, name, role)
        return sign_up(session, SignUp(username=name, password=password), role=role)

    def _kept(self, client: httpx.Client) -> httpx.Client:
        self.clients.append(client)
        return client


@pytest.fixture(scope="module")
def settings() -> Settings:
    """A file that attacks another deployment defines its own."""
    return Settings()


@pytest.fixture(scope="module")
def site(postgres: EmbeddedPostgres, template: str, settings: Settings) -> Iterator[Site]:
    name = f"attacked_{next(_numbers)}"
    url = make_url(postgres.url)
    with psycopg.connect(_plain(url.set(database="postgres")), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        database = Database(_written(url.set(database=name)), pool_size=20)
        with database.transaction() as session:
            set_policy(session, requests_per_minute=100_000)
            publish(session, make_package())
        with serving(open_application(settings, database)) as address:
            site = Site(address, database)
            yield site
            for client in site.clients:
                client.close()
        database.close()
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _written(url: URL) -> str:
    return url.render_as_string(hide_password=False)


def _plain(url: URL) -> str:
    return _written(url.set(drivername="postgresql"))
