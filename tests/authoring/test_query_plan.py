"""Verification and publication find rows by indexes, however many packages one author has sent of one problem."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from threading import Event
from uuid import UUID

import pytest
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.audit import Actor
from app.authoring.model import Verification
from app.authoring.publication import Publisher, bring_back, publish_package, publish_verified
from app.authoring.query import (
    get_verification,
)
from app.authoring.send import Sending, cancel, send
from app.catalog.folder import digest
from app.catalog.package import Package
from app.catalog.verification_report import VERIFICATION_VERSION
from app.database.engine import Database
from app.queue.lease import beat, bury, fail, give_back
from app.settings import read_settings
from app.verification.trial import Effort
from app.verification.verification_record import VerificationClaim, VerificationResult, finish, record_step
from app.verification.verifier import Verifier
from tests.authoring.rows import make_report
from tests.authoring.steps import take
from tests.catalog.packages import PROBLEM, make_package
from tests.large.fill import analyze
from tests.large.plan import SMALL, Planner, listening

PACKAGE = make_package()
OTHER = make_package(problem=PROBLEM.replace("Scaled sum", "Another title"))
LEASE = timedelta(seconds=15)
LIKE_THE_REPORT = Effort(is_quick=True)
# Revisions grow with each publication, so one query may not read all of them.
FEW = SMALL - {"revisions"}
# `author-1` has sent 3 of 5 verified packages, all with the content of PACKAGE. Authors 2 to 99 have sent the others,
# and 300 that are not done. Rows are narrower than real ones, so that reading a table whole costs less than it would.
STATEMENTS = (
    """INSERT INTO users (id, username, password_hash, role, is_active, is_ranked)
        SELECT gen_random_uuid(), 'author-' || n, '!', 'author', true, false FROM generate_series(1, 100) n""",
    """INSERT INTO problems (id, slug)
        SELECT gen_random_uuid(), CASE n WHEN 0 THEN :slug ELSE 'problem-' || n END FROM generate_series(0, 100) n""",
    """INSERT INTO revisions (id, problem_id, number, digest, manifest, files, secret_seed)
        SELECT gen_random_uuid(), id, n, md5(slug || n), jsonb_build_object('title', slug, 'summary', repeat('x', 600)),
            '{}', ''
        FROM problems, generate_series(1, CASE slug WHEN :slug THEN 3000 ELSE 20 END) n""",
    """UPDATE problems SET current_revision_id = revisions.id
        FROM revisions WHERE problem_id = problems.id AND number = 20""",
    """INSERT INTO verifications (id, user_id, slug, files, digest, publish, queued_at, finished_at, verdict)
        SELECT gen_random_uuid(), users.id, CASE WHEN is_busy THEN :slug ELSE 'problem-' || 1 + n % 100 END, '{}',
            CASE WHEN is_busy THEN :digest ELSE md5(n::text) END, true,
            now() - interval '1 minute' * n, now() - interval '1 minute' * n, 'passed'
        FROM generate_series(1, 20000) n CROSS JOIN LATERAL (SELECT n % 5 < 3 AS is_busy) busy
        JOIN users ON username = 'author-' || CASE WHEN is_busy THEN 1 ELSE 2 + n % 98 END""",
    """WITH sent AS (
            INSERT INTO verifications (id, user_id, slug, files, digest, publish)
            SELECT gen_random_uuid(), users.id, 'problem-' || 1 + n % 100, '{}', md5(n::text), true
            FROM generate_series(1, 300) n JOIN users ON username = 'author-' || 2 + n % 98 RETURNING id
        )
        INSERT INTO jobs (verification_id, watched, queue, priority, attempt, worker, lease_until)
        SELECT id, id, 'verify-cpu', -1, CASE WHEN n % 9 = 0 THEN 5 ELSE n % 4 END, 'worker', CASE WHEN n % 3 = 0
            THEN now() + CASE WHEN n % 2 = 0 THEN interval '50 seconds' ELSE interval '-1 second' END END
        FROM (SELECT id, row_number() OVER () AS n FROM sent) numbered""",
    """INSERT INTO publications (problem_id, revision_id, user_id)
        SELECT problem_id, revisions.id, users.id FROM revisions CROSS JOIN generate_series(1, 2) n
        JOIN users ON username = 'author-' || n""",
)


@pytest.fixture
def grown(database: Database) -> Database:
    values = {"slug": PACKAGE.slug, "digest": digest(PACKAGE.files)}
    with database.transaction() as session:
        for statement in STATEMENTS:
            session.execute(text(statement), {name: value for name, value in values.items() if f":{name}" in statement})
    analyze(database)
    return database


@contextmanager
def nothing_read_whole(database: Database, statements: int) -> Iterator[None]:
    """Assert that no statement executed in the block reads a growing table whole, of at least so many."""
    with listening(database) as heard:
        yield

    with database.engine.connect() as connection:
        connection.execute(text("SET LOCAL random_page_cost = 1.1"))  # as in a deployment
        planner = Planner(connection, FEW)
        scans = {statement: planner.find_scans(statement, values) for statement, values in heard.statements.items()}
    found = [f"all of {', '.join(tables)}:\n{statement}" for statement, tables in scans.items() if tables]
    assert not found, "\n\n".join(found)
    assert len(scans) >= statements


def author(session: Session) -> UUID:
    return session.scalars(select(User.id).where(User.username == "author-1")).one()


def send_one(database: Database, package: Package = PACKAGE) -> UUID:
    with database.transaction() as session:
        wish = Sending(user_id=author(session), package=package, publish=package is PACKAGE)
        return send(session, wish).id


def pass_as_new(database: Database, package: Package) -> UUID:
    """Send a package, and pass its verification with a report of today's checks."""
    sent = send_one(database, package)
    taken = take(database)
    assert taken.verification_id == sent
    report = make_report().model_copy(update={"verification_version": VERIFICATION_VERSION})
    finish(database, taken, VerificationResult(report=report, package=package))
    return sent


def verify(database: Database, taken: VerificationClaim) -> None:
    """In a thread of its own, because the verifier lowers the thread's priority."""
    verifier = Verifier(settings=read_settings(), database=database, gpus=None, effort=LIKE_THE_REPORT)
    with ThreadPoolExecutor(1) as thread:
        thread.submit(verifier.verify, taken, Event()).result()


def test_no_step_of_a_verification_reads_all_of_them(grown: Database) -> None:
    with nothing_read_whole(grown, statements=20):
        earlier = pass_as_new(grown, PACKAGE)
        again = send_one(grown)
        taken = take(grown)
        with grown.transaction() as session:
            record_step(session, taken, "known", 1, 2)
            assert beat(session, [taken], LEASE) == set()
            assert bury(session) > 0
        give_back(grown, taken)
        fail(grown, take(grown), "BoxLost: the box ended")
        verify(grown, take(grown))
        with grown.transaction() as session:
            cancel(session, get_verification(session, send_one(grown, OTHER)))

    with grown.transaction() as session:
        first, second = (session.get_one(Verification, each) for each in (earlier, again))
        assert (second.verdict, second.report) == ("passed", first.report)


def test_no_publication_reads_all_revisions(grown: Database) -> None:
    with nothing_read_whole(grown, statements=12):
        verified = pass_as_new(grown, OTHER)
        with grown.transaction() as session:
            actor = Actor(user_id=author(session), channel="page")
            current = publish_package(session, PACKAGE, Publisher(actor=actor))
            publish_package(session, PACKAGE, Publisher(actor=actor), replaces=current.digest)
            revision = publish_verified(session, get_verification(session, verified), actor)
            bring_back(session, PACKAGE.slug, current.number, actor)

    assert (current.number, revision.number) == (3001, 3002)
