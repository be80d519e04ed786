"""A worker process without a sandbox: the real lease loop, and sources that say what their judging does.

`sleep SECONDS` or `die`.

usage: python -m tests.queue.worker_process URL NAME SLOTS LEASE BEAT      (the last two in seconds)
It prints one line for each judging that it ends: its id, its attempt, and whether the verdict was written.
SIGTERM drains it.
"""

import os
import signal
import sys
import threading
from datetime import timedelta

from app.database.engine import Database
from app.judging.verdicts import CaseResult, Finish, Verdict
from app.queue.heartbeat import Capacity
from app.queue.lease_loop import LeaseLoop, Rhythm
from app.submissions.judging_record import JudgingClaim, finish, record_cases
from app.submissions.model import Submission

CASES = 2


class Performer:
    def __init__(self, database: Database, name: str) -> None:
        self._database = database
        self._name = name

    def run(self, claim: JudgingClaim, abort: threading.Event) -> None:
        with self._database.transaction() as session:
            submission = session.get_one(Submission, claim.submission_id)
        what, _, seconds = submission.source.partition(" ")
        if what == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        results = []
        for position in range(CASES):
            if abort.wait(float(seconds) / CASES):
                return
            results.append(self._result(position))
            with self._database.transaction() as session:
                record_cases(session, claim, [results[-1]])
        outcome = Finish(verdict=Verdict.ACCEPTED, score=100, cases=results, image=self._name, versions={})
        print(claim.judging_id, claim.attempt, finish(self._database, claim, outcome), flush=True)

    def _result(self, position: int) -> CaseResult:
        return CaseResult(
            position=position,
            name=f"case-{position}",
            visibility="sample",
            verdict=Verdict.ACCEPTED,
            wall_seconds=None,
            memory_bytes=None,
            report={"worker": self._name},
        )


def main(url: str, name: str, slots: str, *seconds: str) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    lease, beat = (timedelta(seconds=float(each)) for each in seconds)
    database = Database(url, pool_size=int(slots) + 3)
    capacity = Capacity(queues=("cpu",), slots=int(slots), worker=name)
    loop = LeaseLoop(
        database,
        capacity,
        JudgingClaim,
        Performer(database, name).run,
        Rhythm(lease=lease, beat=beat),
    )
    loop.start()
    signal.sigwait({signal.SIGTERM})
    loop.drain()
    database.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
