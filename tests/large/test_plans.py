"""With 50,000 submissions, no page, endpoint or step of a verification reads a growing table from end to end."""

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import select

from app.accounts.model import User
from app.audit import Actor
from app.authoring.publication import Publisher, bring_back, publish_package, publish_verified
from app.authoring.query import get_verification
from app.authoring.send import Sending, cancel, send
from app.catalog.package import Package
from app.cli.deployment import postgres_options
from app.database.embedded_server import own
from app.database.engine import Database
from app.queue.lease import beat, bury, fail, give_back
from app.rejudging import choice
from app.schema import upgrade
from app.settings import Settings
from app.verification.verification_record import VerificationClaim, VerificationResult, finish, record_step
from app.web_process import create_app
from tests.authoring.rows import make_report
from tests.authoring.steps import take
from tests.catalog.packages import PROBLEM, make_package
from tests.conftest import FAST
from tests.http_server import serving
from tests.large.address import Address, list_addresses
from tests.large.asking import Asker, asking
from tests.large.fill import fill, sign_in_as
from tests.large.plan import SMALL, Planner, listening

# The tables that a route may read whole.
EXCEPTIONS = {
    # They look up 1,000 at most, and of many more not all.
    "/api/v1/problems/{slug}/statistics": {"judgings"},
    "/author/problems/{slug}": {"judgings"},
    # It counts the students of 1,000 courses at most.
    "/api/v1/courses": {"members"},
    # It lists the learning platforms, which admins register.
    "/api/v1/platforms": {"lti_platforms", "lti_deployments"},
    # It stops counting at a limit.
    "/admin/rejudgings/new": {"submissions"},
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


@pytest.mark.whole
@pytest.mark.timeout(1200)
def test_no_step_of_a_verification_or_publication_reads_a_growing_table_whole(large: Database) -> None:
    package, other = make_package(), make_package(problem=PROBLEM.replace("Scaled sum", "Another title"))
    with large.transaction() as session:
        author = session.scalars(select(User.id).where(User.username == "user-100")).one()
    actor = Actor(user_id=author, channel="page")

    def send_one(package: Package, *, is_published: bool = False) -> UUID:
        with large.transaction() as session:
            return send(session, Sending(user_id=author, package=package, publish=is_published)).id

    with listening(large) as heard:
        verified = send_one(other)
        taken = take(large)
        with large.transaction() as session:
            record_step(session, taken, "known", 1, 2)
            assert beat(session, [taken], timedelta(seconds=15)) == set()
            bury(session, VerificationClaim)
        give_back(large, taken)
        fail(large, take(large), "BoxLost: the box ended")
        finish(large, take(large), VerificationResult(report=make_report(), package=other))
        send_one(package, is_published=True)
        finish(large, take(large), VerificationResult(report=make_report(), package=package))
        with large.transaction() as session:
            cancel(session, get_verification(session, send_one(package)))
            current = publish_package(session, package, Publisher(actor=actor))
            publish_verified(session, get_verification(session, verified), actor)
            bring_back(session, package.slug, current.number, actor)

    with large.engine.connect() as connection:
        planner = Planner(connection, SMALL - {"revisions"})
        scans = {statement: planner.find_scans(statement, values) for statement, values in heard.statements.items()}
    assert {statement: tables for statement, tables in scans.items() if tables} == {}
    assert len(scans) > 25
