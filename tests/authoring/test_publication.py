"""Publishing a revision, the record of each publication, and when a revision is ready."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from app.admin.revision import list_current
from app.audit import Actor, AuditEvent
from app.authoring.publication import Publisher as By
from app.authoring.publication import bring_back, publish_folder, publish_package, publish_verified
from app.authoring.query import list_revisions
from app.catalog.fault import PackageInvalid
from app.catalog.folder import digest
from app.catalog.model import ExpectedOutput, Revision
from app.catalog.package import Package
from app.catalog.publish import find_current
from app.database.engine import Database
from app.errors import NotFound, Outdated
from app.queue.model import Job
from tests.authoring.rows import make_verification
from tests.catalog.packages import PROBLEM, make_package
from tests.factories import make_judging, make_problem, make_submission, make_user
from tests.transaction import commit, execute

FIRST, SECOND, THIRD = (make_package(problem=PROBLEM.replace("Scaled sum", f"Number {n}")) for n in (1, 2, 3))


def an_author(session: Session, name: str | None = None) -> Actor:
    return Actor(user_id=make_user(session, name, role="author").id, channel="page")


def take_folder(database: Database, package: Package) -> None:
    commit(database, publish_folder, package)


def write(database: Database, package: Package, replaces: str | None = None) -> None:
    with database.transaction() as session:
        publish_package(session, package, By(actor=an_author(session)), replaces)


def current(database: Database) -> str:
    with database.transaction() as session:
        revision = find_current(session, "scaled_sum")
        assert revision is not None
        return str(revision.manifest["title"])


def test_a_restart_leaves_what_authors_have_published(database: Database) -> None:
    take_folder(database, FIRST)
    write(database, SECOND)

    take_folder(database, FIRST)

    assert current(database) == "Number 2"


def test_a_folder_that_has_changed_is_published_even_if_it_was_so_before(database: Database) -> None:
    take_folder(database, FIRST)
    take_folder(database, SECOND)
    write(database, THIRD)

    take_folder(database, FIRST)

    assert current(database) == "Number 1"


def test_each_time_that_a_revision_becomes_current_is_kept(database: Database) -> None:
    take_folder(database, FIRST)
    write(database, SECOND)
    with database.transaction() as session:
        bring_back(session, "scaled_sum", 1, an_author(session, "noether"))

    second, first = commit(database, list_revisions, "scaled_sum")
    assert [publication.by for publication in first.publications] == [None, "noether"]
    assert (first.is_current, second.is_current) == (True, False)


def test_the_current_revision_is_not_published_again(database: Database) -> None:
    take_folder(database, FIRST)
    write(database, SECOND)

    write(database, SECOND)
    with database.transaction() as session:
        bring_back(session, "scaled_sum", 2, an_author(session))

    with database.transaction() as session:
        second, first = list_revisions(session, "scaled_sum")
        events = list(session.scalars(select(AuditEvent.after)))
    assert (len(first.publications), len(second.publications)) == (1, 1)
    assert events == [{"revision": 2}]


def test_a_package_of_the_folder_is_known_even_if_an_author_published_it_before(database: Database) -> None:
    take_folder(database, FIRST)
    write(database, SECOND)
    take_folder(database, SECOND)
    write(database, THIRD)

    take_folder(database, SECOND)

    assert current(database) == "Number 3"


def test_a_revision_that_is_brought_back_keeps_its_verification(database: Database) -> None:
    with database.transaction() as session:
        author = an_author(session)
        verification = make_verification(session, FIRST)
        session.execute(delete(Job))
        verification.verdict, verification.finished_at = "passed", datetime.now(UTC)
        session.flush()
        verified = publish_verified(session, verification, author)
        publish_package(session, SECOND, By(actor=author))
        (other,) = list_current(session)
        bring_back(session, "scaled_sum", verified.number, author)

    (current,) = commit(database, list_current)
    assert (other.verification, other.verdict) == (None, None)
    assert (current.verification, current.verdict) == (verification.id, "passed")


def test_a_revision_of_an_older_format_is_not_brought_back(database: Database) -> None:
    take_folder(database, FIRST)
    write(database, SECOND)
    execute(database, update(Revision).where(Revision.number == 1).values(files={"problem.yaml": "title: old"}))

    with database.transaction() as session, pytest.raises(PackageInvalid, match="summary is missing"):
        bring_back(session, "scaled_sum", 1, an_author(session))

    assert current(database) == "Number 2"


def test_a_problem_that_has_changed_since_is_not_replaced(database: Database) -> None:
    take_folder(database, FIRST)
    write(database, SECOND, replaces=digest(FIRST.files))

    with pytest.raises(Outdated, match="its revision is 2"):
        write(database, THIRD, replaces=digest(FIRST.files))
    with pytest.raises(Outdated, match="sent it as a new problem"):
        write(database, THIRD, replaces="")

    assert current(database) == "Number 2"


@pytest.mark.parametrize("number", [0, -1, 2, 2**40])
def test_a_revision_that_is_not_there_is_not_found(database: Database, number: int) -> None:
    take_folder(database, FIRST)

    with database.transaction() as session, pytest.raises(NotFound):
        bring_back(session, "scaled_sum", number, an_author(session))


def test_a_problem_is_ready_when_each_variant_has_its_expected_outputs(session: Session) -> None:
    revision = make_problem(session, "some", title="Some", variants=2)
    make_judging(session, make_submission(session, make_user(session), revision).id)
    make_judging(session, make_submission(session, None, make_problem(session, "other")).id)
    facts = {"inputs": b"", "expected": b"", "inputs_preview": {}, "expected_preview": {}, "image": ""}
    for case in ("small", "large"):
        place = {"revision_id": revision.id, "variant": 0, "device": "cpu", "case_name": case}
        session.add(ExpectedOutput(**place, **facts, versions={}))

    _other, state = list_current(session)

    assert (state.problem, state.number, state.submissions) == ("some", 1, 1)
    assert (state.variants, state.ready_variants, state.is_ready) == (2, 1, False)
