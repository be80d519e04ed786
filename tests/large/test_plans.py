"""With 50,000 submissions in the database, no page and no endpoint makes it read a table that grows from end to end."""

from collections.abc import Iterator

import pytest

from app.cli.deployment import postgres_options
from app.database.embedded_server import own
from app.database.engine import Database
from app.rejudging import choice
from app.schema import upgrade
from app.settings import Settings
from app.web_process import create_app
from tests.conftest import FAST
from tests.http_server import serving
from tests.large.address import Address, list_addresses
from tests.large.asking import Asker, asking
from tests.large.fill import fill, sign_in_as
from tests.large.plan import Planner, listening

# The tables that a route may read whole.
EXCEPTIONS = {
    # It looks up 1,000 at most, and of many more not all.
    "/api/v1/problems/{slug}/statistics": {"judgings"},
}


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with own(tmp_path_factory.mktemp("large") / "postgres", postgres_options(Settings()) | FAST) as server:
        database = Database(server.url)
        upgrade(database)
        fill(database)
        yield database
        database.close()


def ask_all(asker: Asker, wanted: list[Address]) -> Iterator[Address]:
    """Request each address, and the second page of a list."""
    for address in wanted:
        answer = asker.ask(address)
        yield address
        if following := asker.next_page(address, answer):
            asker.ask(following)
            yield following


@pytest.mark.whole
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("username", ["user-1", "user-250"], ids=["student", "admin"])
def test_no_request_reads_a_growing_table_whole(
    large: Database, username: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ten times lower limit for rejudging has the effect of a database with ten times more rows."""
    monkeypatch.setattr(choice, "MOST", choice.MOST // 10)
    app = create_app(Settings(), large)
    with large.transaction() as session:
        who, wanted = sign_in_as(session, username), list_addresses(app, session, username)

    seen: set[str] = set()
    found: list[str] = []
    with (
        serving(app) as server,
        asking(server, who) as asker,
        large.engine.connect() as connection,
        listening(large) as heard,
    ):
        planner = Planner(connection)
        for address in ask_all(asker, wanted):
            new = {statement: values for statement, values in heard.statements.items() if statement not in seen}
            seen |= new.keys()
            for statement, values in new.items():
                if tables := planner.find_scans(statement, values) - EXCEPTIONS.get(address.path, set()):
                    found.append(f"{address.url} reads all of {', '.join(sorted(tables))}:\n{statement}")
            heard.statements = {}

    assert not found, "\n\n".join(found)
    assert len(seen) > 40
