"""The web process as it is: uvicorn on a port of the loopback interface, the application, a real database."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from app.accounts.token import create_token
from app.database.engine import Database
from app.settings import Settings
from tests.application import open_application
from tests.factories import make_user, set_policy

# Seconds; for machines that are busy with other things.
PATIENCE = 60

SignedIn = Callable[..., httpx.Client]


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """The application's address, for as long as the block lasts."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, access_log=False, timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "uvicorn did not start"
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


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
    return open_application(settings, database)


@pytest.fixture
def address(app: FastAPI) -> Iterator[str]:
    with serving(app) as address:
        yield address


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
