"""Judging a submission again, on another revision of its problem, in boxes that leave the cores to others."""

import os
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

from sqlalchemy import select

from app.catalog.model import ExpectedOutput
from app.catalog.package import package_from_files
from app.database import Database
from app.submissions.enqueue import BACKGROUND
from app.submissions.model import CaseRow, Judging, Submission
from app.worker.boxes import Pools
from app.worker.lease import Claim, claim
from app.worker.warm import NICENESS
from app.worker.work import Works
from app.worker.worker import Lane, Lanes, Worker
from sandbox.interface import Box, BoxSpec, Launcher
from sandbox.pool import Pool
from tests.factories import make_judging
from tests.queue.test_lease import wanted
from tests.worker.bench import STANDARDISE, Bench, CountingPool


class Noting(Pool):
    """Notes how nice those are who lease its boxes, and so the boxes that they start."""

    def __init__(self, launcher: Launcher) -> None:
        super().__init__(launcher, capacity=1, max_runs=100)
        self.niceness: set[int] = set()

    @contextmanager
    def lease(self, spec: BoxSpec, abort: threading.Event) -> Iterator[Box]:
        self.niceness.add(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        with super().lease(spec, abort) as box:
            yield box


def judge_in_thread(worker: Worker, taken: Claim) -> None:
    """As the lease loop does: a thread that made itself nice stays so."""
    thread = threading.Thread(target=worker.judge, args=(taken, threading.Event()))
    thread.start()
    thread.join()


def claim_again(database: Database) -> Claim:
    with database.transaction() as session:
        (taken,) = claim(session, replace(wanted(), background=1))
    return taken


def send_again(bench: Bench, variant: int = 1) -> int:
    """On a revision whose third case has another name, and that has one variant where the first had two."""
    bench.send(bench.publish())
    text = STANDARDISE.files["problem.yaml"].decode()
    text = text.replace("name: thousand\n", "name: a_thousand\n").replace("variants: 2", "variants: 1")
    later = bench.publish(package_from_files(STANDARDISE.slug, {"problem.yaml": text.encode()}))
    with bench.database.transaction() as session:
        submission = session.scalars(select(Submission)).one()
        submission.variant = variant
        first = session.scalars(select(Judging)).one()
        first.state, first.verdict = "done", "wrong_answer"
        again = {"revision_id": later.id, "replaces_id": first.id, "priority": BACKGROUND, "is_current": False}
        return make_judging(session, submission.id, **again).id


def test_it_is_judged_on_the_cases_of_the_revision_that_was_asked_for(bench: Bench) -> None:
    again = send_again(bench)

    judge_in_thread(bench.worker(), claim_again(bench.database))

    with bench.database.transaction() as session:
        judging = session.get_one(Judging, again)
        names = session.scalars(
            select(CaseRow.name).where(CaseRow.judging_id == again).order_by(CaseRow.position)
        ).all()
        prepared = session.execute(select(ExpectedOutput.revision_id, ExpectedOutput.variant).distinct()).all()
    assert (judging.verdict, judging.is_current) == ("accepted", False)
    assert names == ["small", "hundred", "a_thousand", "five_thousand"]
    assert prepared == [(judging.revision_id, 0)]


def test_its_boxes_are_of_their_own_and_niced(bench: Bench, launcher: Launcher, pool: CountingPool) -> None:
    send_again(bench)
    with closing(Noting(launcher)) as niced:
        usual = Lane(expected=bench.expected(), pools=bench.pools)
        behind = Lane(expected=bench.expected(), pools=Pools(students=niced, inspectors=niced))
        lanes = Lanes(usual=usual, background=behind)
        worker = Worker(bench.database, Works(bench.database), lanes, bench.tutor(), bench.surveyor())
        own = os.getpriority(os.PRIO_PROCESS, 0)

        judge_in_thread(worker, claim_again(bench.database))

    assert niced.niceness == {max(own, NICENESS)}
    assert os.getpriority(os.PRIO_PROCESS, 0) == own
    assert pool.leases > 0  # of the reference alone
