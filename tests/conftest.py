"""A real PostgreSQL for every test that asks for one: one server per run, one fresh database per test.

And at the end of all tests: no container of Allclose is left.
"""

import gc
import os
import re
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import hypothesis
import psutil
import psycopg
import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import make_url
from sqlalchemy.orm import Session
from starlette.types import ASGIApp
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

import migrations
from app.database.embedded_cluster import Cluster
from app.database.embedded_server import EmbeddedPostgres, find_server, own
from app.database.engine import Database
from app.schema import _head, upgrade
from app.settings import Settings
from sandbox.docker.engine_client import connect
from sandbox.docker.orphans import LABEL, find_orphans, this_process
from sandbox.interface import SandboxUnavailable
from tests.factories import set_policy
from tests.http_server import serving

# Durability costs most of a test's time, and no test pulls the plug. A vacuum in a database that is dropped is another
# role's process, which we may not end.
FAST = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    "autovacuum": "off",
    "max_wal_size": "128MB",
}
MEMORY = Path("/dev/shm")
# The prefix of the names of databases' folders, before the process that owns one.
DATABASES = "allclose-tests-"
# The memory of one test server at most.
MEMORY_BYTES = 1024**3

KIND_OF_BOX = re.compile(r"(bubblewrap|docker)-(namespaces|shared)")

_numbers = count(1)

# Collection makes a million objects, of which none is garbage.
gc.disable()

# Each client of httpx reads 150 certificates for a context of its own, for a tenth of a second.
httpx._transports.default.create_ssl_context = cache(httpx.create_ssl_context)  # type: ignore[attr-defined]

# `make test-all` asks for it by `--hypothesis-profile whole`; what is generated slowly looks whether it is on.
hypothesis.settings.register_profile("whole")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Leave out of the quick run what `in_turn` of tests/sandbox/conftest.py tries in another kind of box there."""
    turn = item.get_closest_marker("in_turn")
    if turn is not None:
        name, in_quick_run = turn.args
        values = item.callspec.params  # type: ignore[attr-defined]
        if (values[name], values["launcher"]) not in in_quick_run:
            item.add_marker(pytest.mark.whole)


class ByFile(LoadScopeScheduling):  # type: ignore[misc]
    """A file's tests stay in one process, apart by kind of box: what they share starts once."""

    def _split_scope(self, nodeid: str) -> str:
        file, _, test = nodeid.partition("::")
        kind = KIND_OF_BOX.search(test)
        return f"{file} {kind[0]}" if kind else file

    def remove_node(self, node: WorkerController) -> str | None:
        """Hand on only the unfinished files of a process that died.

        xdist 3.8 hands on finished files too, as work with no test in it, and then waits for ever for its end.
        """
        work = self.assigned_work[node]
        for scope in [scope for scope, tests in work.items() if all(tests.values())]:
            del work[scope]
        crashed: str | None = super().remove_node(node)
        return crashed


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each test an address of its own: of those that share one, pytest-xdist runs a single one.

    Schemathesis 4.32 names its tests apart, and pytest 9.2 makes one address of the names of a function.
    """
    for item in items:
        if not item.nodeid.endswith(item.name):
            assert item.parent is not None
            item._id = type(item._id).parse(f"{item.parent.nodeid}::{item.name}")
    shared = [address for address, times in Counter(item.nodeid for item in items).items() if times > 1]
    if shared:
        raise pytest.UsageError(f"several tests have the address {shared[0]}")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFile:
    """Schedule by file when several processes share the run. xdist groups would do, but for names in pytest 9.2."""
    return ByFile(config, log)


@pytest.fixture(scope="session")
def postgres() -> Iterator[EmbeddedPostgres]:
    prefix = f"{DATABASES}{os.getpid()}-"
    with TemporaryDirectory(prefix=prefix, dir=find_memory()) as folder, own(Path(folder), FAST) as server:
        yield server


def pytest_sessionstart(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):  # a process among several that share a run
        remove_left_databases(MEMORY)


def remove_left_databases(memory: Path) -> None:
    """Remove the databases of test runs that were killed, and stop their servers."""
    for folder in memory.glob(f"{DATABASES}*-*"):
        owner = folder.name.removeprefix(DATABASES).partition("-")[0]
        if owner.isdecimal() and not psutil.pid_exists(int(owner)):
            if server := find_server(Cluster(folder)):
                server.stop()
            shutil.rmtree(folder, ignore_errors=True)


def find_memory() -> Path | None:
    """Return a folder in memory with room for databases, or None.

    A database has 1,000 files. On ext4 their making and removing takes half of the time of a test.
    """
    memory, wanted = MEMORY, MEMORY_BYTES * int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    return memory if memory.is_dir() and shutil.disk_usage(memory).free > wanted else None


@pytest.fixture(scope="session")
def template(postgres: EmbeddedPostgres) -> str:
    """The name of a database with the schema of today, from which each test's is copied."""
    database = Database(postgres.url)
    upgrade(database)
    database.close()
    return "allclose"


@pytest.fixture
def database_url(postgres: EmbeddedPostgres, template: str) -> Iterator[str]:
    name = f"test_{next(_numbers)}"
    with psycopg.connect(_psycopg_url(postgres.url, "postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        yield make_url(postgres.url).set(database=name).render_as_string(hide_password=False)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = Database(database_url)
    yield database
    database.close()


@pytest.fixture
def session(database: Database) -> Iterator[Session]:
    """For a test that needs one transaction."""
    with database.transaction() as session:
        yield session


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
def address(app: ASGIApp) -> Iterator[str]:
    with serving(app) as address:
        yield address


@pytest.fixture
def next_migration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give this code one more migration, as the next version has. Yields its file, whose `upgrade` adds a table."""
    folder = tmp_path / "migrations"
    shutil.copytree(Path(migrations.__file__).parent, folder)
    last = ScriptDirectory(str(folder)).get_current_head()
    file = folder / "versions/9000_the_next.py"
    statement = "op.execute('CREATE TABLE added ()')"
    head = f"from alembic import op\nrevision, down_revision = '9000', {last!r}"
    file.write_text(f"{head}\n\n\ndef upgrade() -> None:\n    {statement}\n")
    monkeypatch.setattr(migrations, "__file__", str(folder / "__init__.py"))
    _head.cache_clear()
    yield file
    _head.cache_clear()


@pytest.fixture(scope="session", autouse=True)
def no_box_stays() -> Iterator[None]:
    """Begins before every other fixture, and so ends after them."""
    yield
    deadline = time.monotonic() + 20
    while (left := _boxes_left()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert left == []


def _boxes_left() -> list[str]:
    """List boxes of this process and of dead ones. The engine may take a moment to remove an ended box."""
    try:
        engine = connect()
    except SandboxUnavailable:
        return []
    own = engine.containers.list(all=True, filters={"label": f"{LABEL}={this_process()}"}, ignore_removed=True)
    return [f"{box.name} {box.status}" for box in (*own, *find_orphans(engine))]


def _psycopg_url(url: str, name: str) -> str:
    return make_url(url).set(drivername="postgresql", database=name).render_as_string(hide_password=False)
