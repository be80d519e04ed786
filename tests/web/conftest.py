"""The pages over the real application and a real database, with one published problem; and a real browser for them."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from playwright.sync_api import Browser

from app.accounts.session import start_session
from app.catalog.publish import publish
from app.database.engine import Database
from app.settings import Settings
from app.web.visit import COOKIE
from tests.application import open_application
from tests.catalog.packages import make_package
from tests.factories import make_user
from tests.web.browser import Visitor, chromium, visit, visit_as

PASSWORD = "correct horse battery"


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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def student(browser: Browser, address: str, database: Database) -> Iterator[Visitor]:
    """A real browser, signed in as `ada`. It complains of nothing but requests that the test lets fail."""
    with browser.new_context() as context:
        visitor = visit_as("ada", context, address, database)
        yield visitor
        assert [complaint for complaint in visitor.complaints if "ERR_FAILED" not in complaint] == []


@pytest.fixture
def laptop(browser: Browser, address: str) -> Iterator[Visitor]:
    with browser.new_context() as context:
        yield visit(context, address)


@pytest.fixture
def phone(browser: Browser, address: str) -> Iterator[Visitor]:
    with browser.new_context() as context:
        yield visit(context, address)
