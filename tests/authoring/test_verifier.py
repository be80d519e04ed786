"""The verification of a tiny package with the real checks in real boxes."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import select

from app.authoring.model import Verification
from app.authoring.query import VerificationView, view_verification
from app.catalog.package import package_from_files
from app.catalog.publish import find_current
from app.database.engine import Database
from app.queue.heartbeat import Capacity
from app.settings import read_settings
from app.verification.trial import Effort
from app.verification.verifier import LONGEST_SECONDS, Verifier
from tests.authoring.exercise import EXERCISE, SLUG
from tests.authoring.rows import make_verification
from tests.queue.fleet import wait_until
from tests.transaction import commit

QUICK = Effort(is_quick=True, mutants=4)


@contextmanager
def verifying(database: Database, data: Path, seconds: float = LONGEST_SECONDS) -> Iterator[None]:
    """Run a worker for verifications during the block."""
    settings = read_settings(data=str(data), sandbox="bubblewrap")
    verifier = Verifier(settings=settings, database=database, gpus=None, effort=QUICK, seconds=seconds)
    loop = verifier.loop(Capacity(queues=("cpu",), slots=1))
    loop.start()
    try:
        yield
    finally:
        loop.stop()


def send(database: Database, files: dict[str, str]) -> None:
    package = package_from_files(SLUG, {path: text.encode() for path, text in files.items()})
    commit(database, make_verification, package)


def read(database: Database) -> VerificationView:
    with database.transaction() as session:
        return view_verification(session, session.scalars(select(Verification)).one())


def read_all(database: Database) -> list[VerificationView]:
    with database.transaction() as session:
        rows = session.scalars(select(Verification).order_by(Verification.queued_at))
        return [view_verification(session, row) for row in rows]


def test_a_package_that_is_right_is_published_and_sent_again_by_its_earlier_report(
    database: Database, tmp_path: Path
) -> None:
    send(database, EXERCISE)
    with verifying(database, tmp_path):
        wait_until(lambda: all(view.finished_at for view in read_all(database)), seconds=240)

        send(database, EXERCISE)
        wait_until(lambda: all(view.finished_at for view in read_all(database)), seconds=240)

    first, second = read_all(database)
    assert first.report is not None
    assert [finding for finding in first.report.findings if finding.severity == "error"] == []
    revision = commit(database, find_current, SLUG)
    assert revision is not None
    assert (first.state, first.revision, first.digest) == ("passed", revision.number, revision.digest)
    assert (second.state, second.revision, second.report) == ("passed", first.revision, first.report)


def test_a_package_whose_wrong_solution_is_right_is_refused_with_the_reason(database: Database, tmp_path: Path) -> None:
    wrong = '"""Mistake: none at all."""\n' + EXERCISE["reference.py"]
    send(database, {**EXERCISE, "submissions/wrong_answer/right.py": wrong})

    with verifying(database, tmp_path):
        wait_until(lambda: read(database).finished_at, seconds=240)

    view = read(database)
    assert (view.state, view.revision) == ("refused", None)
    assert view.report is not None
    files = {finding.file for finding in view.report.findings if finding.severity == "error"}
    assert "submissions/wrong_answer/right.py" in files
    assert commit(database, find_current, SLUG) is None


def test_a_package_that_takes_too_long_is_refused_with_what_to_do(database: Database, tmp_path: Path) -> None:
    send(database, EXERCISE)

    with verifying(database, tmp_path, seconds=0):
        wait_until(lambda: read(database).finished_at, seconds=240)

    view = read(database)
    assert (view.state, view.revision) == ("refused", None)
    assert view.report is not None
    (finding,) = view.report.findings
    assert (finding.check, finding.severity) == ("limits", "error")
    assert "took more than" in finding.message
