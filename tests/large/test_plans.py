"""With 50,000 submissions in the database, no page and no endpoint makes it read a table that grows from end to end."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from app.cli.deployment import postgres_options
from app.database.embedded_server import own
from app.database.engine import Database
from app.rejudging import choice
from app.rejudging.choice import Choice, preview
from app.schema import upgrade
from app.settings import Settings
from app.web_process import create_app
from tests.conftest import FAST
from tests.http_server import serving
from tests.large.address import Address, list_addresses
from tests.large.asking import CustomChecker, asking
from tests.large.fill import fill, sign_in_as
from tests.large.plan import Planner, listening

# The path of a route, the tables that it reads whole, and why that may be.
EXCEPTIONS: dict[str, tuple[set[str], str]] = {
    "/api/v1/problems/{slug}/statistics": ({"judgings"}, "it looks up 1,000 at most, and of many more not all"),
}


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with own(tmp_path_factory.mktemp("large") / "postgres", postgres_options(Settings()) | FAST) as server:
        database = Database(server.url)
        upgrade(database)
        fill(database)
        yield database
        database.close()


def ask_all(asker: CustomChecker, wanted: list[Address]) -> Iterator[Address]:
    """And for the second page of what has one."""
    for address in wanted:
        answer = asker.ask(address)
        yield address
        if following := asker.next_page(address, answer):
            asker.ask(following)
            yield following


def heard_of_each(
    database: Database, asker: CustomChecker, wanted: list[Address]
) -> Iterator[tuple[Address, Mapping[str, Any]]]:
    """Yield each address with the statements that its request executed, with their values."""
    with listening(database) as heard:
        for address in ask_all(asker, wanted):
            yield address, heard.statements
            heard.statements = {}


def excepted(address: Address) -> set[str]:
    return EXCEPTIONS.get(address.path, (set(), ""))[0]


def told(address: Address, statement: str, tables: set[str]) -> str:
    return f"{address.url} reads all of {', '.join(sorted(tables))}:\n{statement}"


@pytest.mark.whole
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("username", ["user-1", "user-250"], ids=["student", "admin"])
def test_no_request_reads_a_growing_table_whole(large: Database, username: str) -> None:
    app = create_app(Settings(), large)
    with large.transaction() as session:
        who, wanted = sign_in_as(session, username), list_addresses(app, session, username)

    seen: set[str] = set()
    found: list[str] = []
    with serving(app) as server, asking(server, who) as asker, large.engine.connect() as connection:
        planner = Planner(connection)
        for address, asked in heard_of_each(large, asker, wanted):
            new = {statement: asked[statement] for statement in asked.keys() - seen}
            seen |= new.keys()
            scans = ((statement, planner.find_scans(statement, values)) for statement, values in new.items())
            found += [told(address, statement, tables) for statement, tables in scans if tables - excepted(address)]

    assert not found, "\n\n".join(found)
    assert len(seen) > 40


@pytest.mark.whole
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    "criteria",
    [
        *({"verdict": verdict} for verdict in ("accepted", "wrong_answer", "cancelled", "judge_error")),
        *({"cause": "BoxLost: the box ended"}, {"cause": "NotSaid: nothing was written down"}, {"outdated": True}),
        *({"since": "2026-11-01T00:00:00Z"}, {"until": "2026-11-01T00:00:00Z"}, {"problem": "made_1"}),
        {"problem": "made_1", "revision": 1},
    ],
    ids=lambda criteria: "-".join(map(str, criteria.items())),
)
def test_no_preview_reads_more_than_it_takes_to_find_too_many(
    large: Database, criteria: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ten times lower limit for rejudging has the effect of a database with ten times more rows."""
    monkeypatch.setattr(choice, "MOST", choice.MOST // 10)

    with listening(large) as heard, large.transaction() as session:
        preview(session, Choice.model_validate(criteria), "own")
        preview(session, Choice.model_validate(criteria), "current")

    with large.engine.connect() as connection:
        planner = Planner(connection)
        found = [
            f"all of {', '.join(tables)}:\n{statement}"
            for statement, values in heard.statements.items()
            if (tables := planner.find_scans(statement, values))
        ]
    assert not found, "\n\n".join(found)
