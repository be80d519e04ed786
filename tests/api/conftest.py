"""The web process as it is: uvicorn on a port of the loopback interface, the application, a real database."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI

from app.accounts.token import create_token
from app.database.engine import Database
from app.settings import Settings
from tests.application import open_application
from tests.factories import make_problem, make_user

# Seconds; for machines that are busy with other things.
PATIENCE = 60

SignedIn = Callable[..., httpx.Client]


@pytest.fixture
def app(settings: Settings, database: Database, policy: None) -> FastAPI:  # noqa: ARG001
    return open_application(settings, database)


@pytest.fixture
def anyone(address: str) -> Iterator[httpx.Client]:
    """Someone without a token, at the API's root."""
    with httpx.Client(base_url=f"{address}/api/v1", timeout=PATIENCE) as client:
        yield client


@pytest.fixture
def signed_in(address: str, database: Database) -> Iterator[SignedIn]:
    """`signed_in("ada")`: a client with a token of a new user."""
    clients = []

    def client(username: str = "ada", **columns: Any) -> httpx.Client:
        with database.transaction() as session:
            token = create_token(session, make_user(session, username, **columns).id, "test").secret
        headers = {"Authorization": f"Bearer {token}"}
        clients.append(httpx.Client(base_url=f"{address}/api/v1", headers=headers, timeout=PATIENCE))
        return clients[-1]

    yield client
    for each in clients:
        each.close()


@pytest.fixture
def ada(signed_in: SignedIn) -> httpx.Client:
    return signed_in("ada")


@pytest.fixture
def author(signed_in: SignedIn) -> httpx.Client:
    return signed_in("emmy", role="author")


@pytest.fixture
def admin(signed_in: SignedIn) -> httpx.Client:
    return signed_in("root", role="admin")


@pytest.fixture
def submission(ada: httpx.Client, database: Database) -> UUID:
    """A submission of ada's that waits in the queue."""
    with database.transaction() as session:
        make_problem(session, "running_mean")
    return UUID(ada.post("/problems/running_mean/submissions", json={"source": "x = 1"}).json()["id"])
