"""Judging a submission again, on another revision of its problem, in boxes of their own."""

import threading
from contextlib import closing
from dataclasses import replace

from sqlalchemy import select

from app.catalog.model import ExpectedOutput
from app.catalog.package import package_from_files
from app.database.engine import Database
from app.engine.boxes import Pools
from app.queue.lease import claim
from app.queue.model import BACKGROUND
from app.submissions.judging_record import JudgingClaim
from app.submissions.model import CaseRow, Judging, Submission
from sandbox.interface import Launcher
from tests.factories import finish_judgings, make_judging
from tests.queue.test_lease import wanted
from tests.worker.bench import STANDARDISE, Bench, CountingPool


def claim_again(database: Database) -> JudgingClaim:
    with database.transaction() as session:
        (taken,) = claim(session, replace(wanted(), background=1), JudgingClaim)
    return taken


def send_again(bench: Bench, variant: int = 1) -> int:
    """Judge again on a revision whose third case has another name, and that has one variant instead of two."""
    bench.send(bench.publish())
    text = STANDARDISE.files["problem.yaml"].decode()
    text = text.replace("name: thousand\n", "name: a_thousand\n").replace("variants: 2", "variants: 1")
    later = bench.publish(package_from_files(STANDARDISE.slug, {"problem.yaml": text.encode()}))
    with bench.database.transaction() as session:
        submission = session.scalars(select(Submission)).one()
        submission.variant = variant
        first = session.scalars(select(Judging)).one()
        finish_judgings(session, "wrong_answer")
        again = {"revision_id": later.id, "replaces_id": first.id, "priority": BACKGROUND, "is_current": False}
        return make_judging(session, submission.id, **again).id


def test_it_is_judged_on_the_cases_of_the_revision_that_was_asked_for(bench: Bench) -> None:
    again = send_again(bench)

    bench.worker().judge(claim_again(bench.database), threading.Event())

    with bench.database.transaction() as session:
        judging = session.get_one(Judging, again)
        names = session.scalars(
            select(CaseRow.name).where(CaseRow.judging_id == again).order_by(CaseRow.position)
        ).all()
        prepared = session.execute(select(ExpectedOutput.revision_id, ExpectedOutput.variant).distinct()).all()
    assert (judging.verdict, judging.is_current) == ("accepted", False)
    assert names == ["small", "hundred", "a_thousand", "five_thousand"]
    assert prepared == [(judging.revision_id, 0)]


def test_its_boxes_are_of_their_own(bench: Bench, launcher: Launcher, pool: CountingPool) -> None:
    send_again(bench)
    with closing(CountingPool(launcher, capacity=1, max_runs=100)) as own:
        worker = bench.worker(background=Pools(students=own, inspectors=own))

        worker.judge(claim_again(bench.database), threading.Event())

    assert own.leases > 0
    assert pool.leases > 0  # of the reference alone
