"""The pages over the real application and a real database, with one published problem; and a real browser for them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from playwright.sync_api import Browser

from app.accounts.session import start_session
from app.catalog.publish import publish
from app.database.engine import Database
from app.settings import Settings
from app.web.cookie import COOKIE
from tests.api.conftest import serving
from tests.application import open_application
from tests.catalog.packages import make_package
from tests.factories import make_user, set_policy
from tests.web.browser import chromium

PASSWORD = "correct horse battery"


@pytest.fixture
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Settings with a data folder of their own.

    `@pytest.mark.parametrize("settings", [{"secure_cookies": True}], indirect=True)` changes what it names.
    """
    changes: dict[str, Any] = getattr(request, "param", {})
    return Settings(**{"data": tmp_path, **changes})


@pytest.fixture
def policy(request: pytest.FixtureRequest, database: Database) -> None:
    """`@pytest.mark.parametrize("policy", [{"max_pending": 2}], indirect=True)` sets what it names."""
    changes: dict[str, Any] = getattr(request, "param", {})
    with database.transaction() as session:
        set_policy(session, **changes)


@pytest.fixture
def app(settings: Settings, database: Database, policy: None) -> FastAPI:  # noqa: ARG001
    with database.transaction() as session:
        publish(session, make_package())
    return open_application(settings, database)


@pytest.fixture
def anyone(app: FastAPI) -> Iterator[TestClient]:
    """A browser that is not signed in, and does not follow redirects."""
    with TestClient(app, follow_redirects=False, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def ada(anyone: TestClient, database: Database) -> TestClient:
    """The same browser, signed in as `ada`."""
    with database.transaction() as session:
        anyone.cookies.set(COOKIE, start_session(session, make_user(session, "ada").id))
    return anyone


@pytest.fixture
def admin(anyone: TestClient, database: Database) -> TestClient:
    """The same browser, signed in as the admin `grace`."""
    with database.transaction() as session:
        anyone.cookies.set(COOKIE, start_session(session, make_user(session, "grace", role="admin").id))
    return anyone


@pytest.fixture
def address(app: FastAPI) -> Iterator[str]:
    """The address of a server that browsers reach."""
    with serving(app) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser
