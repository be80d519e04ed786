"""The application with a provider of OpenID Connect: a real one, in its own process, that does wrong when told to."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from fastapi import FastAPI

from app.catalog.publish import publish
from app.database.engine import Database
from app.settings import Settings
from tests.accounts.oidc_provider import CLIENT_ID, CLIENT_SECRET
from tests.application import open_application
from tests.catalog.packages import make_package
from tests.web.single_sign_on.away import SITE, Away


@pytest.fixture(scope="module")
def running() -> Iterator[list[Away]]:
    """The provider that runs, if one does."""
    started: list[Away] = []
    yield started
    for away in started:
        away.process.kill()
        away.process.wait()


@pytest.fixture
def provider(running: list[Away]) -> Away:
    if not running or running[-1].process.poll() is not None:
        command = [sys.executable, "-m", "tests.accounts.oidc_provider", "0"]
        running.append(Away(subprocess.Popen(command, stdout=subprocess.PIPE, text=True)))
    running[-1].says(fault="", person={"sub": "1", "preferred_username": "ada"})
    return running[-1]


@pytest.fixture
def app(provider: Away, database: Database) -> FastAPI:
    with database.transaction() as session:
        publish(session, make_package())
    return open_application(
        Settings(
            public_url=SITE,
            oidc_issuer=provider.issuer,
            oidc_client_id=CLIENT_ID,
            oidc_client_secret=CLIENT_SECRET,
            oidc_name="the university",
        ),
        database,
    )
