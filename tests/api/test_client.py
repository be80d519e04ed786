"""The client against the real server: its event stream and its errors."""

from collections.abc import Iterator
from uuid import uuid4

import httpx
import pytest

from app.catalog.publish import publish
from app.cli.client import Client
from app.cli.transport import AddressUnfit, ServerRefused, Unreachable
from app.database.engine import Database
from tests.catalog.packages import SOLUTION, make_package
from tests.web.judged import all_right, judge


@pytest.fixture
def client(address: str, ada: httpx.Client, database: Database) -> Iterator[Client]:
    """Ada's; one problem is published."""
    with database.transaction() as session:
        publish(session, make_package())
    with Client(address, token=ada.headers["Authorization"].split()[1]) as client:
        yield client


def test_the_whole_submission_comes_whenever_it_changes(client: Client, database: Database) -> None:
    sent = client.submit("scaled_sum", SOLUTION)
    views = client.stream_views(sent)

    first, second = next(views), next(views)
    judge(database, *all_right())
    *_, last = views

    assert (first.state, second.state, second.wait is not None) == ("queued", "queued", True)
    assert (last.state, last.verdict, len(last.cases)) == ("done", "accepted", 3)


def test_a_refusal_carries_its_code_and_status(client: Client) -> None:
    with pytest.raises(ServerRefused) as refused:
        client.list_problems(1000)

    assert (refused.value.code, refused.value.status) == ("invalid", 422)


def test_an_unknown_token_and_an_unreachable_server_have_their_own_errors(address: str) -> None:
    with Client(address, token="alc_unknown") as stranger, pytest.raises(ServerRefused, match="token"):
        stranger.get_submission(uuid4())
    with Client("http://127.0.0.1:9") as nowhere, pytest.raises(Unreachable, match="is the server running"):
        nowhere.sign_in("ada", "correct horse battery", "x")
    with pytest.raises(AddressUnfit):
        Client("http://judge:port")
