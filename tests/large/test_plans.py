"""With 50,000 submissions in the database, no page and no endpoint makes it read a table that grows from end to end."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI

from app.database import Database
from app.embedded_postgres import own
from app.main import create_app
from app.schema import upgrade
from app.settings import Settings
from tests.api.conftest import serving
from tests.conftest import FAST
from tests.large.address import Address, list_addresses
from tests.large.asking import Asker, asking
from tests.large.fill import fill, sign_in_as
from tests.large.plan import Planner, listening

# The path of a route, the tables that it reads whole, and why that may be.
EXCEPTIONS: dict[str, tuple[set[str], str]] = {}


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with own(tmp_path_factory.mktemp("large") / "postgres", FAST) as server:
        database = Database(server.url)
        upgrade(database)
        fill(database)
        yield database
        database.close()


@pytest.fixture(scope="module")
def app(large: Database) -> FastAPI:
    with large.transaction() as session:
        from app.policy.model import PolicyRow

        session.add(PolicyRow(name="requests_per_minute", value=1_000_000))
    return create_app(Settings(), large)


def addresses(app: FastAPI, database: Database, username: str) -> list[Address]:
    with database.transaction() as session:
        return list_addresses(app, session, username)


def ask_all(asker: Asker, wanted: list[Address]) -> Iterator[Address]:
    """And for the second page of what has one."""
    for address in wanted:
        answer = asker.ask(address)
        yield address
        if following := asker.next_page(address, answer):
            asker.ask(following)
            yield following


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("username", ["user-1", "user-250"], ids=["student", "admin"])
def test_no_request_reads_a_growing_table_whole(large: Database, app: FastAPI, username: str) -> None:
    with large.transaction() as session:
        who = sign_in_as(session, username)
    wanted = addresses(app, large, username)

    found: dict[str, str] = {}
    with serving(app) as server, asking(server, who) as asker, large.engine.connect() as connection:
        planner, seen = Planner(connection), set[str]()
        with listening(large) as heard:
            for address in ask_all(asker, wanted):
                asked, heard.statements = heard.statements, {}
                for statement in asked.keys() - seen:
                    seen.add(statement)
                    for table in planner.find_scans(statement, asked[statement]):
                        if table not in EXCEPTIONS.get(address.path, (set(), ""))[0]:
                            found[f"{address.url} reads {table}"] = statement
                heard.statements = {}

    assert not found, "\n\n".join(f"{what}:\n{statement}" for what, statement in found.items())
    assert len(seen) > 40
