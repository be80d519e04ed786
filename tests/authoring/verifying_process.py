"""A worker process without a sandbox: the real loop of verifications, and a check that takes as long as it is told.

usage: python -m tests.authoring.verifying_process URL NAME SECONDS LEASE BEAT POLL
It prints the attempt of each verification whose end it has written or tried to write. SIGTERM stops it.
"""

import signal
import sys
import threading
from datetime import timedelta

from sqlalchemy import select

from app.authoring.model import Verification
from app.catalog.package import package_from_files
from app.database.engine import Database
from app.queue.heartbeat import Capacity
from app.queue.lease_loop import LeaseLoop, Rhythm
from app.verification.verification_record import VerificationClaim, VerificationResult, finish, record_step
from tests.authoring.rows import make_report

STEPS = 4


def main(url: str, name: str, took: str, *seconds: str) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    database = Database(url)

    def run(claim: VerificationClaim, abort: threading.Event) -> None:
        with database.transaction() as session:
            slug, files = session.execute(select(Verification.slug, Verification.files)).one()
        for step in range(STEPS):
            with database.transaction() as session:
                record_step(session, claim, name, step, STEPS)
            if abort.wait(float(took) / STEPS):
                return
        package = package_from_files(slug, {path: text.encode() for path, text in files.items()})
        finish(database, claim, VerificationResult(report=make_report(), package=package))
        print(claim.attempt, flush=True)

    lease, beat, poll = (timedelta(seconds=float(each)) for each in seconds)
    capacity = Capacity(queues=("verify-cpu",), slots=1, worker=name)
    loop = LeaseLoop(database, capacity, VerificationClaim, run, Rhythm(lease=lease, beat=beat, poll=poll))
    loop.start()
    signal.sigwait({signal.SIGTERM})
    loop.stop()
    database.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
